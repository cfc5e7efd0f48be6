// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/catalog/matmul.h"
#include "core/catalog/relu.h"

namespace nestwright::catalog {

namespace {

const Parameter matmulReluParameters[] = {
    {"M", 1024, 1, "rows of A and C"},
    {"N", 1024, 1, "columns of B and C"},
    {"K", 1024, 1, "columns of A, rows of B"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::vector<te::Argument> buildMatmulRelu(te::Builder &builder, const Values &values)
{
    const Product product = multiply(builder, values, "Y");
    const te::Tensor c = builder.compute(
        product.c.shape(), {"i", "j"},
        [&](const std::vector<te::Expr> &i) { return te::Body(relu(product.c.at(i))); }, "C");
    return {product.a, product.b, c};
}

} // namespace

const Preset matmulReluPreset{
    .name = "matmul_relu",
    .title = "Matrix product and ReLU",
    .summary = "C = max(A · B, 0), in two stages",
    .parameters = matmulReluParameters,
    .check = &anyNumber,
    .build = &buildMatmulRelu,
    .reference = [](const Values &values,
                    std::span<ir::NdArray *const> arguments) { multiplyReference(values, arguments, 0); },
};

} // namespace nestwright::catalog
