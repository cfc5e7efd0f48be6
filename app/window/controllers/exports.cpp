// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/exports.h"

#include "core/backend/link/export.h"
#include "core/graph/program/export_model.h"
#include "core/report/report.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "core/support/files/atomic_file.h"
#include "widgets/document/text.h"

#include <QFileInfo>

#include <algorithm>

namespace nestwright::app {

using document::toQt;
using support::Result;

namespace {

std::vector<ExportKind> makeKinds()
{
    std::vector<ExportKind> kinds{
        {QStringLiteral("schedule"), QStringLiteral("Schedule script"), QStringLiteral(".py"), false, {}},
        {QStringLiteral("tvmscript"), QStringLiteral("TVMScript"), QStringLiteral(".py"), false, {}},
        {QStringLiteral("report"),
         QStringLiteral("Report as a web page"),
         QStringLiteral(".html"),
         false,
         {}},
        {QStringLiteral("table"),
         QStringLiteral("Figures as a Markdown table"),
         QStringLiteral(".md"),
         false,
         {}},
    };
    for (const backend::SourceFormat &format : backend::sourceFormats()) {
        QString title = toQt(format.title);
        title[0] = title[0].toUpper();
        kinds.push_back({toQt(format.name), title, u'.' + toQt(format.extension), false,
                         backend::isBuilt(format)
                             ? QString()
                             : QStringLiteral("This program was built without the backend for it.")});
    }
    const QString noLlvm = backend::isBuilt(target::TargetKind::Llvm)
                               ? QString()
                               : QStringLiteral("This program was built without LLVM.");
    kinds.push_back({QStringLiteral("object"), QStringLiteral("Object file and C header"),
                     QStringLiteral(".o"), false, noLlvm});
    kinds.push_back({QStringLiteral("shared"), QStringLiteral("Shared library and C header"),
                     QStringLiteral(".so"), false, noLlvm});
    kinds.push_back({QStringLiteral("model-shared"), QStringLiteral("Model as a shared library"),
                     QStringLiteral(".so"), false, noLlvm, true});
    kinds.push_back({QStringLiteral("model-c"),
                     QStringLiteral("Model as C sources"),
                     QStringLiteral(".c"),
                     false,
                     {},
                     true});
    for (const char *form : {"png", "svg"}) {
        const QString name = QString::fromLatin1(form);
        kinds.push_back({QStringLiteral("graph-") + name,
                         QStringLiteral("Graph as %1").arg(name.toUpper()),
                         u'.' + name,
                         true,
                         {}});
    }
    for (const char *form : {"png", "svg", "csv"}) {
        const QString name = QString::fromLatin1(form);
        kinds.push_back({QStringLiteral("chart-") + name,
                         QStringLiteral("Variants chart as %1").arg(name.toUpper()),
                         u'.' + name,
                         true,
                         {}});
        kinds.push_back({QStringLiteral("roofline-") + name,
                         QStringLiteral("Roofline as %1").arg(name.toUpper()),
                         u'.' + name,
                         true,
                         {}});
    }
    return kinds;
}

Result<std::string> textOf(const session::Session &session, const target::Target &target, const QString &id,
                           script::Dialect dialect, const std::stop_token &stop)
{
    const session::Variant &variant = session.tree().current();
    if (id == u"schedule")
        return scheduleScript(session, variant.id, dialect);
    if (id == u"tvmscript")
        return script::print(variant.state->module, {.dialect = dialect, .columns = script::readableColumns})
            .text;
    if (id == u"report")
        return report::htmlReport(session);
    if (id == u"table")
        return report::markdownTable(session);
    const backend::SourceFormat *format = backend::findSourceFormat(id.toStdString());
    if (!format)
        return support::fail("export.format", "there is no export '" + id.toStdString() + "'");
    if (variant.edit && variant.edit->kind == format->kind)
        return variant.edit->text;
    target::Target wanted = backend::targetOf(*format, target);
    if (!wanted.isGpu() && !target.isGpu()) // a text of C is for the processor, too
        wanted.mcpu = target.mcpu;
    if (const auto known = backend::checkTarget(wanted); !known)
        return support::fail(known.error());
    auto source = backend::source(variant.state->module, wanted, format->kind, stop);
    if (!source)
        return std::unexpected(source.error());
    return std::move(source->text);
}

} // namespace

const std::vector<ExportKind> &exportKinds()
{
    static const std::vector<ExportKind> kinds = makeKinds();
    return kinds;
}

const ExportKind *findExportKind(const QString &id)
{
    const auto found = std::ranges::find(exportKinds(), id, &ExportKind::id);
    return found == exportKinds().end() ? nullptr : &*found;
}

Result<std::string> scheduleScript(const session::Session &session, session::VariantId variant,
                                   script::Dialect dialect)
{
    return schedule::writeScheduleScript(*session.tree().root().state, session.tree().trace(variant),
                                         dialect);
}

namespace {

Result<void> writeFiles(const QString &path, const Result<std::vector<backend::ExportFile>> &files)
{
    if (!files)
        return std::unexpected(files.error());
    const std::vector<std::filesystem::path> places = backend::placesOf(*files, path.toStdString());
    for (std::size_t i = 0; i < files->size(); ++i) {
        if (auto written = support::writeAtomically(places[i], (*files)[i].bytes); !written)
            return support::fail(written.error());
    }
    return {};
}

} // namespace

Result<void> writeModelExport(const session::Model &model, const graph::Schedules &schedules,
                              const target::Target &target, const QString &id, const QString &path,
                              const std::stop_token &stop)
{
    const std::string stem = graph::symbolStem(QFileInfo(path).completeBaseName().toStdString());
    return writeFiles(path, graph::exportModel(model.program, target, id == u"model-c" ? "c" : "shared", stem,
                                               schedules, stop));
}

Result<void> writeExport(const session::Session &session, const target::Target &target, const QString &id,
                         const QString &path, script::Dialect dialect, const std::stop_token &stop)
{
    if (id == u"object" || id == u"shared") {
        if (const auto &edit = session.tree().current().edit)
            return support::fail(
                support::diagnostic("export.edited", "machine code of " + session::badgeOf(*edit)
                                                         + " is not exported: it may be anybody's")
                    .withHint("export its text and compile that, or go to the variant before"));
        return writeFiles(
            path, backend::exportKernel(session.tree().current().state->module, target, id.toStdString(),
                                        QFileInfo(path).completeBaseName().toStdString(), stop));
    }
    const auto text = textOf(session, target, id, dialect, stop);
    if (!text)
        return std::unexpected(text.error());
    if (auto written = support::writeAtomically(path.toStdString(), *text); !written)
        return support::fail(written.error());
    return {};
}

} // namespace nestwright::app
