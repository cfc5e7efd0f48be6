// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/chart_pages.h"

#include "core/analysis/kernel/counts.h"
#include "core/ir/build/builder.h"
#include "core/measure/machine/memory_capacity.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/schedule/apply.h"
#include "core/schedule/primitive.h"
#include "core/target/kinds.h"
#include "widgets/document/text.h"
#include "widgets/models/measurement_texts.h"
#include "widgets/models/variants_model.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <map>
#include <utility>

namespace nestwright::app {

using session::Variant;

namespace {

/// Short, for the foot of a bar: "tile", not "tile(i, j, 32, 32)"; the name where a schedule or recipe ends
/// there.
QString shortName(const Variant &variant)
{
    if (!variant.name.empty())
        return QString::fromStdString(variant.name);
    if (variant.edit)
        return QString::fromStdString(session::badgeOf(*variant.edit));
    if (variant.isRoot() || !variant.step.primitive)
        return QStringLiteral("naive");
    return QString::fromUtf8(variant.step.primitive->name.data(),
                             static_cast<qsizetype>(variant.step.primitive->name.size()));
}

/// The part of its step that others of that name lack: "i 32,32".
QString detailOf(const session::VariantTree &tree, const Variant &variant)
{
    if (variant.edit && variant.name.empty())
        return QString::fromStdString(session::summaryOf(*variant.edit));
    const Variant *before = variant.parent ? &tree.at(*variant.parent) : nullptr;
    return variant.name.empty() && before && before->ok() && variant.step.primitive
               ? QString::fromStdString(schedule::gist(variant.step, *before->state))
               : QString();
}

/// The same step on several variants: their numbers tell the bars apart.
void tellApart(std::vector<charts::Bar> &bars)
{
    std::map<std::pair<QString, QString>, int> counts;
    for (const charts::Bar &bar : bars)
        ++counts[{bar.name, bar.detail}];
    for (charts::Bar &bar : bars) {
        if (counts[{bar.name, bar.detail}] > 1)
            bar.detail = (bar.detail + QStringLiteral(" #%1").arg(bar.id)).trimmed();
    }
}

QString note(const session::Session &session, const Variant &variant)
{
    if (!variant.measurement)
        return QString::fromStdString(variant.label);
    if (variant.measurement->failure)
        return document::sentence(variant.measurement->failure->message);
    QStringList parts{QString::fromStdString(variant.label)};
    if (!variant.measurement->inputs.empty())
        parts << QObject::tr("with %1").arg(document::inputsText(variant.measurement->inputs));
    if (session.hasOtherInputs(*variant.measurement))
        parts << QObject::tr("not the inputs that are given now");
    if (variant.measurement->disturbed)
        parts << document::sentence(measure::disturbance(variant.measurement->otherLoad));
    if (variant.measurement->stored)
        parts << QObject::tr("as its file says, not measured here");
    return parts.join(QStringLiteral(" · "));
}

bool hasFlops(const Variant &variant)
{
    if (variant.measurement)
        return variant.measurement->flops > 0;
    const auto *elsewhere = variant.fastestElsewhere();
    return elsewhere && elsewhere->second.flops > 0;
}

/// Work of a call by which bars are drawn: operations, bytes where a kernel has none of those, or calls.
struct BarUnit {
    bool areFlops = false, areBytes = false;

    QString name() const
    {
        return areFlops   ? QStringLiteral("GFLOPS")
               : areBytes ? QStringLiteral("GB/s")
                          : QStringLiteral("calls/s");
    }
    double workOf(const measure::Measurement &measured) const
    {
        return areFlops ? measured.flops * 1e-9 : areBytes ? measured.bytes * 1e-9 : 1;
    }
};

BarUnit unitOf(const session::VariantTree &tree)
{
    BarUnit unit;
    for (const Variant &variant : tree.all()) {
        unit.areFlops = unit.areFlops || hasFlops(variant);
        const auto *elsewhere = variant.measurement ? nullptr : variant.fastestElsewhere();
        unit.areBytes = unit.areBytes || (variant.measurement && variant.measurement->bytes > 0)
                        || (elsewhere && elsewhere->second.bytes > 0);
    }
    unit.areBytes = unit.areBytes && !unit.areFlops;
    return unit;
}

void setFigures(charts::Bar &bar, const measure::Measurement &measured, const BarUnit &unit)
{
    const double work = unit.workOf(measured);
    bar.value = work / measured.time.median;
    bar.low = work / measured.time.high;
    bar.high = work / measured.time.low;
}

/// The rates of the memory and of the last cache: the roofs of kernels that only move bytes.
void addMemories(charts::BarData &data, const measure::MachinePeak &peak)
{
    const std::size_t count = peak.levels.size();
    for (std::size_t i = count < 2 ? 0 : count - 2; i < count; ++i)
        data.references.push_back({QString::fromStdString(peak.levels[i].name),
                                   peak.levels[i].bytesPerSecond * 1e-9, charts::Reference::Kind::Peak});
}

} // namespace

QString targetText(const target::Target &target)
{
    QString text = document::toQt(target::kindName(target.kind));
    for (const std::string *detail : {&target.mcpu, &target.arch}) {
        if (!detail->empty())
            text += u' ' + document::toQt(*detail);
    }
    if (!target.isGpu())
        text += QStringLiteral(" · ") + document::counted(measure::threadsOf(target), QObject::tr("thread"));
    return text;
}

charts::BarData barsOf(const ChartFacts &facts)
{
    charts::BarData data;
    if (!facts.session)
        return data;
    const session::Session &session = *facts.session;
    const session::VariantTree &tree = session.tree();
    data.current = tree.current().id.value;
    const BarUnit unit = unitOf(tree);
    const bool anyFlops = unit.areFlops;
    data.unit = unit.name();
    for (const Variant &variant : tree.all()) {
        const bool running = facts.running == variant.id;
        const auto *elsewhere = variant.measurement || running ? nullptr : variant.fastestElsewhere();
        const bool hasNone = !variant.measurement || models::lacksDevice(*variant.measurement);
        if (hasNone && !running && !elsewhere)
            continue;
        charts::Bar bar;
        bar.id = variant.id.value;
        bar.name = shortName(variant);
        bar.detail = detailOf(tree, variant);
        bar.note = note(session, variant);
        if (elsewhere) {
            bar.detail = QObject::tr("on %1").arg(QString::fromStdString(elsewhere->first));
            bar.note += QStringLiteral(" · ") + bar.detail;
            setFigures(bar, elsewhere->second, unit);
            bar.compares = false;
        } else if (variant.measurement && variant.measurement->ok()) {
            setFigures(bar, *variant.measurement, unit);
            bar.compares = session.isMeasured(variant.id);
        } else {
            bar.outcome = running ? charts::Outcome::Running : charts::Outcome::Failed;
            bar.failure = running ? QString() : models::verdictText(*variant.measurement);
        }
        data.bars.push_back(std::move(bar));
    }
    tellApart(data.bars);
    const auto &peak = facts.peak;
    if (peak && !peak->isOfDataSheet && anyFlops && !data.bars.empty())
        data.references.push_back({peak->isGpu ? QObject::tr("GPU peak") : QStringLiteral("machine peak"),
                                   peak->float32Flops * 1e-9, charts::Reference::Kind::Peak});
    if (peak && unit.areBytes && !data.bars.empty())
        addMemories(data, *peak);
    if (const auto &time = facts.library; time && anyFlops && !data.bars.empty())
        data.references.push_back({QString::fromStdString(time->library)
                                       + (time->disturbed ? QObject::tr(", busy machine") : QString()),
                                   time->gflops(), charts::Reference::Kind::Library});
    return data;
}

namespace {

/// Operations and bytes of the open program; none where it has symbolic sizes.
measure::Throughput workOf(const session::VariantTree &tree)
{
    const ir::Module &module = tree.root().state->module;
    const ir::Module::Entry *entry = module.mainEntry();
    if (!entry)
        return {};
    for (const ir::Param &param : entry->function->params) {
        if (param.buffer && !std::ranges::all_of(param.buffer->shape, [](const ir::Expr &extent) {
                return ir::asInt(extent);
            }))
            return {};
    }
    const analysis::Counts counts = analysis::countsOf(*entry->function);
    return {counts.flops, counts.bytesRead + counts.bytesWritten};
}

void addRoofs(charts::RooflineData &data, const measure::MachinePeak &peak)
{
    data.peak = peak.float32Flops * 1e-9;
    for (const target::MemoryLevel &level : peak.levels) {
        if (data.areBytes && peak.isGpu && &level == &peak.levels.front())
            continue; // shared memory holds what a kernel puts there
        data.roofs.push_back({QString::fromStdString(level.name), level.bytesPerSecond * 1e-9,
                              measure::capacityOf(peak, level)});
    }
    if (peak.tensorFlops > 0 && !data.areBytes)
        data.ceilings.push_back({peak.isOfDataSheet
                                     ? QObject::tr("tensor cores, half precision")
                                     : QObject::tr("tensor cores, half precision, by data sheet"),
                                 peak.tensorFlops * 1e-9});
}

} // namespace

charts::RooflineData rooflineOf(const ChartFacts &facts, bool showsWay)
{
    charts::RooflineData data;
    data.showsWay = showsWay;
    if (!facts.session)
        return data;
    const session::Session &session = *facts.session;
    const session::VariantTree &tree = session.tree();
    data.current = tree.current().id.value;
    const measure::Throughput work = workOf(tree);
    data.areBytes = unitOf(tree).areBytes || (work.flops <= 0 && work.bytes > 0);
    for (const session::VariantId id : tree.path(tree.current().id)) {
        const Variant &variant = tree.at(id);
        if (!variant.measurement || !variant.measurement->ok()
            || (variant.measurement->flops <= 0) != data.areBytes || variant.measurement->bytes <= 0
            || session.hasOtherInputs(*variant.measurement))
            continue;
        const measure::Measurement &measured = *variant.measurement;
        const double giga = (data.areBytes ? measured.bytes : measured.flops) * 1e-9;
        data.points.push_back({.id = id.value,
                               .name = shortName(variant) + u' ' + detailOf(tree, variant),
                               .across = data.areBytes ? measured.bytes : measured.flops / measured.bytes,
                               .rate = giga / measured.time.median,
                               .low = giga / measured.time.high,
                               .high = giga / measured.time.low,
                               .note = note(session, variant)});
    }
    if (const auto &peak = facts.peak) {
        addRoofs(data, *peak);
        if (data.points.empty() && work.bytes > 0)
            data.across = data.areBytes ? work.bytes : work.flops / work.bytes;
    }
    return data;
}

} // namespace nestwright::app
