// SPDX-License-Identifier: GPL-3.0-or-later
// Marks and colours of GraphCanvas: search, traces, overlays; and its menus.
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/legend.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/paint/picture_cache.h"
#include "widgets/canvas/search_box.h"
#include "widgets/document/text.h"
#include "widgets/look/link_button.h"

#include <QActionGroup>
#include <QContextMenuEvent>
#include <QMenu>
#include <QVariantAnimation>

#include <algorithm>

namespace nestwright::canvas {

bool GraphCanvas::isPainting() const { return m_pictures->isBusy() || m_moving; }

void GraphCanvas::connectParts()
{
    connect(m_fitLink, &QAbstractButton::clicked, this, qOverload<>(&GraphCanvas::fit));
    connect(m_zoomLink, &QAbstractButton::clicked, this, [this] { zoomTo(1); });
    connect(m_traceLink, &QAbstractButton::clicked, this, [this] { setTrace(Trace::None); });
    connect(m_overlayLink, &QAbstractButton::clicked, this, [this] {
        QMenu menu(this);
        fillOverlayMenu(&menu);
        menu.exec(m_overlayLink->mapToGlobal(QPoint(0, -menu.sizeHint().height())));
    });
    connect(m_minimap, &Minimap::centreWanted, this, [this](const QPointF &centre) {
        putAt(centre, m_room.center());
        m_seen = Seen::Chosen;
        moved();
    });
    connect(m_pictures, &PictureCache::ready, this, qOverload<>(&QWidget::update));
    m_motion->setStartValue(0.0);
    m_motion->setEndValue(1.0);
    m_motion->setEasingCurve(QEasingCurve::OutCubic);
    connect(m_motion, &QVariantAnimation::valueChanged, this, qOverload<>(&QWidget::update));
    connect(m_motion, &QVariantAnimation::finished, this, [this] {
        m_moving.reset();
        update();
    });
    connect(m_search, &SearchBox::changed, this, &GraphCanvas::updateLook);
    connect(m_search, &SearchBox::currentChanged, this, [this](bool asked) {
        const Hit hit = m_search->current();
        const Thing thing{hit.node, hit.frame};
        markCurrent();
        if (asked)
            return reveal(thing);
        const int shown = shownFor(thing);
        const int drawn = shown < 0 ? -1 : m_scene->folded.frameOf[static_cast<std::size_t>(shown)];
        m_search->setCurrentHidden(drawn >= 0 && drawn != hit.frame);
        bringIntoView(boxOfThing(thing));
    });
    connect(m_search, &SearchBox::closed, this, [this] {
        roomChanged();
        setFocus(Qt::OtherFocusReason);
    });
}

std::vector<char> GraphCanvas::tracedNodes() const
{
    std::vector<char> shown;
    if (m_traced.empty())
        return shown;
    shown.resize(m_scene->shown().nodes.size(), 0);
    for (std::size_t i = 0; i < m_traced.size(); ++i) {
        if (m_traced[i])
            shown[static_cast<std::size_t>(m_scene->folded.shownOf[i])] = 1;
    }
    return shown;
}

void GraphCanvas::setTrace(Trace direction)
{
    m_trace = m_selected ? direction : Trace::None;
    std::vector<int> starts;
    if (m_selected.node >= 0) {
        starts.push_back(m_selected.node);
    } else if (m_selected.frame >= 0 && m_trace != Trace::None) {
        std::vector<int> frames{m_selected.frame};
        for (std::size_t i = 0; i < frames.size(); ++i) { // grows as it goes
            const Frame &frame = m_whole->frames.frames[static_cast<std::size_t>(frames[i])];
            starts.insert(starts.end(), frame.nodes.begin(), frame.nodes.end());
            frames.insert(frames.end(), frame.frames.begin(), frame.frames.end());
        }
    }
    m_traced = trace(m_whole->data, starts, m_trace);
    QString text;
    if (m_trace != Trace::None) {
        const std::vector<char> shown = tracedNodes();
        const int count = static_cast<int>(std::ranges::count(shown, 1)) - 1;
        const QString nodes = document::counted(std::max(count, 0), tr("node"));
        text = m_trace == Trace::Inputs    ? tr("Inputs: %1   ✕").arg(nodes)
               : m_trace == Trace::Outputs ? tr("Outputs: %1   ✕").arg(nodes)
                                           : tr("Inputs and outputs: %1   ✕").arg(nodes);
    }
    m_traceLink->setText(text);
    m_traceLink->setVisible(!text.isEmpty());
    updateLook();
    roomChanged();
}

/// The node that the search is at.
void GraphCanvas::markCurrent()
{
    const Hit hit = m_search->found() ? m_search->current() : Hit();
    m_marks.current = shownFor({hit.node, hit.frame});
}

/// Search, trace and overlay as one look of the scene.
void GraphCanvas::updateLook()
{
    const FoldedGraph &folded = m_scene->folded;
    auto look = std::make_shared<GraphLook>();
    if (const Found *found = m_search->found(); found && found->nodes.size() == folded.shownOf.size()) {
        look->found.assign(folded.shown.nodes.size(), 0);
        for (std::size_t i = 0; i < found->nodes.size(); ++i) {
            if (found->nodes[i])
                look->found[static_cast<std::size_t>(folded.shownOf[i])] = 1;
        }
        for (const char each : look->found)
            look->dimmed.push_back(each ? 0 : 1);
    }
    if (!m_traced.empty()) {
        const std::vector<char> nodes = tracedNodes();
        look->dimmed.resize(nodes.size(), 0);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            look->dimmed[i] = look->dimmed[i] || !nodes[i] ? 1 : 0;
        QHash<int, int> indexOf;
        for (std::size_t i = 0; i < m_whole->data.nodes.size(); ++i)
            indexOf.insert(m_whole->data.nodes[i].id, static_cast<int>(i));
        look->dimmedEdges.assign(folded.shown.edges.size(), 1);
        for (std::size_t i = 0; i < folded.edgeOf.size(); ++i) {
            const GraphEdge &edge = m_whole->data.edges[i];
            if (folded.edgeOf[i] >= 0 && m_traced[static_cast<std::size_t>(indexOf.value(edge.from))]
                && m_traced[static_cast<std::size_t>(indexOf.value(edge.to))])
                look->dimmedEdges[static_cast<std::size_t>(folded.edgeOf[i])] = 0;
        }
    }
    const OverlayScale scale = overlayScale(folded.shown.nodes, m_overlay);
    if (scale.isKnown) {
        for (const GraphNode &node : folded.shown.nodes) {
            const std::optional<double> value = overlayValue(node.numbers, m_overlay);
            look->shade.push_back(value ? static_cast<float>(scale.shade(*value, m_overlay)) : -1.0F);
            look->values.push_back(value ? overlayText(*value, m_overlay) : QString());
        }
        for (const int frame : folded.open) {
            const std::optional<double> value =
                overlayValue(m_whole->frames.frames[static_cast<std::size_t>(frame)].numbers, m_overlay);
            look->frameValues.push_back(value ? overlayText(*value, m_overlay) : QString());
        }
    }
    m_look = std::move(look);
    markCurrent();
    update();
}

bool GraphCanvas::hasNumbers(Overlay overlay) const
{
    return overlay == Overlay::None || overlayScale(m_whole->data.nodes, overlay).isKnown
           || std::ranges::any_of(m_whole->data.groups, [overlay](const GraphGroup &group) {
                  return overlayValue(group.node.numbers, overlay).has_value();
              });
}

void GraphCanvas::setOverlay(Overlay overlay)
{
    if (overlay == m_overlay)
        return;
    m_overlay = overlay;
    showOverlay();
    Q_EMIT overlayChanged(overlay);
}

/// The link and the legend of the overlay; hidden where the graph has no numbers at all.
void GraphCanvas::showOverlay()
{
    const bool any = std::ranges::any_of(
        allOverlays, [this](Overlay each) { return each != Overlay::None && hasNumbers(each); });
    const OverlayScale scale = overlayScale(m_scene->shown().nodes, m_overlay);
    m_overlayLink->setText(
        (scale.isKnown || m_overlay == Overlay::None ? tr("overlay: %1 ▾") : tr("no %1 yet ▾"))
            .arg(overlayName(m_overlay)));
    m_overlayLink->setToolTip(scale.isKnown || m_overlay == Overlay::None
                                  ? tr("Choose the colours of nodes")
                                  : tr("Choose the colours of nodes: measure the model first"));
    m_overlayLink->setVisible(any);
    m_legend->setVisible(scale.isKnown);
    if (scale.isKnown)
        m_legend->setEnds(m_overlay == Overlay::Intensity ? overlayText(scale.low, m_overlay)
                                                          : QStringLiteral("0"),
                          overlayText(scale.high, m_overlay));
    updateLook();
    roomChanged();
}

void GraphCanvas::fillOverlayMenu(QMenu *menu)
{
    menu->setToolTipsVisible(true);
    auto *group = new QActionGroup(menu);
    for (const Overlay each : allOverlays) {
        QAction *action = menu->addAction(overlayName(each), this, [this, each] { setOverlay(each); });
        action->setObjectName(QStringLiteral("overlay.") + overlayId(each));
        action->setCheckable(true);
        action->setChecked(each == m_overlay);
        group->addAction(action);
        action->setEnabled(hasNumbers(each));
        if (!action->isEnabled())
            action->setToolTip(tr("Measure the model first."));
    }
}

QMenu *GraphCanvas::menuAt(const QPointF &point)
{
    auto *menu = new QMenu(this);
    Thing thing = thingAt(nodeAt(point));
    if (const int title = thing ? -1 : frameTitleAt(point); title > 0)
        thing = {-1, title};
    const auto add = [&](QMenu *to, const char *name, const QString &text, const QKeySequence &key,
                         auto run) {
        QAction *action = to->addAction(text, this, run);
        action->setObjectName(QString::fromLatin1(name));
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut); // shown only
        return action;
    };
    const auto traceFrom = [this, thing](Trace direction) {
        if (thing)
            select(thing);
        setTrace(direction);
    };
    const bool canTrace = thing || m_selected;
    add(menu, "traceInputs", tr("Trace inputs"), Qt::SHIFT | Qt::Key_Up, [=] {
        traceFrom(Trace::Inputs);
    })->setEnabled(canTrace);
    add(menu, "traceOutputs", tr("Trace outputs"), Qt::SHIFT | Qt::Key_Down, [=] {
        traceFrom(Trace::Outputs);
    })->setEnabled(canTrace);
    add(menu, "traceBoth", tr("Trace both"), {}, [=] { traceFrom(Trace::Both); })->setEnabled(canTrace);
    add(menu, "traceClear", tr("Clear trace"), Qt::Key_Escape, [this] {
        setTrace(Trace::None);
    })->setEnabled(m_trace != Trace::None);
    menu->addSeparator();
    if (const int frame = frameAround(thing); frame > 0) {
        const Frame &of = m_whole->frames.frames[static_cast<std::size_t>(frame)];
        add(menu, "toggleFrame",
            isOpen(frame) ? tr("Collapse “%1”").arg(of.title) : tr("Expand “%1”").arg(of.title),
            Qt::Key_Space, [this, frame] { toggle(frame); });
    }
    add(menu, "expandAll", tr("Expand all"), {}, [this] { setAllOpen(true); })->setEnabled(hasScopes());
    add(menu, "collapseAll", tr("Collapse all"), {}, [this] {
        setAllOpen(false);
    })->setEnabled(m_whole->frames.frames.size() > 1);
    menu->addSeparator();
    fillOverlayMenu(menu->addMenu(tr("Overlay")));
    add(menu, "find", tr("Find nodes…"), QKeySequence::Find, [this] { openSearch(); });
    add(menu, "fit", tr("Show the whole graph"), Qt::Key_0, [this] { fit(); });
    menu->addSeparator();
    add(menu, "exportPng", tr("Export graph as PNG…"), {},
        [this] { Q_EMIT exportRequested(QStringLiteral("png")); });
    add(menu, "exportSvg", tr("Export graph as SVG…"), {},
        [this] { Q_EMIT exportRequested(QStringLiteral("svg")); });
    return menu;
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent *event)
{
    if (m_scene->shown().nodes.empty())
        return event->ignore();
    QPoint at = event->pos();
    if (event->reason() == QContextMenuEvent::Keyboard && m_marks.selected >= 0)
        at = nodeRect(m_marks.selected).center().toPoint();
    QMenu *menu = menuAt(at);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(mapToGlobal(at));
}

} // namespace nestwright::canvas
