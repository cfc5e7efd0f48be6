// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/graph_canvas.h"

#include "widgets/canvas/legend.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/picture_cache.h"
#include "widgets/canvas/search_box.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/empty_state.h"
#include "widgets/look/fonts.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QPainter>
#include <QVariantAnimation>

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double legibleScale = 0.7; // texts are painted, and can be read
constexpr double smallestScale = 0.002, largestScale = 4;
constexpr double fitMargin = 12;
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
    , m_jobs(jobs)
    , m_jobKey(QStringLiteral("graph layout %1").arg(reinterpret_cast<quintptr>(this), 0, 16))
    , m_whole(std::make_shared<Whole>(Whole{{}, makeFrames({})}))
    , m_open{1}
    , m_scene(std::make_shared<Scene>())
    , m_look(std::make_shared<GraphLook>())
    , m_motion(new QVariantAnimation(this))
    , m_empty(new look::EmptyState(
          tr("Open a model, or start from an example"),
          tr("A kernel's graph appears here: its inputs, its stages, what flows between them"), this))
    , m_minimap(new Minimap(this))
    , m_search(new SearchBox(this))
    , m_fitLink(new look::LinkButton(tr("Fit"), this))
    , m_zoomLink(new look::LinkButton(QStringLiteral("100 %"), this))
    , m_overlayLink(new look::LinkButton({}, this))
    , m_traceLink(new look::LinkButton({}, this))
    , m_legend(new Legend(this))
    , m_pictures(new PictureCache(this))
{
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
    m_traceLink->setToolTip(tr("Show everything again (Esc)"));
    connectParts();
    showEmpty(true);
}

GraphCanvas::~GraphCanvas() { m_jobs.cancel(m_jobKey); }

void GraphCanvas::setGraph(GraphData graph, Places places)
{
    m_laidOut = false;
    m_jobs.cancel(m_jobKey);
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
    const int selected = selectedId();
    const bool wasInGroup = m_selected.node >= 0;
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
    if (same)
        m_selected = same;
    else if (selected != -1 || wasInGroup)
        m_selected = thingOf(selected);
    m_search->setGraph(&m_whole->data, &m_whole->frames);
    m_minimap->setBoxes(&m_scene->layout.boxes, m_scene->layout.bounds);
    setTrace(related && m_selected ? m_trace : Trace::None);
    markSelected();
    showEmpty(m_scene->shown().nodes.empty());
    setAccessibleDescription(tr("%n node(s)", nullptr, static_cast<int>(m_scene->shown().nodes.size())));
    if (!related || places == Anew)
        showFirst();
    else if (m_fitted)
        fit();
    else
        moved();
    m_laidOut = true;
    Q_EMIT laidOut();
}

void GraphCanvas::showEmpty(bool empty)
{
    m_empty->setVisible(empty);
    for (QWidget *widget : {static_cast<QWidget *>(m_minimap), static_cast<QWidget *>(m_fitLink),
                            static_cast<QWidget *>(m_zoomLink)})
        widget->setVisible(!empty);
    showOverlay();
}

QPointF GraphCanvas::toGraph(const QPointF &point) const
{
    return m_centre + (point - QRectF(rect()).center()) / m_scale;
}

QPointF GraphCanvas::fromGraph(const QPointF &point) const
{
    return QRectF(rect()).center() + (point - m_centre) * m_scale;
}

QTransform GraphCanvas::toWidget() const
{
    const QPointF middle = QRectF(rect()).center();
    return QTransform::fromTranslate(-m_centre.x(), -m_centre.y()) * QTransform::fromScale(m_scale, m_scale)
           * QTransform::fromTranslate(middle.x(), middle.y());
}

QRectF GraphCanvas::rectOf(const QRectF &box) const
{
    return {fromGraph(box.topLeft()), fromGraph(box.bottomRight())};
}

QRectF GraphCanvas::visibleRect() const
{
    return {toGraph(QPointF(0, 0)), toGraph(QPointF(width(), height()))};
}

QRectF GraphCanvas::nodeRect(int index) const
{
    return rectOf(m_scene->layout.boxes[static_cast<std::size_t>(index)]);
}

void GraphCanvas::fit()
{
    if (m_scene->layout.boxes.empty())
        return;
    placeOverlays(); // links and legend lie at the bottom
    const QRectF inner(fitMargin, 20, width() - 2 * fitMargin, m_linksTop - fitMargin - 20);
    const QRectF &bounds = m_scene->layout.bounds;
    m_scale = std::clamp(std::min(inner.width() / std::max(1.0, bounds.width()),
                                  inner.height() / std::max(1.0, bounds.height())),
                         smallestScale, 1.0);
    // A small graph stands at the top, as a text would; a large one fills the room anyway.
    const QPointF middle = QRectF(rect()).center();
    const double top = inner.top() + std::min(16.0, (inner.height() - bounds.height() * m_scale) / 2);
    m_centre = QPointF(bounds.center().x() - (inner.center().x() - middle.x()) / m_scale,
                       bounds.top() + (middle.y() - top) / m_scale);
    m_fitted = true;
    moved();
}

void GraphCanvas::showFirst()
{
    fit();
    if (m_scale >= legibleScale || m_scene->layout.boxes.empty())
        return;
    // As a whole it would be a thread: its beginning, or what is selected, can be read instead.
    const QRectF &bounds = m_scene->layout.bounds;
    m_scale = legibleScale;
    m_centre = QPointF(bounds.center().x(), bounds.top() + (height() / 2.0 - fitMargin) / m_scale);
    m_fitted = false;
    moved();
    if (m_selected)
        bringIntoView(boxOfThing(m_selected));
}

void GraphCanvas::zoomAt(const QPointF &point, double scale)
{
    scale = std::clamp(scale, smallestScale, largestScale);
    const QPointF fixed = toGraph(point);
    m_scale = scale;
    m_centre += fixed - toGraph(point);
    m_fitted = false;
    moved();
}

void GraphCanvas::zoomTo(double scale) { zoomAt(QRectF(rect()).center(), scale); }

void GraphCanvas::openSearch()
{
    if (m_scene->shown().nodes.empty())
        return;
    m_search->open();
    placeOverlays();
}

void GraphCanvas::bringIntoView(const QRectF &box)
{
    if (!QRectF(rect()).adjusted(8, 8, -8, -40).contains(rectOf(box))) {
        m_centre = box.center();
        m_fitted = false;
        moved();
    }
    update();
}

void GraphCanvas::moved()
{
    m_minimap->setSeen(visibleRect());
    m_zoomLink->setText(m_scale < 0.01 ? tr("%1 %").arg(m_scale * 100, 0, 'f', 1)
                                       : tr("%1 %").arg(std::round(m_scale * 100)));
    placeOverlays();
    update();
}

void GraphCanvas::placeOverlays()
{
    m_empty->setGeometry(rect());
    m_minimap->move(width() - m_minimap->width() - 12, height() - m_minimap->height() - 10);
    const bool roomForMap = width() > 200 && height() > 180;
    m_minimap->setVisible(roomForMap && !m_scene->shown().nodes.empty());
    int x = 12;
    const int right = m_minimap->isVisibleTo(this) ? m_minimap->x() - 8 : width();
    int y = height() - m_fitLink->sizeHint().height() - 10;
    const auto place = [&](QWidget *widget, int gap) {
        widget->resize(widget->sizeHint());
        if (x > 12 && x + widget->width() > right) {
            x = 12;
            y -= m_fitLink->height() + 4;
        }
        if (x + widget->width() > right) // too wide to stand beside the map
            y = std::min(y, m_minimap->y() - m_fitLink->height() - 6);
        widget->move(x, y + (m_fitLink->height() - widget->height()) / 2);
        x += widget->width() + gap;
    };
    place(m_fitLink, 14);
    place(m_zoomLink, 14);
    if (m_overlayLink->isVisibleTo(this))
        place(m_overlayLink, 10);
    if (m_legend->isVisibleTo(this))
        place(m_legend, 0);
    m_linksTop = y;
    m_traceLink->resize(m_traceLink->sizeHint().boundedTo(QSize(width() - 24, height())));
    m_traceLink->move(12, 8);
    const int wanted = std::min(width() - 16, std::max(330, m_search->sizeHint().width()));
    m_search->setGeometry(width() - wanted - 8, 6, wanted, m_search->sizeHint().height());
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
        // What stands in the corner can be read above any node.
        QRect corner;
        for (const QWidget *widget :
             {static_cast<QWidget *>(m_fitLink), static_cast<QWidget *>(m_zoomLink),
              static_cast<QWidget *>(m_overlayLink), static_cast<QWidget *>(m_legend)}) {
            if (widget->isVisible())
                corner |= widget->geometry();
        }
        QColor veil = t.pane;
        veil.setAlphaF(0.9F);
        painter.fillRect(QRect(QPoint(0, corner.top() - 6), QPoint(corner.right() + 8, height())), veil);
    }
    if (m_showFocus && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 4, 4);
    }
}

} // namespace nestwright::canvas
