// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/frame_repeats.h"

#include "widgets/canvas/scene/segments.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <span>
#include <tuple>

namespace nestwright::canvas {

namespace {

constexpr int manyThings = 24;                 // a graph with no more needs no folding
constexpr std::size_t longestPeriod = 16;      // of parts that follow each other, in segments
constexpr int leastInPart = 2, leastInRun = 6; // things
constexpr qsizetype leastNumbered = 4;         // inputs or outputs
constexpr qsizetype mostDifferences = 8;       // lines

struct RepeatText {
    Q_DECLARE_TR_FUNCTIONS(GraphCanvas)
};

/// The segments of a part, `count` parts behind each other.
struct Run {
    std::size_t begin = 0, period = 1, count = 1;
    std::size_t length() const { return period * count; }
};

/// "res2_0" of "gpu_0/res2_0_branch2a" and "gpu_0/res2_0_branch1"; empty where names have nothing in common.
QString commonName(const QStringList &names)
{
    if (names.isEmpty())
        return {};
    QString common = names.front();
    for (const QString &name : names) {
        const auto differs = std::ranges::mismatch(common, name);
        common.truncate(differs.in1 - common.begin());
    }
    const bool isWhole = std::ranges::all_of(names, [&](const QString &name) { return name == common; });
    const auto isSeparator = [](QChar letter) { return !letter.isLetterOrNumber(); };
    const auto last = std::find_if(common.crbegin(), common.crend(), isSeparator);
    if (!isWhole)
        common.truncate(common.crend() - last);
    common = common.section(u'/', -1);
    while (!common.isEmpty() && isSeparator(common.back()))
        common.chop(1);
    return common;
}

class Repeats {
public:
    Repeats(const GraphData &graph, FrameTree tree) : m_graph(graph), m_tree(std::move(tree)) {}

    FrameTree take()
    {
        fillLevels();
        const std::size_t count = m_levels.size();
        for (std::size_t i = count; i-- > 0;) // inner ones first: their hashes are known then
            finishLevel(i);
        for (std::size_t i = 0; i < count; ++i) {
            if (m_tree.frames[i].group < 0)
                frameRepeats(i);
        }
        frameNumbered(NodeKind::Input);
        frameNumbered(NodeKind::Output);
        return inOrder();
    }

private:
    void fillLevels()
    {
        m_levels.resize(m_tree.frames.size());
        m_ofFrame.resize(m_tree.frames.size());
        m_itemOfNode.resize(m_graph.nodes.size());
        m_itemOfFrame.resize(m_tree.frames.size(), -1);
        // In the order of the graph: a frame stands where its first node does.
        for (std::size_t node = 0; node < m_graph.nodes.size(); ++node) {
            int frame = m_tree.frameOf[node];
            m_itemOfNode[node] = add(frame, {static_cast<int>(node), -1, static_cast<int>(node)});
            for (; frame > 0 && m_itemOfFrame[at(frame)] < 0; frame = m_tree.frames[at(frame)].parent)
                m_itemOfFrame[at(frame)] =
                    add(m_tree.frames[at(frame)].parent, {-1, frame, static_cast<int>(node)});
        }
        QHash<int, int> indexOf;
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
            indexOf.insert(m_graph.nodes[i].id, static_cast<int>(i));
        for (const GraphEdge &edge : m_graph.edges) {
            m_results.insert(edge.from, edge.label);
            const int from = indexOf.value(edge.from, -1), to = indexOf.value(edge.to, -1);
            // A given value is available everywhere, and each may be given away: that does not tie parts
            // together.
            if (from >= 0 && to >= 0 && m_graph.nodes[at(from)].kind == NodeKind::Compute
                && m_graph.nodes[at(to)].kind != NodeKind::Output)
                addEdge(from, to);
        }
    }

    int add(int frame, const Item &item)
    {
        m_levels[at(frame)].items.push_back(item);
        return static_cast<int>(m_levels[at(frame)].items.size()) - 1;
    }

    /// Adds the edge to the level of the innermost frame that holds both ends.
    void addEdge(int from, int to)
    {
        int a = m_tree.frameOf[at(from)], b = m_tree.frameOf[at(to)];
        int itemA = m_itemOfNode[at(from)], itemB = m_itemOfNode[at(to)];
        while (a != b) { // outer frames have smaller numbers
            int &frame = a > b ? a : b;
            (a > b ? itemA : itemB) = m_itemOfFrame[at(frame)];
            frame = m_tree.frames[at(frame)].parent;
        }
        if (itemA != itemB)
            m_levels[at(a)].edges.emplace_back(std::minmax(itemA, itemB));
    }

    /// The hashes of its items, and its own from them.
    void finishLevel(std::size_t index)
    {
        FrameLevel &level = m_levels[index];
        std::size_t hash = 0;
        int things = 0;
        for (Item &item : level.items) {
            if (item.node >= 0)
                item.hash = qHash(m_graph.nodes[at(item.node)].title);
            else
                std::tie(item.hash, item.things) = m_ofFrame[at(item.frame)];
            things += item.things;
            hash = qHashMulti(hash, item.hash);
        }
        std::ranges::sort(level.edges);
        const auto repeated = std::ranges::unique(level.edges);
        level.edges.erase(repeated.begin(), repeated.end());
        for (const auto &[from, to] : level.edges)
            hash = qHashMulti(hash, from, to);
        const int group = m_tree.frames[index].group;
        m_ofFrame[index] =
            group < 0 ? std::pair(hash, things) : std::pair(qHash(m_graph.groups[at(group)].node.title), 1);
    }

    void frameRepeats(std::size_t index)
    {
        const std::vector<Segment> segments = segmentsOf(m_levels[index]);
        QHash<std::size_t, int> often;
        for (const Segment &segment : segments)
            ++often[segment.hash];
        std::vector<char> taken(segments.size(), 0);
        for (std::size_t period = 1; period <= longestPeriod; ++period) { // small parts first
            for (std::size_t i = 0; i + 2 * period <= segments.size();) {
                const Run run = runAt(segments, taken, i, period);
                if (run.count > 1) {
                    frameRun(index, segments, run);
                    std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(i), run.length(), 1);
                }
                i += run.count > 1 ? run.length() : 1;
            }
        }
        for (std::size_t i = 0; i < segments.size(); ++i) {
            if (!taken[i] && often[segments[i].hash] > 1 && segments[i].things > leastInPart)
                framePart(index, segments[i].begin, segments[i].end);
        }
    }

    /// Parts of so many segments from `begin` on that are alike; one where they are not worth a frame.
    static Run runAt(const std::vector<Segment> &segments, const std::vector<char> &taken, std::size_t begin,
                     std::size_t period)
    {
        const auto same = [&](std::size_t a, std::size_t b, std::size_t count) {
            return std::ranges::equal(std::span(segments).subspan(a, count),
                                      std::span(segments).subspan(b, count), {}, &Segment::hash,
                                      &Segment::hash);
        };
        const auto isFree = [&](std::size_t from) {
            return std::ranges::none_of(std::span(taken).subspan(from, period),
                                        [](char each) { return each != 0; });
        };
        Run run{begin, period, 1};
        int things = 0;
        for (std::size_t i = begin; i < begin + period; ++i)
            things += segments[i].things;
        bool repeatsWithin = false;
        for (std::size_t inner = 1; 2 * inner <= period; ++inner)
            repeatsWithin =
                repeatsWithin || (period % inner == 0 && same(begin, begin + inner, period - inner));
        if (!isFree(begin) || things < leastInPart || repeatsWithin)
            return run;
        while (begin + (run.count + 1) * period <= segments.size()
               && same(begin, begin + run.count * period, period) && isFree(begin + run.count * period))
            ++run.count;
        if (things * static_cast<int>(run.count) < leastInRun)
            run.count = 1;
        return run;
    }

    void frameRun(std::size_t index, const std::vector<Segment> &segments, const Run &run)
    {
        std::vector<int> parts;
        for (std::size_t i = 0; i < run.count; ++i) {
            const std::size_t first = run.begin + i * run.period;
            parts.push_back(framePart(index, segments[first].begin, segments[first + run.period - 1].end));
        }
        const bool isAll = index > 0 && run.length() == segments.size();
        int whole = static_cast<int>(index);
        if (!isAll) {
            const QString title =
                QStringLiteral("%1  ×%2")
                    .arg(spanText(m_span.value(parts.front()).first, m_span.value(parts.back()).second))
                    .arg(run.count);
            whole = addFrame(index, title, m_levels[index].items[segments[run.begin].begin].first);
            for (const int part : parts)
                m_tree.frames[at(part)].parent = whole;
        }
        Frame &outer = m_tree.frames[at(whole)];
        outer.isRepeat = true;
        outer.parts = static_cast<int>(run.count);
        outer.differences = differencesOf(index, segments, run, parts);
    }

    /// The nodes of an item in the order of the graph.
    void addLeaves(const Item &item, std::vector<int> &leaves) const
    {
        if (item.node >= 0)
            return leaves.push_back(item.node);
        for (const Item &inner : m_levels[at(item.frame)].items)
            addLeaves(inner, leaves);
    }

    /// "conv: 56×56 f32 in layer1, 28×28 f32 in layer2": of nodes at the same place of each part.
    QStringList differencesOf(std::size_t index, const std::vector<Segment> &segments, const Run &run,
                              const std::vector<int> &parts) const
    {
        std::vector<std::vector<int>> leaves(run.count);
        for (std::size_t i = 0; i < run.count; ++i) {
            const std::size_t first = run.begin + i * run.period;
            for (std::size_t item = segments[first].begin; item < segments[first + run.period - 1].end;
                 ++item)
                addLeaves(m_levels[index].items[item], leaves[i]);
        }
        QStringList lines;
        qsizetype more = 0;
        for (std::size_t place = 0; place < leaves.front().size(); ++place) {
            QStringList values, where;
            for (std::size_t i = 0; i < run.count; ++i) {
                if (place >= leaves[i].size())
                    return {};
                const QString value = describe(leaves[i][place]);
                const auto &[first, last] = *m_span.constFind(parts[i]);
                const QString part = spanText(first, last);
                if (const qsizetype known = values.indexOf(value); known >= 0) {
                    where[known] =
                        where[known].section(QStringLiteral(" … "), 0, 0) + QStringLiteral(" … ") + part;
                } else {
                    values << value;
                    where << part;
                }
            }
            if (values.size() < 2)
                continue;
            if (lines.size() >= mostDifferences) {
                ++more;
                continue;
            }
            QStringList texts;
            for (qsizetype i = 0; i < values.size(); ++i)
                texts << RepeatText::tr("%1 in %2").arg(values[i], where[i]);
            lines << m_graph.nodes[at(leaves.front()[place])].title + QStringLiteral(": ")
                         + texts.join(QStringLiteral(", "));
        }
        if (more > 0)
            lines << RepeatText::tr("and %n more", nullptr, static_cast<int>(more));
        return lines;
    }

    /// Description of a node's results and attributes.
    QString describe(int node) const
    {
        QStringList texts{m_results.value(m_graph.nodes[at(node)].id), m_graph.nodes[at(node)].attributes};
        texts.removeAll(QString());
        return texts.isEmpty() ? RepeatText::tr("nothing else") : texts.join(QStringLiteral(" · "));
    }

    /// Name of an input (its title) or of an output (its subtitle).
    static QString givenName(const GraphNode &node)
    {
        return node.kind == NodeKind::Output ? node.subtitle : node.title;
    }

    /// Frames around inputs or outputs whose names differ in numbers only.
    void frameNumbered(NodeKind kind)
    {
        static const QRegularExpression digits(QStringLiteral("\\d+"));
        QHash<QString, std::vector<int>> alike;
        QStringList patterns; // in the order of the graph
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            if (m_graph.nodes[i].kind != kind || m_tree.frameOf[i] != 0)
                continue;
            QString pattern = givenName(m_graph.nodes[i]);
            pattern.replace(digits, QStringLiteral("#"));
            if (!pattern.contains(u'#'))
                continue;
            if (!alike.contains(pattern))
                patterns << pattern;
            alike[pattern].push_back(static_cast<int>(i));
        }
        for (const QString &pattern : patterns) {
            const std::vector<int> &nodes = alike[pattern];
            if (std::ssize(nodes) < leastNumbered)
                continue;
            const QString title = spanText(givenName(m_graph.nodes[at(nodes.front())]),
                                           givenName(m_graph.nodes[at(nodes.back())]));
            const int frame =
                addFrame(0, QStringLiteral("%1  ×%2").arg(title).arg(nodes.size()), nodes.front());
            m_tree.frames[at(frame)].isRepeat = true;
            for (const int node : nodes)
                m_tree.frameOf[at(node)] = frame;
        }
    }

    /// A frame around these items, or the only one that they are.
    int framePart(std::size_t index, std::size_t begin, std::size_t end)
    {
        const FrameLevel &level = m_levels[index];
        int part = end - begin == 1 ? level.items[begin].frame : -1;
        QStringList names;
        for (std::size_t i = begin; i < end; ++i) {
            if (const QString name = nameOf(level.items[i]); !name.isEmpty())
                names << name;
        }
        if (const QString common = commonName(names); !common.isEmpty())
            names = {common};
        if (names.isEmpty())
            names << titleOf(level.items[begin]);
        const std::pair span(names.front().section(u'/', -1), names.back().section(u'/', -1));
        if (part < 0) {
            const QString title = spanText(span.first, span.second);
            part = addFrame(index, title, level.items[begin].first);
            for (std::size_t i = begin; i < end; ++i) {
                const Item &item = level.items[i];
                (item.frame >= 0 ? m_tree.frames[at(item.frame)].parent : m_tree.frameOf[at(item.node)]) =
                    part;
            }
        }
        m_tree.frames[at(part)].isRepeat = true;
        m_span.insert(part, span);
        return part;
    }

    static QString spanText(const QString &first, const QString &last)
    {
        return first == last ? first : QStringLiteral("%1 … %2").arg(first, last);
    }

    /// Name of an item from the names in the model's file; empty where they say nothing.
    QString nameOf(const Item &item) const
    {
        if (item.node >= 0)
            return m_graph.nodes[at(item.node)].label;
        const Frame &frame = m_tree.frames[at(item.frame)];
        return frame.group >= 0 ? m_graph.groups[at(frame.group)].node.label : frame.title;
    }

    QString titleOf(const Item &item) const
    {
        if (item.node >= 0)
            return m_graph.nodes[at(item.node)].title;
        const Frame &frame = m_tree.frames[at(item.frame)];
        return frame.group >= 0 ? m_graph.groups[at(frame.group)].node.title : frame.title;
    }

    int addFrame(std::size_t around, const QString &title, int firstNode)
    {
        Frame frame;
        frame.title = title;
        frame.isMade = true;
        frame.path = QStringLiteral("%1/%2@%3")
                         .arg(m_tree.frames[around].path, title)
                         .arg(m_graph.nodes[at(firstNode)].id);
        frame.parent = static_cast<int>(around);
        m_tree.frames.push_back(std::move(frame));
        return static_cast<int>(m_tree.frames.size()) - 1;
    }

    /// Outer frames before inner ones again, with their contents.
    FrameTree inOrder()
    {
        std::vector<std::vector<int>> inner(m_tree.frames.size());
        for (std::size_t i = 1; i < m_tree.frames.size(); ++i)
            inner[at(m_tree.frames[i].parent)].push_back(static_cast<int>(i));
        std::vector<int> order{0}, placeOf(m_tree.frames.size(), 0);
        for (std::size_t i = 0; i < order.size(); ++i) { // grows as it goes
            placeOf[at(order[i])] = static_cast<int>(i);
            for (const int each : inner[at(order[i])])
                order.push_back(each);
        }
        FrameTree tree;
        for (const int old : order) {
            Frame frame = std::move(m_tree.frames[at(old)]);
            frame.frames.clear();
            frame.nodes.clear();
            if (old != 0) {
                frame.parent = placeOf[at(frame.parent)];
                tree.frames[at(frame.parent)].frames.push_back(static_cast<int>(tree.frames.size()));
            }
            tree.frames.push_back(std::move(frame));
        }
        for (std::size_t i = 0; i < m_tree.frameOf.size(); ++i) {
            tree.frameOf.push_back(placeOf[at(m_tree.frameOf[i])]);
            tree.frames[at(tree.frameOf.back())].nodes.push_back(static_cast<int>(i));
        }
        return tree;
    }

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    const GraphData &m_graph;
    FrameTree m_tree;
    std::vector<FrameLevel> m_levels; // per frame that the names give
    std::vector<int> m_itemOfNode, m_itemOfFrame;
    QHash<int, std::pair<QString, QString>> m_span;     // of parts: the first and the last name in them
    std::vector<std::pair<std::size_t, int>> m_ofFrame; // hash and things
    QHash<int, QString> m_results;                      // types of what nodes give, by their ids
};

} // namespace

FrameTree withRepeats(const GraphData &graph, FrameTree tree)
{
    return countThings(graph) > manyThings ? Repeats(graph, std::move(tree)).take() : tree;
}

} // namespace nestwright::canvas
