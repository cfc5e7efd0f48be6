// SPDX-License-Identifier: Apache-2.0
/// The values that names of a model stand for: tensors, and sequences of tensors.
#pragma once

#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// A tensor (none where it is left out), a sequence of tensors, or an optional value that is missing.
struct ImportedValue {
    Values values{};
    bool isSequence = false;
    ir::DataType narrow =
        {}; ///< the tensor's element type where it is held in a wider one (ops::heldType); else void
    bool isMissing = false;
    Texts texts{};   ///< of a tensor of text: its elements, int64, are places in it
    Texts columns{}; ///< names of the places along the last axis, for an output

    Value tensor() const { return isSequence || values.empty() ? Value{} : values[0]; }
};

/// One operator on sequences: gives its only result. `node` has the inputs that are tensors, `inputs` all of
/// them. Throws as importers of other operators do.
struct SequenceRow {
    std::string_view op;
    ImportedValue (*import)(NodeImport &node, const std::vector<ImportedValue> &inputs);
};

std::span<const SequenceRow> sequenceImports();

/// Tensors of one shape side by side along a new axis.
Value stacked(NodeImport &node, Values parts, std::int64_t axis);

} // namespace nestwright::graph::onnx
