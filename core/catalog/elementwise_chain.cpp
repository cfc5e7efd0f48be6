// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/ir/build/builder.h"

namespace nestwright::catalog {

namespace {

const Parameter chainParameters[] = {
    {"n", 0, 0, "number of elements; 0 leaves it open, as the symbolic size n"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::vector<te::Argument> buildChain(te::Builder &builder, const Values &values)
{
    const te::Expr n = values.size("n") == 0 ? te::Expr(te::Var("n")) : te::Expr(values.size("n"));
    const te::Tensor a = builder.placeholder({n}, values.dtype(), "A");
    const te::Tensor b = builder.compute(
        {n}, {"i"},
        [&](const std::vector<te::Expr> &i) { return te::Body(a.at(i) + ir::constant(1, values.dtype())); },
        "B");
    const te::Tensor c = builder.compute(
        {n}, {"i"},
        [&](const std::vector<te::Expr> &i) { return te::Body(b.at(i) * ir::constant(2, values.dtype())); },
        "C");
    return {a, c};
}

void chainReference(const Values &, std::span<ir::NdArray *const> arguments)
{
    for (std::int64_t i = 0; i < arguments[1]->size(); ++i)
        arguments[1]->set(i, (arguments[0]->at(i) + 1) * 2);
}

} // namespace

const Preset elementwiseChainPreset{
    .name = "elementwise_chain",
    .title = "Chain of element-wise stages",
    .summary = "B = A + 1, C = B * 2",
    .parameters = chainParameters,
    .check = &anyNumber,
    .build = &buildChain,
    .reference = &chainReference,
};

} // namespace nestwright::catalog
