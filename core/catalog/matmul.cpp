// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/matmul.h"

#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <limits>

namespace nestwright::catalog {

Product multiply(te::Builder &builder, const Values &values, const std::string &outputName)
{
    const te::Expr m = values.size("M"), n = values.size("N"), k = values.size("K");
    Product product;
    product.a = builder.placeholder({m, k}, values.dtype(), "A");
    product.b = builder.placeholder({k, n}, values.dtype(), "B");
    const te::IterVar axis = te::reduceAxis(k, "k");
    product.c = builder.compute(
        {m, n}, {"i", "j"},
        [&](const std::vector<te::Expr> &i) {
            return te::sum(product.a(i[0], axis.var) * product.b(axis.var, i[1]), {axis});
        },
        outputName);
    return product;
}

void multiplyReference(const Values &values, std::span<ir::NdArray *const> arguments, double least)
{
    const ir::NdArray &a = *arguments[0], &b = *arguments[1];
    const std::int64_t m = values.size("M"), n = values.size("N"), k = values.size("K");
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t l = 0; l < k; ++l)
                sum += a.at(i * k + l) * b.at(l * n + j);
            arguments[2]->set(i * n + j, std::max(sum, least));
        }
    }
}

namespace {

const Parameter matmulParameters[] = {
    {"M", 1024, 1, "rows of A and C"},
    {"N", 1024, 1, "columns of B and C"},
    {"K", 1024, 1, "columns of A, rows of B"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::vector<te::Argument> buildMatmul(te::Builder &builder, const Values &values)
{
    const Product product = multiply(builder, values, "C");
    return {product.a, product.b, product.c};
}

} // namespace

const Preset matmulPreset{
    .name = "matmul",
    .title = "Matrix product",
    .summary = "C = A · B",
    .parameters = matmulParameters,
    .check = &anyNumber,
    .build = &buildMatmul,
    .reference =
        [](const Values &values, std::span<ir::NdArray *const> arguments) {
            multiplyReference(values, arguments, -std::numeric_limits<double>::infinity());
        },
};

} // namespace nestwright::catalog
