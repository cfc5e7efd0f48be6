// SPDX-License-Identifier: Apache-2.0
/// Import of an ONNX model as a graph.
#pragma once

#include "core/frontend/onnx/file/model.h"
#include "core/graph/output_labels.h"
#include "core/graph/run/late_outputs.h"
#include "core/graph/run/sequence_output.h"

#include <map>
#include <string>
#include <vector>

namespace nestwright::graph::onnx {

using NarrowTypes = std::map<std::string, ir::DataType, std::less<>>;

struct ImportOptions {
    std::map<std::string, std::int64_t> sizes; ///< of symbolic dimensions, by name
    /// Inputs of the model whose data are at hand: taken where an operator must know them when the model is
    /// opened (a shape, axes). Their shapes settle symbolic dimensions too. Inputs that the model has a
    /// default for are inputs of the function where they are among these.
    std::map<std::string, Data> data;
    /// Tensors of inputs that are sequences, which are inputs "NAME.0", "NAME.1", … of the function. An
    /// optional input without data is missing.
    std::map<std::string, std::vector<Data>> sequences{};
};

struct Imported {
    Function function;
    std::vector<std::string> fixedInputs;   ///< inputs whose data were folded in
    std::vector<std::string> symbolicSizes; ///< dimensions that are open, by name
    /// The narrow types (ops::heldType) of inputs, and of outputs and results of nodes, by name.
    NarrowTypes narrowInputs, narrowResults;
    SequenceOutputs sequences{};
    std::vector<LateOutput> lateOutputs{}; ///< outputs with a size known only at run time
    LabelTable labels{};                   ///< of outputs that are text, or whose columns have names
};

/// Errors name the node: "onnx.operator" (an operator that is not known), "onnx.refused" (one that is not
/// supported on purpose, with the reason), "onnx.value-needed" (an operator's input must be known but depends
/// on an input of the model), "onnx.attribute", "onnx.value" (a name that nothing defines, or defined twice),
/// "onnx.type" (an input that is no tensor), "onnx.shape" (data given for an input do not have its type),
/// "onnx.narrow" (an element is no number of the narrow type), and those of the operators.
support::Result<Imported> importModel(const OnnxModel &model, const ImportOptions &options = {});

/// An operator as a model names it.
struct OperatorName {
    std::string domain; ///< empty for ONNX's own
    std::string op;
    auto operator<=>(const OperatorName &) const = default;
};

/// The operators that can be imported, sorted; and those that are refused on purpose, with the reason.
std::vector<OperatorName> importedOperators();
std::vector<std::pair<OperatorName, std::string_view>> refusedOperators();

/// The operator sets of a domain that are read, for people: "1 to 28".
std::string readVersions(std::string_view domain);

} // namespace nestwright::graph::onnx
