// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/frame_tree.h"

#include "widgets/canvas/scene/frame_repeats.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace nestwright::canvas {

namespace {

constexpr int ownIds = -(1 << 24);
constexpr int rangeOfOwnIds = 1 << 30;

void add(double &sum, double value)
{
    if (value >= 0)
        sum = std::max(sum, 0.0) + value;
}

/// Every prefix of every scope as a frame, whether or not it is worth drawing.
class Scopes {
public:
    explicit Scopes(const GraphData &graph) : m_graph(graph)
    {
        m_tree.frames.emplace_back();
        for (std::size_t i = 0; i < graph.groups.size(); ++i)
            m_groups.insert(graph.groups[i].path, static_cast<int>(i));
        QString lastScope;
        int last = 0;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const QString &scope = graph.nodes[i].scope;
            if (scope != lastScope) {
                last = frameAt(scope);
                lastScope = scope;
            }
            m_tree.frameOf.push_back(last);
            m_tree.frames[static_cast<std::size_t>(last)].nodes.push_back(static_cast<int>(i));
        }
    }

    FrameTree take() { return std::move(m_tree); }

private:
    int frameAt(const QString &path)
    {
        if (path.isEmpty())
            return 0;
        if (const auto found = m_frames.constFind(path); found != m_frames.constEnd())
            return *found;
        Frame frame;
        frame.path = path;
        const qsizetype slash = path.lastIndexOf(u'/');
        frame.parent = frameAt(slash < 0 ? QString() : path.left(slash));
        if (const auto group = m_groups.constFind(path); group != m_groups.constEnd())
            frame.group = *group;
        const int index = static_cast<int>(m_tree.frames.size());
        m_tree.frames[static_cast<std::size_t>(frame.parent)].frames.push_back(index);
        m_tree.frames.push_back(std::move(frame));
        m_frames.insert(path, index);
        return index;
    }

    const GraphData &m_graph;
    FrameTree m_tree;
    QHash<QString, int> m_frames, m_groups;
};

/// Moves the contents of frames that are not worth drawing to the frame around them.
FrameTree withoutSingles(const FrameTree &all)
{
    const std::size_t count = all.frames.size();
    std::vector<int> things(count, 0); // directly inside, once the inner frames are decided
    std::vector<char> kept(count, 0);
    for (std::size_t i = count; i-- > 0;) {
        const Frame &frame = all.frames[i];
        things[i] += static_cast<int>(frame.nodes.size());
        kept[i] = i == 0 || frame.group >= 0 || things[i] > 1;
        if (i > 0)
            things[static_cast<std::size_t>(frame.parent)] += kept[i] ? 1 : things[i];
    }
    FrameTree tree;
    std::vector<int> moved(count, 0); // the frame that is drawn instead
    for (std::size_t i = 0; i < count; ++i) {
        const int parent = i == 0 ? -1 : moved[static_cast<std::size_t>(all.frames[i].parent)];
        if (!kept[i]) {
            moved[i] = parent;
            continue;
        }
        moved[i] = static_cast<int>(tree.frames.size());
        Frame frame;
        frame.path = all.frames[i].path;
        frame.group = all.frames[i].group;
        frame.parent = parent;
        if (parent >= 0) {
            Frame &outer = tree.frames[static_cast<std::size_t>(parent)];
            outer.frames.push_back(moved[i]);
            frame.title = outer.path.isEmpty() ? frame.path : frame.path.mid(outer.path.size() + 1);
        }
        tree.frames.push_back(std::move(frame));
    }
    for (std::size_t i = 0; i < all.frameOf.size(); ++i) {
        tree.frameOf.push_back(moved[static_cast<std::size_t>(all.frameOf[i])]);
        tree.frames[static_cast<std::size_t>(tree.frameOf.back())].nodes.push_back(static_cast<int>(i));
    }
    return tree;
}

void sumUp(const GraphData &graph, FrameTree &tree)
{
    const auto addTo = [](Frame &frame, const NodeNumbers &numbers, double share, int count, NodeMark mark) {
        add(frame.numbers.seconds, numbers.seconds);
        add(frame.numbers.flops, numbers.flops);
        add(frame.numbers.bytes, numbers.bytes);
        // Mean of the peak by time, divided in the end.
        if (numbers.peakFraction >= 0 && numbers.seconds > 0)
            add(frame.numbers.peakFraction, numbers.peakFraction * numbers.seconds);
        add(frame.share, share);
        frame.count += count;
        if (mark != NodeMark::None)
            frame.mark = NodeMark::Changed;
    };
    for (std::size_t i = tree.frames.size(); i-- > 0;) {
        Frame &frame = tree.frames[i];
        if (frame.group >= 0) {
            const GraphNode &node = graph.groups[static_cast<std::size_t>(frame.group)].node;
            frame.numbers = node.numbers;
            frame.share = node.share;
            frame.count = 1;
            frame.mark = node.mark;
        } else {
            for (const int node : frame.nodes) {
                const GraphNode &inside = graph.nodes[static_cast<std::size_t>(node)];
                addTo(frame, inside.numbers, inside.share, 1, inside.mark);
            }
            if (frame.numbers.peakFraction >= 0)
                frame.numbers.peakFraction /= frame.numbers.seconds;
        }
        if (frame.parent >= 0)
            addTo(tree.frames[static_cast<std::size_t>(frame.parent)], frame.numbers, frame.share,
                  frame.count, frame.mark);
    }
}

} // namespace

FrameTree makeFrames(const GraphData &graph)
{
    FrameTree tree = withRepeats(graph, withoutSingles(Scopes(graph).take()));
    sumUp(graph, tree);
    QSet<int> taken;
    for (Frame &frame : tree.frames) {
        if (frame.group >= 0) {
            const GraphNode &node = graph.groups[static_cast<std::size_t>(frame.group)].node;
            frame.id = node.id;
            frame.title = node.title;
            continue;
        }
        frame.id = ownIds - static_cast<int>(qHash(frame.path) % rangeOfOwnIds);
        while (taken.contains(frame.id))
            --frame.id;
        taken.insert(frame.id);
    }
    return tree;
}

int countThings(const GraphData &graph)
{
    QSet<QString> groups;
    for (const GraphGroup &group : graph.groups)
        groups.insert(group.path);
    const auto single = std::ranges::count_if(
        graph.nodes, [&](const GraphNode &node) { return !groups.contains(node.scope); });
    return static_cast<int>(single + groups.size());
}

std::vector<char> readableFrames(const FrameTree &tree, int limit)
{
    std::vector<char> open(tree.frames.size(), 0);
    std::vector<int> level{0};
    int seen = 1;
    while (!level.empty()) {
        std::vector<int> inner;
        for (const int index : level) {
            const Frame &frame = tree.frames[static_cast<std::size_t>(index)];
            seen += static_cast<int>(frame.nodes.size() + frame.frames.size()) - 1;
            for (const int inside : frame.frames) {
                const Frame &next = tree.frames[static_cast<std::size_t>(inside)];
                if (next.group < 0 && (!next.isRepeat || next.mark != NodeMark::None))
                    inner.push_back(inside);
            }
        }
        if (seen > limit && level.front() != 0)
            break;
        for (const int index : level)
            open[static_cast<std::size_t>(index)] = 1;
        level = std::move(inner);
    }
    return open;
}

} // namespace nestwright::canvas
