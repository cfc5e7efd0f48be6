// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/ir/build/intrinsics.h"

#include <cmath>

namespace nestwright::catalog {

namespace {

const Parameter sigmoidParameters[] = {
    {"M", 1024, 1, "rows"},
    {"N", 1024, 1, "columns"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::vector<te::Argument> buildSigmoid(te::Builder &builder, const Values &values)
{
    const std::vector<te::Expr> shape{values.size("M"), values.size("N")};
    const te::Tensor a = builder.placeholder(shape, values.dtype(), "A");
    const te::Tensor b = builder.compute(
        shape, {"i", "j"},
        [&](const std::vector<te::Expr> &i) { return te::Body(te::math(ir::intrinsics::sigmoid, a.at(i))); },
        "B");
    return {a, b};
}

void sigmoidReference(const Values &, std::span<ir::NdArray *const> arguments)
{
    for (std::int64_t i = 0; i < arguments[1]->size(); ++i)
        arguments[1]->set(i, 1.0 / (1.0 + std::exp(-arguments[0]->at(i))));
}

} // namespace

const Preset sigmoidPreset{
    .name = "sigmoid",
    .title = "Sigmoid",
    .summary = "B = 1 / (1 + exp(-A))",
    .parameters = sigmoidParameters,
    .check = &floatsOnly,
    .build = &buildSigmoid,
    .reference = &sigmoidReference,
};

} // namespace nestwright::catalog
