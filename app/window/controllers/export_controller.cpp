// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/export_controller.h"

#include "app/window/commands/command_menu.h"
#include "app/window/controllers/chart_facts.h"
#include "app/window/controllers/exports.h"
#include "app/window/controllers/source_file.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/window_settings.h"
#include "app/window/frame/work_line.h"
#include "app/window/panes/nest_pane.h"
#include "core/backend/backend.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/paint/graph_export.h"
#include "widgets/charts/export.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/theme.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

namespace nestwright::app {

using document::toQt;

namespace {
const QString dialectKey = QStringLiteral("dialect");
}

ExportController::ExportController(document::Document &document, document::Model &model,
                                   document::Measuring &measuring, document::PeerMeasuring &peer,
                                   document::CommandRegistry &commands, WindowSettings &settings,
                                   look::Theme &theme, canvas::GraphCanvas &graph, NestPane &nestPane,
                                   Banner &banner, WorkLine &workLine, QWidget *window)
    : m_document(document)
    , m_model(model)
    , m_measuring(measuring)
    , m_peer(peer)
    , m_commands(commands)
    , m_settings(settings)
    , m_theme(theme)
    , m_graph(graph)
    , m_nestPane(nestPane)
    , m_banner(banner)
    , m_workLine(workLine)
    , m_window(window)
    , m_processor(settings, commands, window)
{
    const std::string remembered = m_settings.value(dialectKey).toString().toStdString();
    m_dialect = script::findDialect(remembered).value_or(m_dialect);
    m_nestPane.setDialect(m_dialect);
    connect(&m_graph, &canvas::GraphCanvas::exportRequested, this,
            [this](const QString &form) { m_commands.trigger(QStringLiteral("export.graph-") + form); });
}

void ExportController::addExportCommands()
{
    const auto needsKernel = [this] { return m_document.isOpen() ? QString() : tr("Open a kernel first."); };
    for (const ExportKind &kind : exportKinds()) {
        QString title = kind.title;
        if (title.size() > 1 && title[1].isLower()) // "schedule script", but "LLVM IR"
            title[0] = title[0].toLower();
        m_commands.add({.id = QStringLiteral("export.") + kind.id,
                        .title = tr("Export %1…").arg(title),
                        .group = tr("Export"),
                        .run = [this, id = kind.id] { choose(id); },
                        .unavailable =
                            [this, needsKernel, why = kind.unavailable, isModel = kind.isModel] {
                                if (isModel && !m_model.isOpen())
                                    return tr("Open a model first.");
                                return why.isEmpty() ? needsKernel() : why;
                            }});
    }
}

/// For which version of TVM schedules and programs are written, in exports and in the script beside the
/// program.
void ExportController::addDialectCommands()
{
    for (const script::Dialect dialect : script::allDialects) {
        const QString name = toQt(script::dialectName(dialect));
        m_commands.add({.id = QStringLiteral("export.dialect.") + name,
                        .title = tr("Write scripts for TVM %1").arg(name),
                        .group = tr("Version of TVM"),
                        .run =
                            [this, dialect, name] {
                                m_dialect = dialect;
                                m_nestPane.setDialect(dialect);
                                m_settings.setValue(dialectKey, name);
                            },
                        .checked = [this, dialect] { return m_dialect == dialect; }});
    }
}

void ExportController::choose(const QString &id)
{
    const ExportKind *kind = findExportKind(id);
    QString stem = QFileInfo(m_document.title()).completeBaseName();
    if (kind->isModel)
        stem = QFileInfo(QString::fromStdString(m_model.model().name)).completeBaseName();
    if (id == u"schedule")
        stem += QStringLiteral("_schedule");
    const QString path =
        QFileDialog::getSaveFileName(m_window, tr("Export %1").arg(kind->title),
                                     sourceFolder(m_document, m_model) + u'/' + stem + kind->extension,
                                     QStringLiteral("%1 (*%2)").arg(kind->title, kind->extension));
    if (!path.isEmpty())
        exportTo(id, path);
}

void ExportController::exportTo(const QString &id, const QString &path)
{
    const auto done = [this, path](const support::Result<void> &result) {
        if (!result) {
            m_banner.showError(result.error());
            return;
        }
        m_workLine.tellWritten(tr("Exported"), path);
        Q_EMIT written(path);
    };
    if (id.startsWith(u"graph-")) {
        m_document.jobs().run(
            QStringLiteral("export ") + path, this,
            [picture = m_graph.picture(), path, dark = m_theme.isDark()](const jobs::Job &) {
                return canvas::writeGraph(picture, path, dark);
            },
            [done](const std::shared_ptr<const support::Result<void>> &result) { done(*result); });
        return;
    }
    if (id.startsWith(u"chart-")) {
        done(
            charts::writeBars(barsOf(chartFactsOf(m_document, m_measuring, m_peer)), path, m_theme.isDark()));
        return;
    }
    if (id.startsWith(u"roofline-")) {
        const auto *way = m_commands.find(QStringLiteral("view.rooflineWay"));
        const charts::RooflineData data =
            rooflineOf(chartFactsOf(m_document, m_measuring, m_peer), !way || way->checked());
        done(charts::writeRoofline(data, path, m_theme.isDark()));
        return;
    }
    if (findExportKind(id)->isModel) {
        m_document.jobs().run(
            QStringLiteral("export ") + path, this,
            [model = m_model.shared(), schedules = m_model.states(), target = m_processor.appliedTo({}), id,
             path](const jobs::Job &job) {
                return writeModelExport(*model, schedules, target, id, path, job.stopToken());
            },
            [done](const std::shared_ptr<const support::Result<void>> &result) { done(*result); });
        return;
    }
    m_document.jobs().run(
        QStringLiteral("export ") + path, this,
        [session = *m_document.copy(), target = m_processor.appliedTo(m_document.session().target()), id,
         path, dialect = m_dialect](const jobs::Job &job) {
            return writeExport(session, target, id, path, dialect, job.stopToken());
        },
        [done](const std::shared_ptr<const support::Result<void>> &result) { done(*result); });
}

void ExportController::fillMenu(QMenu *menu)
{
    const auto add = [this](QMenu *to, const ExportKind &kind) {
        addCommands(to, m_commands, {QStringLiteral("export.") + kind.id});
        to->actions().back()->setText(kind.title);
    };
    std::vector<const ExportKind *> sources, pictures;
    for (const ExportKind &kind : exportKinds()) {
        if (kind.isChart)
            pictures.push_back(&kind);
        else if (backend::findSourceFormat(kind.id.toStdString()))
            sources.push_back(&kind);
        else if (!kind.isModel || m_model.isOpen())
            add(menu, kind);
    }
    addCommands(menu, m_commands, {QStringLiteral("history.recipe")});
    menu->addSeparator();
    const auto addMenu = [&](const QString &title, const std::vector<const ExportKind *> &kinds) {
        QMenu *inside = menu->addMenu(title);
        inside->setToolTipsVisible(true);
        for (const ExportKind *kind : kinds)
            add(inside, *kind);
    };
    addMenu(tr("Code"), sources);
    addMenu(tr("Graph and charts"), pictures);
    menu->addSeparator();
    m_processor.fillMenu(menu);
    QMenu *versions = menu->addMenu(tr("Scripts for TVM %1").arg(toQt(script::dialectName(m_dialect))));
    for (const script::Dialect dialect : script::allDialects)
        addCommands(versions, m_commands,
                    {QStringLiteral("export.dialect.") + toQt(script::dialectName(dialect))});
}

} // namespace nestwright::app
