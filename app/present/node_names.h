// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of nodes as the file of a model has them, and the scopes in these names.
#pragma once

#include "core/graph/graph.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace nestwright::app {

/// The operators that a node computes: itself, or those of its group; none of a call.
std::vector<const graph::Node *> operatorsIn(const graph::Node &node);

/// Whether an exporter numbered it, or named it after its operator: "n5", "r12", "123", "Conv_12", "MatMul",
/// "node_7", "onnx::MatMul_207".
bool isMadeUp(const QString &name);

/// "fire2/expand1x1": the node's own name. Where an exporter made that up ("n5", "Conv_12", "node_7"), or
/// there is none, the name of the layer whose weights the node reads, or that of its result; empty where
/// these say nothing either.
QString labelOf(const graph::Function &function, const graph::Node &node);

/// The scopes in its name, outer first: "fire2". Of a group: those that all its operators lie in.
QStringList scopeOf(const graph::Function &function, const graph::Node &node);

/// The part at the beginning that scopes have in common.
class SharedScope {
public:
    void add(const QStringList &scope);
    const std::optional<QStringList> &shared() const { return m_shared; }

private:
    std::optional<QStringList> m_shared; // nothing before the first
};

} // namespace nestwright::app
