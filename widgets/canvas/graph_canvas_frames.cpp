// SPDX-License-Identifier: GPL-3.0-or-later
// Frames and the selection of GraphCanvas: the graph drawn is folded, the selection may be hidden in it.
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/paint/picture_cache.h"
#include "widgets/canvas/search_box.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/theme.h"

#include <QVariantAnimation>

#include <algorithm>

namespace nestwright::canvas {

namespace {

constexpr std::size_t mostInMotion = 600; // nodes that are moved at every step

} // namespace

void GraphCanvas::setOpen(int frame, bool open)
{
    if (frame <= 0 || isOpen(frame) == open)
        return;
    m_open[static_cast<std::size_t>(frame)] = open ? 1 : 0;
    m_toggled.insert(m_whole->frames.frames[static_cast<std::size_t>(frame)].path, open);
    layOutAgain(frame);
}

void GraphCanvas::setAllOpen(bool open)
{
    for (std::size_t i = 1; i < m_open.size(); ++i) {
        const Frame &frame = m_whole->frames.frames[i];
        m_open[i] = open && frame.group < 0 ? 1 : 0;
        m_toggled.insert(frame.path, m_open[i] != 0);
    }
    layOutAgain(0);
}

bool GraphCanvas::hasScopes() const
{
    return std::ranges::any_of(m_whole->frames.frames,
                               [](const Frame &frame) { return frame.parent >= 0 && frame.group < 0; });
}

/// Lays out the open frames. The frame `anchor` stays where it is on the screen; 0: the graph is shown from
/// its beginning, or where the selection is.
void GraphCanvas::layOutAgain(int anchor)
{
    m_laidOut = false;
    FormerLayout before(m_scene->shown(), m_scene->layout, m_scene->folded.nesting);
    before.orderOnly = true;
    m_jobs.run(
        m_jobKey, this,
        [whole = m_whole, open = m_open, before](const jobs::Job &job) {
            FoldedGraph folded = fold(whole->data, whole->frames, open);
            GraphLayout layout = layOut(folded.shown, folded.nesting, before, job.stopToken());
            return Laid{whole, open,
                        std::make_shared<const Scene>(makeScene(std::move(folded), std::move(layout)))};
        },
        [this, anchor](const std::shared_ptr<const Laid> &laid) {
            const QRectF place = anchor > 0 ? rectOf(boxOfThing({-1, anchor})) : QRectF();
            const auto before = m_scene;
            const QTransform view = toWidget();
            m_seen = Seen::Chosen;
            takeScene(*laid);
            if (anchor == 0)
                showFirst();
            if (anchor == 0 && m_selected)
                bringIntoView(boxOfThing(m_selected));
            if (anchor > 0)
                reanchor(anchor, place);
            if (m_revealed) {
                bringIntoView(boxOfThing(m_revealed));
                m_revealed = {};
            }
            moveFrom(before, view);
        });
}

/// Lets things move to their places from those of a former scene, where they are few enough to be painted at
/// once.
void GraphCanvas::moveFrom(const std::shared_ptr<const Scene> &before, const QTransform &toWidgetBefore)
{
    const int duration = look::motionMs(this);
    if (duration == 0 || !isVisible()
        || std::max(before->layout.boxes.size(), m_scene->layout.boxes.size()) > mostInMotion
        || !isQuick(*m_scene, {visibleRect(), m_scale}))
        return;
    SceneMotion motion(*before, m_scene, toWidgetBefore * toWidget().inverted());
    if (!motion.isVisible())
        return;
    m_moving = std::move(motion);
    m_motion->setDuration(duration);
    m_motion->start();
}

/// Moves the view so that the top of a frame is where it was on the screen.
void GraphCanvas::reanchor(int frame, const QRectF &before)
{
    const QRectF now = rectOf(boxOfThing({-1, frame}));
    if (now.isNull() || before.isNull())
        return;
    m_centre += (QPointF(now.center().x(), now.top()) - QPointF(before.center().x(), before.top())) / m_scale;
    moved();
}

/// Box, in the graph's coordinates, of the node, of the open frame, or of the collapsed frame that it lies
/// in.
QRectF GraphCanvas::boxOfThing(const Thing &thing) const
{
    if (const int place = thing.frame >= 0 ? openPlace(thing.frame) : -1; place >= 0)
        return m_scene->layout.frames[static_cast<std::size_t>(place)];
    const int shown = shownFor(thing);
    return shown < 0 ? QRectF() : m_scene->layout.boxes[static_cast<std::size_t>(shown)];
}

int GraphCanvas::openPlace(int frame) const
{
    const auto found = std::ranges::find(m_scene->folded.open, frame);
    return found == m_scene->folded.open.end() ? -1 : static_cast<int>(found - m_scene->folded.open.begin());
}

/// The shown node that is or contains it; -1: none, as of an open frame.
int GraphCanvas::shownFor(const Thing &thing) const
{
    const FoldedGraph &folded = m_scene->folded;
    if (thing.node >= 0)
        return static_cast<std::size_t>(thing.node) < folded.shownOf.size()
                   ? folded.shownOf[static_cast<std::size_t>(thing.node)]
                   : -1;
    if (thing.frame < 0 || openPlace(thing.frame) >= 0)
        return -1;
    for (int frame = thing.frame; frame > 0;
         frame = m_whole->frames.frames[static_cast<std::size_t>(frame)].parent) {
        const auto found = std::ranges::find(folded.frameOf, frame);
        if (found != folded.frameOf.end())
            return static_cast<int>(found - folded.frameOf.begin());
    }
    return -1;
}

GraphCanvas::Thing GraphCanvas::thingAt(int shown) const
{
    if (shown < 0)
        return {};
    const auto i = static_cast<std::size_t>(shown);
    return {m_scene->folded.leafOf[i], m_scene->folded.frameOf[i]};
}

GraphCanvas::Thing GraphCanvas::thingOf(int id) const
{
    const auto node = std::ranges::find(m_whole->data.nodes, id, &GraphNode::id);
    if (node != m_whole->data.nodes.end())
        return {static_cast<int>(node - m_whole->data.nodes.begin()), -1};
    const auto &frames = m_whole->frames.frames;
    const auto frame =
        std::find_if(frames.begin() + 1, frames.end(), [id](const Frame &each) { return each.id == id; });
    return frame == frames.end() ? Thing() : Thing{-1, static_cast<int>(frame - frames.begin())};
}

/// The frame that a thing is, or the innermost one around a node; 0: none.
int GraphCanvas::frameAround(const Thing &thing) const
{
    if (thing.frame >= 0)
        return thing.frame;
    return thing.node < 0 ? 0 : m_whole->frames.frameOf[static_cast<std::size_t>(thing.node)];
}

/// The frame or the innermost one around it that is a group; -1: none.
int GraphCanvas::groupAround(int frame) const
{
    const auto &frames = m_whole->frames.frames;
    while (frame > 0 && frames[static_cast<std::size_t>(frame)].group < 0)
        frame = frames[static_cast<std::size_t>(frame)].parent;
    return frame > 0 ? frame : -1;
}

int GraphCanvas::idOf(const Thing &thing) const
{
    if (thing.node >= 0)
        return m_whole->data.nodes[static_cast<std::size_t>(thing.node)].id;
    return thing.frame >= 0 ? m_whole->frames.frames[static_cast<std::size_t>(thing.frame)].id : -1;
}

std::optional<int> GraphCanvas::idAt(const QPointF &at) const
{
    const int node = nodeAt(at);
    return node < 0 ? std::nullopt : std::optional(idOf(thingAt(node)));
}

QRectF GraphCanvas::rectOfId(int id) const
{
    for (int node = 0; node < accessibleCount(); ++node) {
        if (idOf(thingAt(node)) == id)
            return nodeRect(node);
    }
    return {};
}

int GraphCanvas::selectedId() const { return idOf(m_selected); }

void GraphCanvas::setSelected(int id)
{
    const Thing wanted = thingOf(id);
    // A selected part of a group stays selected when the group is asked for.
    if (wanted.frame >= 0 && m_selected.node >= 0 && groupAround(frameAround(m_selected)) == wanted.frame
        && openPlace(wanted.frame) >= 0)
        return;
    m_selected = wanted;
    m_wanted = id;
    markSelected();
}

void GraphCanvas::reveal(int id)
{
    setSelected(id);
    if (m_selected)
        reveal(m_selected);
}

void GraphCanvas::markSelected()
{
    const int before = m_marks.selected;
    m_marks.selected = shownFor(m_selected);
    if (m_marks.selected != before)
        look::tellChosenItem(*this, m_marks.selected);
    m_marks.selectedFrame = m_selected.frame >= 0 ? openPlace(m_selected.frame) : -1;
    if (m_trace != Trace::None)
        setTrace(m_selected ? m_trace : Trace::None);
    update();
}

void GraphCanvas::select(const Thing &thing)
{
    m_selected = thing;
    m_wanted = idOf(thing);
    markSelected();
    if (const int told = idToTell(thing); told != -1)
        Q_EMIT nodeClicked(told);
}

void GraphCanvas::choose(int id)
{
    if (const Thing thing = thingOf(id))
        select(thing);
}

void GraphCanvas::activate(int id)
{
    if (const Thing thing = thingOf(id))
        activate(thing);
}

/// The caller knows nodes and groups, not things in a group nor scopes: -1.
int GraphCanvas::idToTell(const Thing &thing) const
{
    if (!thing)
        return -1;
    if (const int group = groupAround(frameAround(thing)); group >= 0)
        return idOf({-1, group});
    return thing.node >= 0 ? idOf(thing) : -1;
}

/// Opens the scopes around something that is hidden, and shows it.
void GraphCanvas::reveal(const Thing &thing)
{
    bool hidden = false;
    int frame = frameAround(thing);
    if (thing.frame >= 0)
        frame = m_whole->frames.frames[static_cast<std::size_t>(frame)].parent;
    for (; frame > 0; frame = m_whole->frames.frames[static_cast<std::size_t>(frame)].parent) {
        if (isOpen(frame))
            continue;
        hidden = true;
        m_open[static_cast<std::size_t>(frame)] = 1;
        m_toggled.insert(m_whole->frames.frames[static_cast<std::size_t>(frame)].path, true);
    }
    if (!hidden)
        return bringIntoView(boxOfThing(thing));
    m_revealed = thing;
    layOutAgain(-1);
}

bool GraphCanvas::toggle(int frame)
{
    if (frame <= 0)
        return false;
    m_selected = {-1, frame};
    m_wanted = idOf(m_selected);
    markSelected();
    setOpen(frame, !isOpen(frame));
    return true;
}

/// Double click and Enter.
void GraphCanvas::activate(const Thing &thing)
{
    if (thing.frame >= 0)
        toggle(thing.frame);
    else if (const int told = idToTell(thing); told != -1)
        Q_EMIT nodeActivated(told);
}

QRectF GraphCanvas::frameRect(int frame) const
{
    const int place = openPlace(frame);
    return place < 0 ? QRectF() : rectOf(m_scene->layout.frames[static_cast<std::size_t>(place)]);
}

QRectF GraphCanvas::frameTitleRect(int frame) const
{
    QRectF rect = frameRect(frame);
    if (!rect.isNull()) // from afar the title is a label of its own size
        rect.setHeight(std::min(rect.height(), std::max(frameTitleHeight * m_scale, 26.0)));
    return rect;
}

} // namespace nestwright::canvas
