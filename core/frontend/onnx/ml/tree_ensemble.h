// SPDX-License-Identifier: Apache-2.0
/// Ensembles of decision trees as models of the domain ai.onnx.ml write them.
#pragma once

#include "core/frontend/onnx/ml/tree_nodes.h"

#include <string>

namespace nestwright::graph::onnx {

/// Weight that a leaf adds to a target, or to the score of a class.
struct LeafWeight {
    std::size_t leaf = 0; ///< of Trees
    std::int64_t target = 0;
    double weight = 0;
};

struct Ensemble {
    Trees trees;
    std::vector<LeafWeight> weights;
    std::int64_t targets = 1;
    std::vector<double> base;
    std::string combination = "SUM";
};

/// The attribute, or the tensor NAME_as_tensor that newer versions give for it.
std::vector<double> realsOf(const NodeImport &node, const std::string &name);

// Trees and weights; what else there is to an ensemble stays. Throw "onnx.unsupported" where attributes do
// not fit together.

/// Nodes named by tree and number, as versions 1 to 3 write them; `prefix`: "class" or "target".
void readNamedNodes(const NodeImport &node, const std::string &prefix, Ensemble &ensemble);
/// Nodes and leaves by their places, as version 5 writes them.
void readPlacedNodes(const NodeImport &node, Ensemble &ensemble);

} // namespace nestwright::graph::onnx
