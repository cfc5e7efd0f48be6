// SPDX-License-Identifier: GPL-3.0-or-later
/// Queries of a search on nodes: a text, or a regular expression between slashes, in all texts about them or
/// in one field.
#pragma once

#include "widgets/canvas/scene/frame_tree.h"

#include <QRegularExpression>

#include <expected>

namespace nestwright::canvas {

class NodeQuery {
public:
    /// "conv", "/^conv\d+$/", "op:conv", "name:/layer1/", "attr:strides=[2, 2]". Upper and lower case are the
    /// same. The error names the fault of a regular expression, for people.
    static std::expected<NodeQuery, QString> parse(const QString &text);

    bool matches(const GraphNode &node) const;

private:
    enum class Field : char { Any, Name, Operator, Attribute };
    Field m_field = Field::Any;
    QRegularExpression m_regex;
    QString m_text; ///< instead of a regular expression
    bool contains(const QString &text) const;
};

/// A match: a node, or a group that matches itself or inside (in the tree of frames).
struct Hit {
    int node = -1;
    int frame = -1;
    auto operator<=>(const Hit &) const = default;
};

struct Found {
    std::vector<Hit> hits;   ///< in the order of the graph
    std::vector<char> nodes; ///< per node of the graph
};

Found findNodes(const GraphData &graph, const FrameTree &tree, const NodeQuery &query);

} // namespace nestwright::canvas
