// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/graph_canvas.h"

#include "widgets/canvas/minimap.h"
#include "widgets/canvas/search_box.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/empty_state.h"
#include "widgets/look/fonts.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QLabel>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double smallestScale = 0.01, largestScale = 4;
constexpr QMarginsF fitMargins(12, 20, 12, 42); // the row of links lies at the bottom

/// Whether two graphs are drawn with the same boxes and lines.
bool sameStructure(const GraphData &a, const GraphData &b)
{
    return std::ranges::equal(a.nodes, b.nodes,
                              [](const GraphNode &x, const GraphNode &y) {
                                  return x.id == y.id && nodeSize(x) == nodeSize(y);
                              })
           && std::ranges::equal(a.edges, b.edges, [](const GraphEdge &x, const GraphEdge &y) {
                  return x.from == y.from && x.to == y.to;
              });
}

} // namespace

GraphCanvas::GraphCanvas(jobs::JobRunner &jobs, QWidget *parent)
    : QWidget(parent)
    , m_jobs(jobs)
    , m_jobKey(QStringLiteral("graph layout %1").arg(reinterpret_cast<quintptr>(this), 0, 16))
    , m_graph(std::make_shared<GraphData>())
    , m_empty(new look::EmptyState(
          tr("Open a model, or start from an example"),
          tr("A kernel's graph appears here: its inputs, its stages, what flows between them"), this))
    , m_minimap(new Minimap(this))
    , m_search(new SearchBox(this))
    , m_fitLink(new look::LinkButton(tr("Fit"), this))
    , m_zoomLink(new look::LinkButton(QStringLiteral("100 %"), this))
    , m_overlayName(new QLabel(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph"));
    look::Button *open = m_empty->addButton(tr("Open…"), true);
    look::Button *examples = m_empty->addButton(tr("Examples"));
    connect(open, &QPushButton::clicked, this, &GraphCanvas::openRequested);
    connect(examples, &QPushButton::clicked, this, &GraphCanvas::examplesRequested);
    for (look::LinkButton *link : {m_fitLink, m_zoomLink}) {
        link->setFont(look::interfaceFont(11.5));
        link->setQuiet(true);
    }
    m_overlayName->setFont(look::interfaceFont(11.5));
    m_overlayName->setProperty("role", "secondary");
    m_fitLink->setToolTip(tr("Show the whole graph (0)"));
    m_zoomLink->setToolTip(tr("Show at 100 %"));
    connect(m_fitLink, &QAbstractButton::clicked, this, &GraphCanvas::fit);
    connect(m_zoomLink, &QAbstractButton::clicked, this, [this] { zoomTo(1); });
    connect(m_minimap, &Minimap::centreWanted, this, [this](const QPointF &centre) {
        m_centre = centre;
        m_fitted = false;
        moved();
    });
    connect(m_search, &SearchBox::changed, this, [this] {
        m_marks.found = m_search->found();
        update();
    });
    connect(m_search, &SearchBox::currentChanged, this, [this](int node) {
        m_marks.hovered = node;
        bringIntoView(node);
    });
    connect(m_search, &SearchBox::closed, this, [this] { setFocus(Qt::OtherFocusReason); });
    showEmpty(true);
}

GraphCanvas::~GraphCanvas() { m_jobs.cancel(m_jobKey); }

void GraphCanvas::setGraph(GraphData graph, Places places)
{
    auto shared = std::make_shared<const GraphData>(std::move(graph));
    m_laidOut = false;
    if (shared->nodes.empty()) {
        m_jobs.cancel(m_jobKey);
        takeLayout(std::move(shared), {});
        return;
    }
    if (places == Kept && sameStructure(*shared, *m_graph)) { // other costs or texts: nothing moves
        m_jobs.cancel(m_jobKey);
        return takeLayout(std::move(shared), GraphLayout(m_layout));
    }
    const FormerLayout before = places == Kept ? FormerLayout(*m_graph, m_layout) : FormerLayout();
    m_jobs.run(
        m_jobKey, this,
        [shared, before](const jobs::Job &job) { return layOut(*shared, before, job.stopToken()); },
        [this, shared, places](const std::shared_ptr<const GraphLayout> &layout) {
            takeLayout(shared, *layout, places);
        });
}

void GraphCanvas::takeLayout(std::shared_ptr<const GraphData> graph, const GraphLayout &layout, Places places)
{
    const auto idAt = [](const GraphData &data, int index) {
        return index < 0 ? -1 : data.nodes[static_cast<std::size_t>(index)].id;
    };
    const int selected = idAt(*m_graph, m_marks.selected);
    QHash<int, int> before;
    for (const GraphNode &node : m_graph->nodes)
        before.insert(node.id, 1);
    const bool related =
        std::ranges::any_of(graph->nodes, [&](const GraphNode &node) { return before.contains(node.id); });

    m_graph = std::move(graph);
    m_layout = layout;
    m_marks.hovered = -1;
    m_search->setGraph(m_graph.get());
    m_marks.found = m_search->found();
    m_minimap->setBoxes(&m_layout.boxes, m_layout.bounds);
    setSelected(selected);
    showEmpty(m_graph->nodes.empty());
    setAccessibleDescription(tr("%n node(s)", nullptr, static_cast<int>(m_graph->nodes.size())));
    if (!related || m_fitted || places == Anew)
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
                            static_cast<QWidget *>(m_zoomLink), static_cast<QWidget *>(m_overlayName)})
        widget->setVisible(!empty);
    placeOverlays();
}

int GraphCanvas::selectedId() const
{
    return m_marks.selected < 0 ? -1 : m_graph->nodes[static_cast<std::size_t>(m_marks.selected)].id;
}

void GraphCanvas::setSelected(int id)
{
    const auto found = std::ranges::find(m_graph->nodes, id, &GraphNode::id);
    m_marks.selected = found == m_graph->nodes.end() ? -1 : static_cast<int>(found - m_graph->nodes.begin());
    update();
}

void GraphCanvas::reveal(int id)
{
    setSelected(id);
    if (m_marks.selected >= 0 && !m_layout.boxes.empty())
        bringIntoView(m_marks.selected);
}

void GraphCanvas::setOverlay(bool shown, const QString &name)
{
    m_marks.overlay = shown;
    m_overlayName->setText(shown ? tr("overlay: %1").arg(name) : QString());
    placeOverlays();
    update();
}

QPointF GraphCanvas::toGraph(const QPointF &point) const
{
    return m_centre + (point - QRectF(rect()).center()) / m_scale;
}

QPointF GraphCanvas::fromGraph(const QPointF &point) const
{
    return QRectF(rect()).center() + (point - m_centre) * m_scale;
}

QRectF GraphCanvas::visibleRect() const
{
    return {toGraph(QPointF(0, 0)), toGraph(QPointF(width(), height()))};
}

QRectF GraphCanvas::nodeRect(int index) const
{
    const QRectF &box = m_layout.boxes[static_cast<std::size_t>(index)];
    return {fromGraph(box.topLeft()), fromGraph(box.bottomRight())};
}

void GraphCanvas::fit()
{
    if (m_layout.boxes.empty())
        return;
    const QRectF inner = QRectF(rect()).marginsRemoved(fitMargins);
    const QRectF &bounds = m_layout.bounds;
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
    if (m_graph->nodes.empty())
        return;
    m_search->open();
    placeOverlays();
}

void GraphCanvas::bringIntoView(int index)
{
    const QRectF box = nodeRect(index);
    if (!QRectF(rect()).adjusted(8, 8, -8, -40).contains(box)) {
        m_centre = m_layout.boxes[static_cast<std::size_t>(index)].center();
        m_fitted = false;
        moved();
    }
    update();
}

void GraphCanvas::moved()
{
    m_minimap->setSeen(visibleRect());
    m_zoomLink->setText(tr("%1 %").arg(std::round(m_scale * 100)));
    placeOverlays();
    update();
}

void GraphCanvas::placeOverlays()
{
    m_empty->setGeometry(rect());
    m_minimap->move(width() - m_minimap->width() - 12, height() - m_minimap->height() - 10);
    const bool roomForMap = width() > 200 && height() > 180;
    m_minimap->setVisible(roomForMap && !m_graph->nodes.empty());
    int x = 12;
    for (look::LinkButton *link : {m_fitLink, m_zoomLink}) {
        link->resize(link->sizeHint());
        link->move(x, height() - link->height() - 10);
        x += link->width() + 14;
    }
    m_overlayName->adjustSize();
    const bool besideLinks = !m_minimap->isVisibleTo(this) || x + m_overlayName->width() < m_minimap->x();
    m_overlayName->move(besideLinks ? x : 12,
                        besideLinks ? m_fitLink->y() + (m_fitLink->height() - m_overlayName->height()) / 2
                                    : m_fitLink->y() - m_overlayName->height() - 2);
    const int wanted = std::min(width() - 16, std::max(250, m_search->sizeHint().width()));
    m_search->setGeometry(width() - wanted - 8, 6, wanted, m_search->sizeHint().height());
}

void GraphCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    painter.fillRect(rect(), t.pane);
    if (!m_layout.boxes.empty()) {
        painter.save();
        painter.translate(QRectF(rect()).center());
        painter.scale(m_scale, m_scale);
        painter.translate(-m_centre);
        paintGraph(painter, *m_graph, m_layout, m_marks, visibleRect(), m_scale, t);
        painter.restore();
    }
    if (m_showFocus && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 4, 4);
    }
}

} // namespace nestwright::canvas
