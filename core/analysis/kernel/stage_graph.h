// SPDX-License-Identifier: Apache-2.0
/// The graph of a kernel's stages, with an edge from each writer of a buffer to its readers.
#pragma once

#include "core/ir/node/function.h"

#include <string>
#include <vector>

namespace nestwright::analysis {

/// Nodes in the order of the program: parameters that are read, stages, parameters that are written.
struct StageGraph {
    enum class Kind { Placeholder, Stage, Output };

    struct Node {
        Kind kind = Kind::Stage;
        std::string name; ///< of the buffer or block
        /// of a stage: "matmul", "reduction", "elementwise", "injective", "opaque"; else empty
        std::string operation;
        std::string summary;         ///< of a stage: "sum over k · 2.15 GFLOP"; else empty
        std::vector<ir::Expr> shape; ///< of the buffer (for a stage: of its first output)
        ir::DataType dtype;
        ir::StmtId block; ///< of a stage; empty for placeholders and outputs
        double flops = 0; ///< floating-point operations of a stage; 0 where its size is symbolic
    };

    struct Edge {
        int from = 0, to = 0; ///< indices of nodes
        ir::Buffer buffer;    ///< the buffer that flows along it
    };

    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

/// The graph of function `name` of a module of blocks with regions (empty name: the main function). Empty
/// where there is no such function or it has been lowered.
StageGraph stageGraph(const ir::Module &module, const std::string &name = {});

/// "1024×1024 f32": a buffer's shape and type as the canvas writes them.
std::string shapeText(const std::vector<ir::Expr> &shape, ir::DataType dtype);

} // namespace nestwright::analysis
