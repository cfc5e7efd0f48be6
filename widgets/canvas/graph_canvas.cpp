// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/graph_canvas.h"

#include "widgets/canvas/legend.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/paint/picture_cache.h"
#include "widgets/canvas/search_box.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/empty_state.h"
#include "widgets/look/fonts.h"
#include "widgets/look/link_button.h"
#include "widgets/look/patience.h"
#include "widgets/look/tokens.h"

#include <QPainter>
#include <QTimer>
#include <QVariantAnimation>

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr int readable = 300; // things to be seen of a graph to begin with, where its names have scopes

bool sameNode(const GraphNode &a, const GraphNode &b)
{
    return a.id == b.id && a.scope == b.scope && nodeSize(a) == nodeSize(b);
}

/// Whether two graphs are drawn with the same boxes and lines.
bool sameStructure(const GraphData &a, const GraphData &b)
{
    return std::ranges::equal(a.nodes, b.nodes, sameNode)
           && std::ranges::equal(
               a.edges, b.edges,
               [](const GraphEdge &x, const GraphEdge &y) { return x.from == y.from && x.to == y.to; })
           && std::ranges::equal(a.groups, b.groups, [](const GraphGroup &x, const GraphGroup &y) {
                  return x.path == y.path && sameNode(x.node, y.node);
              });
}

} // namespace

GraphCanvas::GraphCanvas(jobs::JobRunner &jobs, QWidget *parent)
    : QWidget(parent)
    , AccessibleItems(QAccessible::Canvas)
    , m_jobs(jobs)
    , m_jobKey(QStringLiteral("graph layout %1").arg(reinterpret_cast<quintptr>(this), 0, 16))
    , m_whole(std::make_shared<Whole>(Whole{{}, makeFrames({})}))
    , m_open{1}
    , m_scene(std::make_shared<Scene>())
    , m_look(std::make_shared<GraphLook>())
    , m_motion(new QVariantAnimation(this))
    , m_empty(new look::EmptyState(
          tr("Open a model, or start from an example"),
          tr("A kernel's graph appears here: its inputs, its stages, the buffers between them"), this))
    , m_minimap(new Minimap(this))
    , m_search(new SearchBox(this))
    , m_fitLink(new look::LinkButton(tr("Fit"), this))
    , m_zoomLink(new look::LinkButton(QStringLiteral("100 %"), this))
    , m_overlayLink(new look::LinkButton({}, this))
    , m_traceLink(new look::LinkButton({}, this))
    , m_legend(new Legend(this))
    , m_pictures(new PictureCache(this))
    , m_otherWait(new QTimer(this))
{
    m_otherWait->setSingleShot(true);
    m_otherWait->setInterval(look::otherDocumentMs);
    connect(m_otherWait, &QTimer::timeout, this, &GraphCanvas::forgetOther);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph"));
    look::Button *open = m_empty->addButton(tr("Open…"), true);
    look::Button *examples = m_empty->addButton(tr("Examples"));
    connect(open, &QPushButton::clicked, this, &GraphCanvas::openRequested);
    connect(examples, &QPushButton::clicked, this, &GraphCanvas::examplesRequested);
    for (look::LinkButton *link : {m_fitLink, m_zoomLink, m_overlayLink, m_traceLink}) {
        link->setFont(look::interfaceFont(11.5));
        link->setQuiet(true);
    }
    m_fitLink->setToolTip(tr("Show the whole graph (0)"));
    m_zoomLink->setToolTip(tr("Show at 100 %"));
    m_traceLink->hide();
    m_traceLink->setToolTip(tr("Show everything again (Esc)"));
    connectParts();
    showEmpty(true);
}

GraphCanvas::~GraphCanvas() { m_jobs.cancel(m_jobKey); }

/// Shows nothing rather than the graph of what was open before, until the new one is laid out.
void GraphCanvas::forgetOther()
{
    if (m_laidOut)
        return;
    takeScene(
        {std::make_shared<const Whole>(Whole{{}, makeFrames({})}), {1}, std::make_shared<const Scene>()});
    m_laidOut = false;
    m_empty->hide();
}

void GraphCanvas::setGraph(GraphData graph, Places places)
{
    m_laidOut = false;
    m_jobs.cancel(m_jobKey);
    if (graph.subject != m_whole->data.subject) {
        m_toggled.clear();
        m_wanted = -1;
        places = Anew;
        m_otherWait->start();
    }
    if (graph.nodes.empty()) {
        m_toggled.clear();
        auto whole = std::make_shared<const Whole>(Whole{{}, makeFrames({})});
        return takeScene({std::move(whole), {1}, std::make_shared<const Scene>()});
    }
    const bool hasScene =
        !m_whole->data.nodes.empty() && m_scene->folded.shownOf.size() == m_whole->data.nodes.size();
    if (places == Kept && hasScene
        && sameStructure(graph, m_whole->data)) { // other costs or texts: nothing moves
        FrameTree frames = makeFrames(graph);
        auto whole = std::make_shared<const Whole>(Whole{std::move(graph), std::move(frames)});
        FoldedGraph folded = fold(whole->data, whole->frames, m_open);
        if (folded.open == m_scene->folded.open)
            return takeScene(
                {whole, m_open, std::make_shared<const Scene>(withTexts(*m_scene, std::move(folded)))});
        m_whole = std::move(whole);
        return layOutAgain(0);
    }
    const FormerLayout before = places == Kept
                                    ? FormerLayout(m_scene->shown(), m_scene->layout, m_scene->folded.nesting)
                                    : FormerLayout();
    m_jobs.run(
        m_jobKey, this,
        [given = std::move(graph), before, toggled = m_toggled](const jobs::Job &job) {
            FrameTree frames = makeFrames(given);
            std::vector<char> open = readableFrames(frames, readable);
            for (std::size_t i = 1; i < open.size(); ++i)
                open[i] = toggled.value(frames.frames[i].path, open[i]) ? 1 : 0;
            FoldedGraph folded = fold(given, frames, open);
            GraphLayout layout = layOut(folded.shown, folded.nesting, before, job.stopToken());
            return Laid{std::make_shared<const Whole>(Whole{given, std::move(frames)}), std::move(open),
                        std::make_shared<const Scene>(makeScene(std::move(folded), std::move(layout)))};
        },
        [this, places](const std::shared_ptr<const Laid> &laid) {
            const auto before = m_scene;
            const QTransform view = toWidget();
            takeScene(*laid, places);
            if (places == Kept)
                moveFrom(before, view);
        });
}

void GraphCanvas::takeScene(const Laid &laid, Places places)
{
    QHash<int, int> before;
    for (const GraphNode &node : m_whole->data.nodes)
        before.insert(node.id, 1);
    const bool related = std::ranges::any_of(laid.whole->data.nodes,
                                             [&](const GraphNode &node) { return before.contains(node.id); });
    const Thing same = laid.whole == m_whole ? m_selected : Thing();
    m_motion->stop();
    m_moving.reset();

    m_whole = laid.whole;
    m_open = laid.open;
    m_scene = laid.scene;
    m_marks = {};
    m_selected = same ? same : thingOf(m_wanted);
    m_search->setGraph(&m_whole->data, &m_whole->frames);
    m_minimap->setBoxes(&m_scene->layout.boxes, m_scene->layout.bounds);
    setTrace(related && m_selected ? m_trace : Trace::None);
    markSelected();
    showEmpty(m_scene->shown().nodes.empty());
    setAccessibleDescription(tr("%n node(s)", nullptr, static_cast<int>(m_scene->shown().nodes.size())));
    if (!related || places == Anew)
        showFirst();
    else if (m_seen != Seen::Chosen)
        refit();
    else
        moved();
    if (related && m_seen == Seen::Part && m_selected)
        bringIntoView(boxOfThing(m_selected)); // beside a pane that is narrow the graph goes on
    m_laidOut = true;
    Q_EMIT laidOut();
}

void GraphCanvas::showEmpty(bool empty)
{
    m_empty->setVisible(empty);
    m_fitLink->setVisible(!empty);
    m_zoomLink->setVisible(!empty);
    showOverlay();
}

void GraphCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    painter.fillRect(rect(), t.pane);
    if (!m_scene->layout.boxes.empty()) {
        const GraphView view{visibleRect(), m_scale};
        const auto scene =
            m_moving ? std::make_shared<const Scene>(m_moving->at(m_motion->currentValue().toDouble()))
                     : m_scene;
        const bool quick = m_moving || isQuick(*scene, view);
        if (!quick)
            m_pictures->paint(painter, {scene, m_look, &t, view, devicePixelRatioF()});
        painter.save();
        painter.setTransform(toWidget(), true);
        if (quick)
            paintGraph(painter, *scene, *m_look, view, t);
        paintMarks(painter, *scene, *m_look, m_marks, view, t);
        painter.restore();
        paintEdgesOfRoom(painter, t);
    }
    if (m_showFocus && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 4, 4);
    }
}

/// Clips the graph below the overlays at the top and the bottom; a line where the graph goes on there.
void GraphCanvas::paintEdgesOfRoom(QPainter &painter, const look::Tokens &t) const
{
    const QRectF graph = rectOf(m_scene->layout.bounds);
    painter.setPen(QPen(t.hairline, 1));
    if (m_room.top() > 0) {
        painter.fillRect(QRectF(0, 0, width(), m_room.top()), t.pane);
        if (graph.top() < m_room.top())
            painter.drawLine(QPointF(0, m_room.top() - 0.5), QPointF(width(), m_room.top() - 0.5));
    }
    painter.fillRect(QRectF(0, m_room.bottom(), width(), height() - m_room.bottom()), t.pane);
    if (graph.bottom() > m_room.bottom())
        painter.drawLine(QPointF(0, m_room.bottom() + 0.5), QPointF(width(), m_room.bottom() + 0.5));
}

} // namespace nestwright::canvas
