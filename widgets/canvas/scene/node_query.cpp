// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/node_query.h"

#include <QCoreApplication>

namespace nestwright::canvas {

std::expected<NodeQuery, QString> NodeQuery::parse(const QString &text)
{
    NodeQuery query;
    QString wanted = text;
    const std::pair<QLatin1String, Field> fields[] = {{QLatin1String("name:"), Field::Name},
                                                      {QLatin1String("op:"), Field::Operator},
                                                      {QLatin1String("attr:"), Field::Attribute}};
    for (const auto &[prefix, field] : fields) {
        if (wanted.startsWith(prefix, Qt::CaseInsensitive)) {
            query.m_field = field;
            wanted = wanted.mid(prefix.size()).trimmed();
            break;
        }
    }
    if (wanted.size() > 2 && wanted.startsWith(u'/') && wanted.endsWith(u'/')) {
        query.m_regex =
            QRegularExpression(wanted.mid(1, wanted.size() - 2), QRegularExpression::CaseInsensitiveOption);
        if (!query.m_regex.isValid())
            return std::unexpected(
                QCoreApplication::translate("NodeQuery", "not a regular expression: %1 at character %2")
                    .arg(query.m_regex.errorString())
                    .arg(query.m_regex.patternErrorOffset() + 1));
    } else {
        query.m_text = wanted;
    }
    return query;
}

bool NodeQuery::contains(const QString &text) const
{
    return m_text.isNull() ? m_regex.match(text).hasMatch() : text.contains(m_text, Qt::CaseInsensitive);
}

bool NodeQuery::matches(const GraphNode &node) const
{
    switch (m_field) {
    case Field::Name: return contains(node.name.isEmpty() ? node.title : node.name) || contains(node.label);
    case Field::Operator: return node.kind == NodeKind::Compute && contains(node.title);
    case Field::Attribute: return contains(node.attributes);
    case Field::Any: break;
    }
    return contains(node.title) || contains(node.subtitle) || contains(node.name) || contains(node.label)
           || contains(node.attributes) || contains(node.detail);
}

namespace {

/// The outermost group that is or lies around a frame; -1: none.
int outermostGroup(const FrameTree &tree, int frame)
{
    int group = -1;
    for (int at = frame; at >= 0; at = tree.frames[static_cast<std::size_t>(at)].parent) {
        if (tree.frames[static_cast<std::size_t>(at)].group >= 0)
            group = at;
    }
    return group;
}

} // namespace

Found findNodes(const GraphData &graph, const FrameTree &tree, const NodeQuery &query)
{
    Found found;
    found.nodes.resize(graph.nodes.size(), 0);
    std::vector<char> counted(tree.frames.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const int group = outermostGroup(tree, tree.frameOf[i]);
        const bool matches = query.matches(graph.nodes[i]);
        if (group < 0) {
            if (matches)
                found.hits.push_back({static_cast<int>(i), -1});
        } else {
            const int number = tree.frames[static_cast<std::size_t>(group)].group;
            const bool whole = query.matches(graph.groups[static_cast<std::size_t>(number)].node);
            if ((matches || whole) && !counted[static_cast<std::size_t>(group)]) {
                counted[static_cast<std::size_t>(group)] = 1;
                found.hits.push_back({-1, group});
            }
        }
        found.nodes[i] = matches ? 1 : 0;
    }
    // A group that matches as a whole, but nothing inside: all of it was found.
    std::vector<char> inside(tree.frames.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (found.nodes[i])
            inside[static_cast<std::size_t>(tree.frameOf[i])] = 1;
    }
    for (const Hit &hit : found.hits) {
        if (hit.frame < 0 || inside[static_cast<std::size_t>(hit.frame)])
            continue;
        for (const int node : tree.frames[static_cast<std::size_t>(hit.frame)].nodes)
            found.nodes[static_cast<std::size_t>(node)] = 1;
    }
    return found;
}

} // namespace nestwright::canvas
