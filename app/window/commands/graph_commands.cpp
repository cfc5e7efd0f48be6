// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/graph_commands.h"

#include "app/window/frame/window_settings.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"

#include <QCoreApplication>

namespace nestwright::app {

using canvas::Overlay;
using canvas::Trace;

namespace {
struct GraphText {
    Q_DECLARE_TR_FUNCTIONS(GraphCommands)
};
const QString overlaySetting = QStringLiteral("graphOverlay");
} // namespace

void addGraphCommands(document::CommandRegistry &commands, WindowSettings &settings,
                      canvas::GraphCanvas &graph)
{
    const auto needsGraph = [&graph] {
        return graph.graph().nodes.empty() ? GraphText::tr("Open a kernel or a model first.") : QString();
    };
    const auto needsFrames = [&graph] {
        return graph.frames().frames.size() > 1 ? QString() : GraphText::tr("This graph has no frames.");
    };
    const auto needsNode = [&graph] {
        return graph.selectedId() == -1 ? GraphText::tr("Select a node of the graph first.") : QString();
    };
    const auto add = [&commands](const char *id, const QString &title, const auto &run,
                                 const auto &unavailable) {
        commands.add({.id = QStringLiteral("graph.") + QString::fromLatin1(id),
                      .title = title,
                      .group = GraphText::tr("Graph"),
                      .run = run,
                      .unavailable = unavailable});
    };
    add("find", GraphText::tr("Find nodes of the graph…"), [&graph] { graph.openSearch(); }, needsGraph);
    add(
        "expandAll", GraphText::tr("Expand all frames of the graph"), [&graph] { graph.setAllOpen(true); },
        needsFrames);
    add(
        "collapseAll", GraphText::tr("Collapse all frames of the graph"),
        [&graph] { graph.setAllOpen(false); }, needsFrames);
    add(
        "traceInputs", GraphText::tr("Trace inputs of the node"), [&graph] { graph.setTrace(Trace::Inputs); },
        needsNode);
    add(
        "traceOutputs", GraphText::tr("Trace outputs of the node"),
        [&graph] { graph.setTrace(Trace::Outputs); }, needsNode);
    add(
        "traceClear", GraphText::tr("Clear the trace"), [&graph] { graph.setTrace(Trace::None); },
        [&graph] { return graph.traced() == Trace::None ? GraphText::tr("Nothing is traced.") : QString(); });
    for (const Overlay each : canvas::allOverlays)
        commands.add({.id = QStringLiteral("graph.overlay.") + overlayId(each),
                      .title = GraphText::tr("Overlay of the graph: %1").arg(overlayName(each)),
                      .group = GraphText::tr("Overlay"),
                      .run = [&graph, each] { graph.setOverlay(each); },
                      .unavailable =
                          [&graph, each] {
                              return graph.hasNumbers(each)
                                         ? QString()
                                         : GraphText::tr("Open a model and measure it first.");
                          },
                      .checked = [&graph, each] { return graph.overlay() == each; }});
    for (const Overlay each : canvas::allOverlays) {
        if (settings.value(overlaySetting).toString() == overlayId(each))
            graph.setOverlay(each);
    }
    QObject::connect(&graph, &canvas::GraphCanvas::overlayChanged, &graph,
                     [&settings](Overlay overlay) { settings.setValue(overlaySetting, overlayId(overlay)); });
}

} // namespace nestwright::app
