// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/node_names.h"

#include <QRegularExpression>

#include <algorithm>

namespace nestwright::app {

namespace {

/// "fire2/expand1x1" of "fire2/expand1x1_w_0", "layers.0.wide" of "layers.0.wide.weight"; of weights that
/// were joined, "a + b", the first.
QString layerOf(const QString &weight)
{
    static const QRegularExpression part(
        QStringLiteral("[_./](bn_)?(w|b|s|weights?|bias|kernel|filter|gamma|beta|scale)(_[0-9]+)?$"),
        QRegularExpression::CaseInsensitiveOption);
    return weight.section(QStringLiteral(" + "), 0, 0).remove(part);
}

/// The scope in the name of the largest of its weights.
QString layerOf(const graph::Function &function, const graph::Node &node)
{
    const graph::Node *largest = nullptr;
    for (const graph::Value input : node.inputs) {
        const graph::Node &from = function.at(input);
        if (from.isConstant() && (!largest || from.data->size() > largest->data->size()))
            largest = &from;
    }
    return largest ? layerOf(QString::fromStdString(largest->name)) : QString();
}

/// "layer1", "conv1" of "/layer1/conv1/Conv".
QStringList scopeIn(const QString &name)
{
    return name.left(std::max<qsizetype>(name.lastIndexOf(u'/'), 0)).split(u'/', Qt::SkipEmptyParts);
}

} // namespace

bool isMadeUp(const QString &name)
{
    static const QRegularExpression numbered(
        QStringLiteral("^([A-Za-z]?[0-9]+|[A-Z][A-Za-z]*(_[0-9]+)?|(node|op|tensor|value|val|var)_?[0-9]*"
                       "|.*::.*)$"));
    return name.isEmpty() || numbered.match(name).hasMatch();
}

std::vector<const graph::Node *> operatorsIn(const graph::Node &node)
{
    std::vector<const graph::Node *> found;
    if (node.op)
        found.push_back(&node);
    if (node.kind == graph::NodeKind::Group) {
        for (const graph::Node &inner : node.function->nodes) {
            if (inner.op)
                found.push_back(&inner);
        }
    }
    return found;
}

QString labelOf(const graph::Function &function, const graph::Node &node)
{
    QString own = QString::fromStdString(node.name);
    if (!isMadeUp(own))
        return own;
    if (const QString layer = layerOf(function, node); !isMadeUp(layer))
        return layer;
    const QString result = node.tensors.empty() ? QString() : QString::fromStdString(node.tensors.front());
    return isMadeUp(result) ? QString() : result;
}

QStringList scopeOf(const graph::Function &function, const graph::Node &node)
{
    if (isMadeUp(QString::fromStdString(node.name)))
        return scopeIn(labelOf(function, node));
    SharedScope scope;
    for (const graph::Node *each : operatorsIn(node)) {
        if (!each->name.empty())
            scope.add(scopeIn(QString::fromStdString(each->name)));
    }
    return scope.shared() ? *scope.shared() : scopeIn(QString::fromStdString(node.name));
}

void SharedScope::add(const QStringList &scope)
{
    if (!m_shared) {
        m_shared = scope;
        return;
    }
    const auto differs = std::ranges::mismatch(*m_shared, scope);
    m_shared->erase(differs.in1, m_shared->end());
}

} // namespace nestwright::app
