// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/catalog/relu.h"

#include <algorithm>

namespace nestwright::catalog {

namespace {

const Parameter addReluParameters[] = {
    {"M", 1024, 1, "rows"},
    {"N", 1024, 1, "columns"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::vector<te::Argument> buildAddRelu(te::Builder &builder, const Values &values)
{
    const std::vector<te::Expr> shape{values.size("M"), values.size("N")};
    const te::Tensor a = builder.placeholder(shape, values.dtype(), "A");
    const te::Tensor b = builder.placeholder(shape, values.dtype(), "B");
    const te::Tensor add = builder.compute(
        shape, {"i", "j"}, [&](const std::vector<te::Expr> &i) { return te::Body(a.at(i) + b.at(i)); },
        "add");
    const te::Tensor c = builder.compute(
        shape, {"i", "j"}, [&](const std::vector<te::Expr> &i) { return te::Body(relu(add.at(i))); }, "C");
    return {a, b, c};
}

void addReluReference(const Values &, std::span<ir::NdArray *const> arguments)
{
    for (std::int64_t i = 0; i < arguments[2]->size(); ++i)
        arguments[2]->set(i, std::max(arguments[0]->at(i) + arguments[1]->at(i), 0.0));
}

} // namespace

const Preset addReluPreset{
    .name = "add_relu",
    .title = "Sum and ReLU",
    .summary = "C = max(A + B, 0), in two stages",
    .parameters = addReluParameters,
    .check = &anyNumber,
    .build = &buildAddRelu,
    .reference = &addReluReference,
};

} // namespace nestwright::catalog
