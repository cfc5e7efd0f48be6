// SPDX-License-Identifier: Apache-2.0
/// Decision trees as arrays that a kernel walks through.
#pragma once

#include "core/frontend/onnx/node_import.h"

#include <cstdint>
#include <vector>

namespace nestwright::graph::onnx {

/// How a node compares its feature, by the numbers of TreeEnsemble's nodes_modes.
enum class TreeTest : std::uint8_t { AtMost, Below, AtLeast, Above, Equal, Unequal, Member };

/// A node that is no leaf, as models have it.
struct TreeNode {
    TreeTest test = TreeTest::AtMost;
    std::int64_t feature = 0;
    double split = 0;
    std::vector<double> members{}; ///< of a test for membership
    std::size_t taken = 0,
                other = 0;       ///< where it leads to: a place among nodes, or `leafBit` and one of leaves
    bool missingIsTaken = false; ///< a number that is none goes where the test holds
};

/// Marks a place among leaves.
constexpr std::size_t leafBit = std::size_t{1} << 62;

struct Trees {
    std::vector<TreeNode> nodes;
    std::vector<std::size_t> roots; ///< as in TreeNode::taken
    std::size_t leaves = 0;
};

/// Arrays of the operator ml.tree_leaves. Leaves come first, and lead to themselves.
struct TreeArrays {
    std::vector<std::int32_t> roots, features, ways;
    std::vector<double> most, least;
    std::int64_t waysPerNode = 2, depth = 1;
    bool hasLeast = false;
    std::vector<std::size_t> leaves; ///< the model's leaf for each of the arrays' leaves
};

/// `type`: of the features, for bounds that are next to a split. Throws support::UserError "onnx.tree" where
/// a node leads back to itself.
TreeArrays treeArrays(const Trees &trees, ir::DataType type);

} // namespace nestwright::graph::onnx
