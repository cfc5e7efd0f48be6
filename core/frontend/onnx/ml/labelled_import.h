// SPDX-License-Identifier: Apache-2.0
/// Operators that may take or give text: a tensor of text is a tensor of places (int64) in a table, so that
/// kernels pick text without computing with it.
#pragma once

#include "core/frontend/onnx/imported_value.h"

#include <unordered_map>

namespace nestwright::graph::onnx {

using ImportedValues = std::vector<ImportedValue>;

/// One such operator: gives its results. Throws as importers of other operators do.
struct LabelledRow {
    std::string_view op;
    ImportedValues (*import)(NodeImport &node, const ImportedValues &inputs);
};

// Operators of the domain ai.onnx.ml:
std::span<const LabelledRow> featureImports();
std::span<const LabelledRow> labelImports();
std::span<const LabelledRow> linearModelImports();
std::span<const LabelledRow> vectorMachineImports();
std::span<const LabelledRow> treeImports();

/// The results of ONNX's own operator where some inputs are text, or for a constant of text; nothing where
/// neither is so. `row` imports the operator for numbers, or is null. Throws support::UserError "onnx.text"
/// where it would compute with text.
std::optional<ImportedValues> importText(NodeImport &node, const ImportRow *row,
                                         const ImportedValues &inputs);

/// The first place of each text.
std::unordered_map<std::string_view, std::int64_t> placesOfTexts(const std::vector<std::string> &texts);
/// A table of these texts.
Texts textTable(std::vector<std::string> texts);
/// Throws "onnx.text" where the input is text.
void requireNumbers(const NodeImport &node, const ImportedValues &inputs, std::size_t i = 0);

} // namespace nestwright::graph::onnx
