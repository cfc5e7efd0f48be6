// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_check.h"

#include "core/frontend/onnx/importer.h"
#include "core/graph/passes/passes.h"

namespace nestwright::tests {

namespace {

std::string faultOf(const support::Diagnostic &told)
{
    return told.code.empty() || told.message.empty() ? "a Diagnostic without a code or a message" : "";
}

} // namespace

std::string checkModel(std::string_view bytes)
{
    const auto model = graph::onnx::readModelBytes(bytes, "/nonexistent");
    if (!model)
        return faultOf(model.error());
    graph::onnx::ImportOptions options;
    for (const graph::onnx::OnnxValue &input : model->inputs) {
        for (const auto &size : input.shape) {
            if (const auto *name = std::get_if<std::string>(&size))
                options.sizes[*name] = 2;
        }
    }
    auto imported = graph::onnx::importModel(*model, options);
    if (!imported)
        return faultOf(imported.error());
    if (const std::string wrong = verify(imported->function); !wrong.empty())
        return "imported: " + wrong;
    graph::PassContext context;
    context.level = 1;
    const auto fused = graph::optimize(std::move(imported->function), context);
    return fused ? "" : "fused: " + fused.error().message;
}

} // namespace nestwright::tests
