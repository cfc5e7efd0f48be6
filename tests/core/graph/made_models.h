// SPDX-License-Identifier: Apache-2.0
/// Small models of ONNX made in tests.
#pragma once

#include "core/frontend/onnx/importer.h"

namespace nestwright::tests {

using namespace graph::onnx;

inline OnnxNode node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs)
{
    OnnxNode made;
    made.op = std::move(op);
    made.name = "n";
    made.inputs = std::move(inputs);
    made.outputs = std::move(outputs);
    return made;
}

inline OnnxValue floats(std::string name, std::vector<std::variant<std::int64_t, std::string>> shape)
{
    OnnxValue value;
    value.name = std::move(name);
    value.dtype = ir::DataType::float32();
    value.hasShape = true;
    value.shape = std::move(shape);
    return value;
}

inline OnnxModel model(std::vector<OnnxNode> nodes, std::vector<OnnxValue> inputs = {floats("x", {2, 3})})
{
    OnnxModel made;
    made.opset = 18;
    made.nodes = std::move(nodes);
    made.inputs = std::move(inputs);
    made.outputs = {floats("y", {})};
    return made;
}

inline std::string codeOf(const OnnxModel &model, const ImportOptions &options = {})
{
    const auto imported = importModel(model, options);
    return imported ? "imported" : imported.error().code;
}

} // namespace nestwright::tests
