// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/variants_model.h"

#include "core/backend/codes.h"
#include "core/measure/build/given_inputs.h"
#include "core/measure/doubt.h"
#include "core/measure/machine/machine_peak.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/perf_counters.h"
#include "core/measure/verify/comparison.h"
#include "core/measure/verify/rungs.h"
#include "widgets/document/document.h"
#include "widgets/document/plain_tip.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/sealing.h"
#include "widgets/models/measurement_texts.h"
#include "widgets/models/spoken_cell.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace nestwright::models {

using document::Document;
using measure::Failure;
using measure::Measurement;
using measure::RungResult;
using measure::Verdict;
using session::Variant;

namespace {
/// Null where no rung fails.
const RungResult *failedOf(std::span<const RungResult> trust)
{
    const auto found = std::ranges::find(trust, RungResult::Outcome::Fails, &RungResult::outcome);
    return found == trust.end() ? nullptr : &*found;
}

/// The text of a measurement by itself.
QString figureText(const Measurement &measured, int column)
{
    switch (column) {
    case VariantsModel::Time: return timeText(measured.time.median);
    case VariantsModel::Gflops:
        if (measured.flops <= 0 && measured.bytes > 0) // nothing but bytes is moved
            return figures(measured.bytes / measured.time.median * 1e-9);
        return measured.flops > 0 ? figures(measured.gflops()) : QString();
    case VariantsModel::OfPeak:
        return measured.peakFraction > 0 ? figures(measured.peakFraction * 100) + QStringLiteral(" %")
                                         : QString();
    default: return {};
    }
}
} // namespace

VariantsModel::VariantsModel(Document &document, document::Measuring &measuring, QObject *parent)
    : QAbstractTableModel(parent)
    , m_document(document)
    , m_measuring(measuring)
{
    connect(&document, &Document::variantsChanged, this, &VariantsModel::rebuild);
    connect(&document, &Document::opened, this, [this] { m_unfolded.clear(); });
    connect(&document, &Document::currentChanged, this, &VariantsModel::showWay);
    connect(&document, &Document::measurementChanged, this, &VariantsModel::refresh);
    connect(&document, &Document::marksChanged, this, &VariantsModel::refresh);
    connect(&document, &Document::inputsChanged, this, &VariantsModel::refresh);
    connect(&document, &Document::targetChanged, this, &VariantsModel::refresh);
    connect(&measuring, &document::Measuring::peakChanged, this, &VariantsModel::refresh);
    connect(&measuring, &document::Measuring::changed, this, &VariantsModel::refresh);
    rebuild();
}

void VariantsModel::showSeals(const document::Sealing &sealing)
{
    m_sealing = &sealing;
    connect(&sealing, &document::Sealing::changed, this, &VariantsModel::refresh);
}

bool VariantsModel::isSealed(VariantId id) const
{
    const explore::SealedPath *seal = m_sealing ? m_sealing->of(id) : nullptr;
    return seal && seal->seal.outcome == explore::Seal::Outcome::Equal;
}

bool VariantsModel::isUnequal(VariantId id) const
{
    const explore::SealedPath *seal = m_sealing ? m_sealing->of(id) : nullptr;
    return seal && seal->seal.outcome == explore::Seal::Outcome::Differs;
}

/// Children, or for those that are left out what they lead to.
std::vector<VariantId> VariantsModel::shownChildren(VariantId id) const
{
    const session::VariantTree &tree = m_document.tree();
    std::vector<VariantId> children = tree.at(id).children;
    for (VariantId &child : children) {
        while (tree.isOnTheWay(child) && !m_unfolded.contains(*tree.at(child).partOf))
            child = tree.at(child).children.front();
    }
    return children;
}

void VariantsModel::toggleFold(VariantId id)
{
    if (!m_unfolded.erase(id))
        m_unfolded.insert(id);
    rebuild();
}

/// A step on a way that is folded is shown while it is the current one.
void VariantsModel::showWay()
{
    const auto current = m_document.isOpen() ? std::optional(m_document.currentId()) : std::nullopt;
    const bool isOnWay = current && m_document.tree().at(*current).partOf;
    if (isOnWay || m_shownOnWay)
        rebuild();
    m_shownOnWay = isOnWay ? current : std::nullopt;
    refresh();
}

void VariantsModel::rebuild()
{
    beginResetModel();
    m_rows.clear();
    m_lanes = 0;
    const session::VariantTree *tree = m_document.isOpen() ? &m_document.tree() : nullptr;
    std::vector<Row> pending; // a long history is deep: a stack of our own, not the program's
    if (tree)
        pending.push_back({.id = tree->root().id, .lines = {}});
    while (!pending.empty()) {
        Row row = std::move(pending.back());
        pending.pop_back();
        const std::vector<VariantId> children = shownChildren(row.id);
        for (auto on = tree->at(row.id).parent; on && tree->at(*on).partOf == row.id;
             on = tree->at(*on).parent)
            ++row.folds;
        row.goesOn = !children.empty();
        const auto straight = std::ranges::find_if(children, [&](VariantId id) { return tree->at(id).ok(); });
        bool more = straight != children.end(); // below the branch
        if (more)
            pending.push_back({.id = *straight, .lane = row.lane, .lines = row.lines});
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            if (straight != children.end() && *child == *straight)
                continue;
            std::vector<bool> lines = row.lines;
            lines.push_back(more);
            pending.push_back(
                {.id = *child, .lane = row.lane + 1, .isBranch = true, .lines = std::move(lines)});
            more = true;
        }
        m_lanes = std::max(m_lanes, row.lane);
        m_rows.push_back(std::move(row));
    }
    endResetModel();
}

void VariantsModel::refresh()
{
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, Gflops, Gflops); // it has the unit
}

int VariantsModel::rowOf(VariantId id) const
{
    const auto found = std::ranges::find(m_rows, id, &Row::id);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

const Variant &VariantsModel::variant(int row) const { return m_document.tree().at(idAt(row)); }

bool VariantsModel::isCurrent(int row) const
{
    return m_document.isOpen() && m_document.currentId() == idAt(row);
}

bool VariantsModel::isRefused(int row) const { return !variant(row).ok(); }

bool VariantsModel::hasFigures() const
{
    return m_document.isOpen() && std::ranges::any_of(m_document.tree().all(), [](const Variant &each) {
               return (each.measurement && each.measurement->ok()) || each.fastestElsewhere();
           });
}

std::string_view VariantsModel::doubt(int row) const
{
    const Variant &at = variant(row);
    if (!at.parent || !at.measurement || !at.measurement->ok())
        return {};
    const auto &before = m_document.tree().at(*at.parent).measurement;
    if (!before || !before->ok() || !measure::haveSameContent(at.measurement->inputs, before->inputs))
        return {};
    if (at.measurement->speedup) // measured against the parent in one run
        return measure::doubtOf(*at.measurement->speedup, at.measurement->samples.size());
    const measure::Change change = measure::changeOf(before->time, at.measurement->time);
    return change == measure::Change::NotSignificant ? measure::describe(change) : std::string_view();
}

int VariantsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int VariantsModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

bool VariantsModel::hasOtherInputs(int row) const
{
    const Variant &at = variant(row);
    return at.measurement && at.measurement->ok() && m_document.session().hasOtherInputs(*at.measurement);
}

bool VariantsModel::isOfNow(int row) const
{
    const Variant &at = variant(row);
    return at.measurement && !at.measurement->stored && !hasOtherInputs(row);
}

QString VariantsModel::resultText(int row) const
{
    const Variant &at = variant(row);
    if (!at.ok())
        return tr("refused");
    if (m_measuring.current() == at.id && m_measuring.phase().contains(u'%'))
        return m_measuring.phase(); // which says how far it is
    if (m_measuring.current() == at.id)
        return tr("%1 %2 %").arg(m_measuring.phase()).arg(static_cast<int>(m_measuring.fraction() * 100));
    if (m_measuring.isWaiting(at.id))
        return tr("waiting");
    const std::span<const RungResult> trust = m_document.tree().trust(at.id);
    if (const RungResult *failed = failedOf(trust))
        return tr("wrong: %1").arg(QString::fromUtf8(measure::factsOf(failed->rung).title));
    if (isUnequal(at.id))
        return tr("not equal");
    QString measured = measuredText(row);
    if (isSealed(at.id))
        measured = measured.isEmpty() ? tr("sealed") : tr("%1, sealed").arg(measured);
    if (trust.empty())
        return measured;
    const auto holds = std::ranges::count(trust, RungResult::Outcome::Holds, &RungResult::outcome);
    return tr("%1 %2/%3").arg(measured.isEmpty() ? tr("holds") : measured).arg(holds).arg(trust.size());
}

QString VariantsModel::measuredText(int row) const
{
    const Variant &at = variant(row);
    if (!at.measurement) {
        const auto *elsewhere = at.fastestElsewhere();
        return elsewhere ? tr("on %1").arg(QString::fromStdString(elsewhere->first)) : QString();
    }
    if (hasOtherInputs(row))
        return tr("other inputs");
    return at.measurement->disturbed && at.measurement->ok()
               ? tr("%1, busy").arg(verdictText(*at.measurement))
               : verdictText(*at.measurement);
}

QString VariantsModel::text(int row, int column) const
{
    const Variant &at = variant(row);
    const int folds = m_rows[static_cast<std::size_t>(row)].folds;
    if (column == Step && folds > 0 && at.ok())
        return tr("%1 (%n steps)", nullptr, folds + 1)
            .arg(QString::fromStdString(at.name.empty() ? at.label : at.name));
    if (column == Step && !at.name.empty() && at.ok())
        return tr("%1: %2").arg(QString::fromStdString(at.name), QString::fromStdString(at.label));
    if (column == Step)
        return QString::fromStdString(at.label);
    if (column == Result)
        return resultText(row);
    const auto *elsewhere = at.measurement ? nullptr : at.fastestElsewhere();
    if (elsewhere)
        return figureText(elsewhere->second, column);
    if (!at.measurement || !at.measurement->ok())
        return {};
    const Measurement &measured = *at.measurement;
    const auto &first = m_document.tree().root().measurement;
    switch (column) {
    case OfPeak: {
        const auto &peak = m_measuring.peak(); // one for all rows: the facts known about the machine by now
        const double fraction =
            peak ? measure::roofShare({measured.flops, measured.bytes}, measured.time.median, *peak)
                 : measured.peakFraction;
        return fraction > 0 ? figures(fraction * 100) + QStringLiteral(" %") : QString();
    }
    case VsFirst:
        return first && first->ok() && measure::haveSameContent(first->inputs, measured.inputs)
                   ? figures(first->time.median / measured.time.median) + QStringLiteral("×")
                   : QString();
    default: return figureText(measured, column);
    }
}

Tone VariantsModel::tone(int row, int column) const
{
    const Variant &at = variant(row);
    if (!at.ok())
        return Tone::Bad;
    if (column == Step)
        return Tone::Plain;
    if (column != Result)
        return isOfNow(row) ? Tone::Plain : Tone::Secondary;
    if (m_measuring.current() == at.id || m_measuring.isWaiting(at.id))
        return Tone::Secondary;
    const std::span<const RungResult> trust = m_document.tree().trust(at.id);
    if (failedOf(trust) || isUnequal(at.id))
        return Tone::Bad;
    if (!at.measurement)
        return trust.empty() && !isSealed(at.id) ? Tone::Secondary : Tone::Good;
    if (lacksDevice(*at.measurement))
        return Tone::Secondary;
    if (at.measurement->failed != Failure::None || at.measurement->verdict == Verdict::Wrong)
        return Tone::Bad;
    // It is not going to be verified by itself: somebody has to look.
    const bool isLeftUnverified =
        at.measurement->verdict == Verdict::NotVerified && at.measurement->final && !at.measurement->stored;
    if (at.measurement->disturbed || (isLeftUnverified && !hasOtherInputs(row)))
        return Tone::Warn;
    return at.measurement->isVerified() && !hasOtherInputs(row) ? Tone::Good : Tone::Secondary;
}

QString VariantsModel::tip(int row) const
{
    const Variant &at = variant(row);
    if (!at.ok())
        return document::explanation(at.state.error());
    QStringList lines{QString::fromStdString(at.label)};
    if (!at.marks.note.empty())
        lines << QString::fromStdString(at.marks.note);
    if (at.measurement && at.measurement->ok()) {
        const Measurement &measured = *at.measurement;
        lines << tr("median %1, 95 % interval %2 … %3, %4")
                     .arg(timeText(measured.time.median), timeText(measured.time.low),
                          timeText(measured.time.high),
                          document::counted(static_cast<int>(measured.samples.size()), tr("repetition")));
        lines << document::counted(measured.threads, tr("thread"));
        if (!measured.evidence.empty())
            lines << tr("Checked by: %1.").arg(QString::fromStdString(measured.evidence));
        if (measured.difference)
            lines << document::sentence(measure::describeDifference(*measured.difference)
                                        + " to the unscheduled program");
        if (!measured.inputs.empty())
            lines << tr("with %1").arg(document::inputsText(measured.inputs));
        if (hasOtherInputs(row))
            lines << tr("These are not the inputs that are given now. Measure it again to compare it.");
        if (measured.disturbed)
            lines << document::sentence(measure::disturbance(measured.otherLoad));
        if (measured.counters)
            lines << countersText(*measured.counters);
        if (measured.stored)
            lines << tr("Its file says so; it was not checked here. Measure it to check it.");
        if (measured.verdict == Verdict::NotVerified && measured.final && !measured.stored)
            lines << tr(
                "Nothing has shown that its results are right. F6 checks them on every rung of trust.");
        if (const std::string_view why = doubt(row);
            why == measure::describe(measure::Change::NotSignificant))
            lines << tr("The difference to the variant before is within the noise: not significant.");
        else if (!why.empty())
            lines << tr("There are not enough samples yet to tell a difference to the variant before.");
    } else if (at.measurement && at.measurement->failure) {
        lines << document::explanation(*at.measurement->failure);
    }
    if (!at.measurement && at.fastestElsewhere())
        lines << tr("These are figures of another target. Choose it to compare them.");
    for (const RungResult &result : m_document.tree().trust(at.id))
        lines << rungText(result);
    if (const explore::SealedPath *seal = m_sealing ? m_sealing->of(at.id) : nullptr)
        lines << document::sentence(seal->describe());
    return lines.join(u'\n');
}

QVariant VariantsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    switch (role) {
    case Qt::DisplayRole: return text(index.row(), index.column());
    case Qt::ToolTipRole: return document::plainTip(tip(index.row()));
    case Qt::AccessibleTextRole: return spokenCell(index);
    case Qt::TextAlignmentRole:
        return QVariant(index.column() == Step || index.column() == Result
                            ? Qt::AlignLeft | Qt::AlignVCenter
                            : Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

bool VariantsModel::hasOnlyBytes() const
{
    return std::ranges::any_of(m_document.tree().all(), [](const Variant &each) {
        return each.measurement && each.measurement->ok() && each.measurement->flops <= 0
               && each.measurement->bytes > 0;
    });
}

QVariant VariantsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static constexpr const char *titles[] = {"step", "time", "GFLOPS", "of peak", "vs naive", "result"};
    static constexpr const char *tips[] = {"The step that made the variant",
                                           "Median time of one call",
                                           "Floating-point operations per second, in billions",
                                           "Share of the machine's multiply-add peak",
                                           "Speed-up over the unscheduled program",
                                           "Whether its result equals the unscheduled program's"};
    const bool areBytes = section == Gflops && m_document.isOpen() && hasOnlyBytes();
    switch (role) {
    case Qt::DisplayRole: return areBytes ? QStringLiteral("GB/s") : QString::fromLatin1(titles[section]);
    case Qt::ToolTipRole:
        return areBytes ? tr("Bytes that a call has to move, per second, in billions")
                        : QString::fromLatin1(tips[section]);
    case Qt::TextAlignmentRole:
        return QVariant(section == Step || section == Result ? Qt::AlignLeft | Qt::AlignVCenter
                                                             : Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

} // namespace nestwright::models
