// SPDX-License-Identifier: GPL-3.0-or-later
/// The graph of a model or of one kernel: laid out off the UI thread, zoomed, panned, folded, traced,
/// searched, clicked.
#pragma once

#include "widgets/canvas/paint/graph_export.h"
#include "widgets/canvas/paint/graph_painter.h"
#include "widgets/canvas/scene/frame_tree.h"
#include "widgets/canvas/scene/graph_data.h"
#include "widgets/canvas/scene/overlay.h"
#include "widgets/canvas/scene/scene_motion.h"
#include "widgets/canvas/scene/trace.h"
#include "widgets/look/accessible_items.h"

#include <QHash>
#include <QWidget>

#include <memory>
#include <optional>

class QMenu;
class QVariantAnimation;

class QTimer;

namespace nestwright::jobs {
class JobRunner;
}
namespace nestwright::look {
class EmptyState;
class LinkButton;
struct Tokens;
} // namespace nestwright::look

namespace nestwright::canvas {

class Legend;
class Minimap;
class PictureCache;
class SearchBox;

/// Wheel zooms at the pointer, dragging pans; dragging a node that stands for a buffer carries the buffer.
/// Double click on a frame's title, or on a collapsed frame, opens or collapses it. Alt and a click traces.
/// Keys: arrows go along edges and across a layer, Enter opens the node or frame, Space opens or collapses
/// the frame that is selected or lies around, Shift+Up and Shift+Down trace the paths to the node and from
/// it, Esc ends that, + and - zoom, 0 fits, Ctrl+F searches. Other keys are left to the window.
class GraphCanvas : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    explicit GraphCanvas(jobs::JobRunner &jobs, QWidget *parent = nullptr);
    ~GraphCanvas() override;

    /// Shows another graph as soon as it is laid out; until then the former one stays. Of a graph of the same
    /// subject, nodes that both have keep their place as far as they can, and the view stays if any is left
    /// (`Anew`: neither); frames that the user opened or collapsed stay so. Otherwise nothing is taken from
    /// what was shown before.
    enum Places { Kept, Anew };
    void setGraph(GraphData graph, Places places = Kept);
    const GraphData &whole() const { return m_whole->data; }
    /// The graph as drawn: collapsed frames are nodes here. Places of nodes count in this.
    const GraphData &graph() const { return m_scene->shown(); }
    bool isLaidOut() const { return m_laidOut; }
    /// Whether a large graph is being painted elsewhere, or things are on their way to their places.
    bool isPainting() const;

    /// The selected node or group by id, without a signal; any other id selects none.
    void setSelected(int id);
    /// Selects it, without a signal, and shows it where it cannot be seen.
    void reveal(int id);
    /// Does with the node or group of that id as a click does, and as a double click, wherever it is by now;
    /// nothing where it is not.
    void choose(int id);
    void activate(int id);
    int selectedIndex() const { return m_marks.selected; }
    int selectedId() const; ///< -1: none
    /// The selected node, or the group that it lies in, as `nodeClicked` tells it; -1: none.
    int selectedNode() const { return idToTell(m_selected); }

    /// Sets the numbers that colour the nodes; nothing where no node has such a number.
    void setOverlay(Overlay overlay);
    Overlay overlay() const { return m_overlay; }
    bool hasNumbers(Overlay overlay) const;

    /// Marks the paths to the selected node, or from it, and dims the other nodes.
    void setTrace(Trace direction);
    Trace traced() const { return m_trace; }
    /// Whether the trace meets each shown node; empty where nothing is traced.
    std::vector<char> tracedNodes() const;

    /// Frames, as places in frames().frames; the first, the graph itself, is always open.
    const FrameTree &frames() const { return m_whole->frames; }
    bool isOpen(int frame) const { return m_open[static_cast<std::size_t>(frame)]; }
    void setOpen(int frame, bool open);
    /// All scopes; groups are collapsed with them, and opened one by one only.
    void setAllOpen(bool open);
    bool hasScopes() const;
    /// Rectangle of an open frame on this widget; null where it is not open.
    QRectF frameRect(int frame) const;
    QRectF frameTitleRect(int frame) const;

    double zoom() const { return m_scale; }
    /// Area in which the graph is seen: nothing else stands there.
    QRectF room() const { return m_room; }
    /// Rectangle of a node on this widget.
    QRectF nodeRect(int index) const;
    /// The id of the node there, as it is drawn; none beside the nodes.
    std::optional<int> idAt(const QPointF &at) const;
    /// Rectangle in which the node of that id is drawn; null where it is not drawn.
    QRectF rectOfId(int id) const;
    SearchBox *searchBox() const { return m_search; }
    /// The picture shown, to be written to a file.
    GraphPicture picture() const { return {m_scene, m_look, accessibleName()}; }

    int accessibleCount() const override { return static_cast<int>(graph().nodes.size()); }
    QString accessibleText(int index) const override;
    QRect accessibleRect(int index) const override { return nodeRect(index).toAlignedRect(); }
    int accessibleCurrent() const override { return m_marks.selected; }
    void chooseAccessible(int index) override;
    QString accessibleSummary() const override;

    /// The menu of a right click at a place; the caller deletes it.
    QMenu *menuAt(const QPointF &point);

public Q_SLOTS:
    void fit();
    void zoomTo(double scale);
    void openSearch();

Q_SIGNALS:
    /// The group's id, for things in a group and the group itself.
    void nodeClicked(int id);
    /// Double click or Enter.
    void nodeActivated(int id);
    void nodeHovered(int id); ///< -1: none
    void laidOut();
    void overlayChanged(nestwright::canvas::Overlay overlay);
    /// The buttons of the empty state.
    void openRequested();
    void examplesRequested();
    /// Asked for in the context menu: "png" or "svg".
    void exportRequested(const QString &form);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Whole {
        GraphData data;
        FrameTree frames;
    };
    /// The result of a layout job.
    struct Laid {
        std::shared_ptr<const Whole> whole;
        std::vector<char> open;
        std::shared_ptr<const Scene> scene;
    };
    /// A node of the whole graph, or a frame of it.
    struct Thing {
        int node = -1, frame = -1;
        explicit operator bool() const { return node >= 0 || frame >= 0; }
    };

    void connectParts();
    void takeScene(const Laid &laid, Places places = Kept);
    void forgetOther();
    void layOutAgain(int anchor);
    void reanchor(int frame, const QRectF &before);
    void showEmpty(bool empty);
    void showFirst();
    QTransform toWidget() const;
    void moveFrom(const std::shared_ptr<const Scene> &before, const QTransform &toWidgetBefore);

    int openPlace(int frame) const;
    int shownFor(const Thing &thing) const;
    Thing thingAt(int shown) const;
    Thing thingOf(int id) const;
    int idOf(const Thing &thing) const;
    int idToTell(const Thing &thing) const;
    QRectF boxOfThing(const Thing &thing) const;
    int frameAround(const Thing &thing) const;
    int groupAround(int frame) const;
    void select(const Thing &thing);
    void markSelected();
    void reveal(const Thing &thing);
    bool toggle(int frame);
    void activate(const Thing &thing);

    void updateLook();
    void markCurrent();
    void showOverlay();
    void fillOverlayMenu(QMenu *menu);

    QPointF toGraph(const QPointF &point) const;
    QPointF fromGraph(const QPointF &point) const;
    QRectF rectOf(const QRectF &box) const;
    QRectF visibleRect() const;
    int nodeAt(const QPointF &point) const;
    int frameTitleAt(const QPointF &point) const;
    int edgeAt(const QPointF &point) const;
    QString toolTipAt(const QPointF &point) const;
    void zoomAt(const QPointF &point, double scale);
    void step(int key);
    void fit(double largest);
    void refit();
    void putAt(const QPointF &place, const QPointF &point);
    void bringIntoView(const QRectF &box);
    void moved();
    void roomChanged();
    void keepInSight();
    void placeOverlays();
    int placeLinks(int right);
    void paintEdgesOfRoom(QPainter &painter, const look::Tokens &t) const;

    jobs::JobRunner &m_jobs;
    const QString m_jobKey;
    std::shared_ptr<const Whole> m_whole;
    std::vector<char> m_open;       // per frame, as wanted; the scene may still be on its way
    QHash<QString, bool> m_toggled; // opened and collapsed by the user, by path
    std::shared_ptr<const Scene> m_scene;
    std::shared_ptr<const GraphLook> m_look;
    GraphMarks m_marks;
    Thing m_selected, m_revealed;
    int m_wanted = -1; // the id that was selected last, whether or not there is such a thing now
    bool m_laidOut = false;
    QVariantAnimation *m_motion;
    std::optional<SceneMotion> m_moving;

    Overlay m_overlay = Overlay::Time;
    Trace m_trace = Trace::None;
    std::vector<char> m_traced; // per node of the whole

    /// Extent of the view: all of the graph, in any size of the widget; a part that can be read, since all
    /// could not; or what the user has moved it to.
    enum class Seen : std::uint8_t { Whole, Part, Chosen };
    double m_scale = 1;
    QPointF m_centre; // of the view, in the graph's coordinates
    Seen m_seen = Seen::Whole;
    double m_fittedScale = 1;
    QPointF m_pressed;
    QRectF m_room; // for the graph: the widget without its overlays
    bool m_panning = false;
    bool m_doubleClicked = false;
    bool m_showFocus = false;

    look::EmptyState *m_empty;
    Minimap *m_minimap;
    SearchBox *m_search;
    look::LinkButton *m_fitLink;
    look::LinkButton *m_zoomLink;
    look::LinkButton *m_overlayLink;
    look::LinkButton *m_traceLink;
    Legend *m_legend;
    PictureCache *m_pictures;
    QTimer *m_otherWait;
};

} // namespace nestwright::canvas
