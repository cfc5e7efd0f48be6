// SPDX-License-Identifier: GPL-3.0-or-later
/// The graph of a model or of one kernel: laid out off the UI thread, zoomed, panned, searched, clicked.
#pragma once

#include "widgets/canvas/graph_data.h"
#include "widgets/canvas/graph_painter.h"
#include "widgets/canvas/layered_layout.h"

#include <QWidget>

#include <memory>

class QLabel;

namespace nestwright::jobs {
class JobRunner;
}
namespace nestwright::look {
class EmptyState;
class LinkButton;
} // namespace nestwright::look

namespace nestwright::canvas {

class Minimap;
class SearchBox;

/// Wheel zooms at the pointer, dragging pans; dragging a node that stands for a buffer carries the buffer. Keys: arrows go along edges and across a layer, Enter opens the
/// node, + and - zoom, 0 fits, Ctrl+F searches. Other keys are left to the window.
class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    explicit GraphCanvas(jobs::JobRunner &jobs, QWidget *parent = nullptr);
    ~GraphCanvas() override;

    /// Shows another graph as soon as it is laid out; until then the former one stays. Nodes that both have
    /// keep their place as far as they can, and the view stays if any is left; `Anew` neither.
    enum Places { Kept, Anew };
    void setGraph(GraphData graph, Places places = Kept);
    const GraphData &graph() const { return *m_graph; }
    bool isLaidOut() const { return m_laidOut; }

    /// The selected node by id, without a signal; any other id selects none.
    void setSelected(int id);
    /// Selects it, without a signal, and moves the view to it where it cannot be seen.
    void reveal(int id);
    int selectedIndex() const { return m_marks.selected; }
    int selectedId() const; ///< -1: none

    /// Shows the nodes' costs as colour and text.
    void setOverlay(bool shown, const QString &name = {});

    double zoom() const { return m_scale; }
    /// Where a node is on this widget.
    QRectF nodeRect(int index) const;
    SearchBox *searchBox() const { return m_search; }

public Q_SLOTS:
    void fit();
    void zoomTo(double scale);
    void openSearch();

Q_SIGNALS:
    void nodeClicked(int id);
    /// Double click or Enter.
    void nodeActivated(int id);
    void nodeHovered(int id); ///< -1: none
    void laidOut();
    /// The buttons of the empty state.
    void openRequested();
    void examplesRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool event(QEvent *event) override;

private:
    void takeLayout(std::shared_ptr<const GraphData> graph, const GraphLayout &layout, Places places = Kept);
    void showEmpty(bool empty);
    QPointF toGraph(const QPointF &point) const;
    QPointF fromGraph(const QPointF &point) const;
    QRectF visibleRect() const;
    int nodeAt(const QPointF &point) const;
    int edgeAt(const QPointF &point) const;
    QString toolTipAt(const QPointF &point) const;
    void zoomAt(const QPointF &point, double scale);
    void dragBuffer(const GraphNode &node);
    void select(int index);
    void step(int key);
    void bringIntoView(int index);
    void moved();
    void placeOverlays();

    jobs::JobRunner &m_jobs;
    const QString m_jobKey;
    std::shared_ptr<const GraphData> m_graph;
    GraphLayout m_layout;
    GraphMarks m_marks;
    bool m_laidOut = false;

    double m_scale = 1;
    QPointF m_centre;     // of the view, in the graph's coordinates
    bool m_fitted = true; // the view follows the size of the widget until the user moves it
    QPointF m_pressed;
    bool m_panning = false;
    bool m_showFocus = false;

    look::EmptyState *m_empty;
    Minimap *m_minimap;
    SearchBox *m_search;
    look::LinkButton *m_fitLink;
    look::LinkButton *m_zoomLink;
    QLabel *m_overlayName;
};

} // namespace nestwright::canvas
