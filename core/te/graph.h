// SPDX-License-Identifier: Apache-2.0
/// The graph of a kernel's stages: what the window's canvas draws.
#pragma once

#include "core/ir/function.h"

#include <string>
#include <vector>

namespace nestwright::te {

enum class NodeKind { Placeholder, Stage, Output };

struct GraphNode {
    NodeKind kind = NodeKind::Stage;
    std::string name; ///< of the buffer or block
    std::string
        operation; ///< of a stage: "matmul", "reduction", "elementwise", "injective", "opaque"; else empty
    std::string summary;         ///< of a stage: "sum over k · 2.15 GFLOP"; else empty
    std::vector<ir::Expr> shape; ///< of the buffer (for a stage: of its first output)
    ir::DataType dtype;
    ir::StmtId block; ///< of a stage; empty for placeholders and outputs
    double flops = 0; ///< floating-point operations of a stage; 0 where its size is symbolic
};

struct GraphEdge {
    int from = 0, to = 0; ///< indices of nodes
    ir::Buffer buffer;    ///< what flows along it
};

/// Nodes in the order of the program: placeholders, stages, outputs.
struct StageGraph {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
};

/// The graph of function `name` of a module of blocks with regions (empty name: the main function), by which
/// block writes what another reads. Empty when there is no such function or it has been lowered.
StageGraph stageGraph(const ir::Module &module, const std::string &name = {});

/// "1024×1024 f32": a buffer's shape and type as the canvas writes them.
std::string shapeText(const std::vector<ir::Expr> &shape, ir::DataType dtype);
/// "2.15 GFLOP".
std::string flopsText(double flops);

} // namespace nestwright::te
