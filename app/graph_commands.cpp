// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands for the canvas: frames, traces, overlays, search.
#include "app/main_window.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"

#include <QSettings>

namespace nestwright::app {

using canvas::Overlay;
using canvas::Trace;

namespace {
const QString overlaySetting = QStringLiteral("graphOverlay");
}

void MainWindow::addGraphCommands()
{
    const auto needsGraph = [this] {
        return m_graph->graph().nodes.empty() ? tr("Open a kernel or a model first.") : QString();
    };
    const auto needsFrames = [this] {
        return m_graph->frames().frames.size() > 1 ? QString() : tr("This graph has no frames.");
    };
    const auto needsNode = [this] {
        return m_graph->selectedId() == -1 ? tr("Select a node of the graph first.") : QString();
    };
    const auto add = [this](const char *id, const QString &title, const auto &run, const auto &unavailable) {
        m_commands->add({.id = QStringLiteral("graph.") + QString::fromLatin1(id),
                         .title = title,
                         .group = tr("Graph"),
                         .run = run,
                         .unavailable = unavailable});
    };
    add("find", tr("Find nodes of the graph…"), [this] { m_graph->openSearch(); }, needsGraph);
    add(
        "expandAll", tr("Expand all frames of the graph"), [this] { m_graph->setAllOpen(true); },
        needsFrames);
    add(
        "collapseAll", tr("Collapse all frames of the graph"), [this] { m_graph->setAllOpen(false); },
        needsFrames);
    add(
        "traceInputs", tr("Trace inputs of the node"), [this] { m_graph->setTrace(Trace::Inputs); },
        needsNode);
    add(
        "traceOutputs", tr("Trace outputs of the node"), [this] { m_graph->setTrace(Trace::Outputs); },
        needsNode);
    add(
        "traceClear", tr("Clear the trace"), [this] { m_graph->setTrace(Trace::None); },
        [this] { return m_graph->traced() == Trace::None ? tr("Nothing is traced.") : QString(); });
    for (const Overlay each : canvas::allOverlays)
        m_commands->add({.id = QStringLiteral("graph.overlay.") + overlayId(each),
                         .title = tr("Overlay of the graph: %1").arg(overlayName(each)),
                         .group = tr("Overlay"),
                         .run = [this, each] { m_graph->setOverlay(each); },
                         .unavailable =
                             [this, each] {
                                 return m_graph->hasNumbers(each) ? QString()
                                                                  : tr("Open a model and measure it first.");
                             },
                         .checked = [this, each] { return m_graph->overlay() == each; }});
    for (const Overlay each : canvas::allOverlays) {
        if (!m_fresh && m_settings->value(overlaySetting).toString() == overlayId(each))
            m_graph->setOverlay(each);
    }
    connect(m_graph, &canvas::GraphCanvas::overlayChanged, this, [this](Overlay overlay) {
        if (!m_fresh)
            m_settings->setValue(overlaySetting, overlayId(overlay));
    });
    connect(m_graph, &canvas::GraphCanvas::exportRequested, this,
            [this](const QString &form) { m_commands->trigger(QStringLiteral("export.graph-") + form); });
}

} // namespace nestwright::app
