// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"

namespace nestwright::catalog {

namespace {

const Parameter rowSumParameters[] = {
    {"M", 1024, 1, "rows of A, elements of B"},
    {"N", 1024, 1, "columns of A, summed over"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::vector<te::Argument> buildRowSum(te::Builder &builder, const Values &values)
{
    const te::Expr m = values.size("M"), n = values.size("N");
    const te::Tensor a = builder.placeholder({m, n}, values.dtype(), "A");
    const te::IterVar k = te::reduceAxis(n, "k");
    const te::Tensor b = builder.compute(
        {m}, {"i"}, [&](const std::vector<te::Expr> &i) { return te::sum(a(i[0], k.var), {k}); }, "B");
    return {a, b};
}

void rowSumReference(const Values &values, std::span<ir::NdArray *const> arguments)
{
    const std::int64_t m = values.size("M"), n = values.size("N");
    for (std::int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < n; ++j)
            sum += arguments[0]->at(i * n + j);
        arguments[1]->set(i, sum);
    }
}

} // namespace

const Preset rowSumPreset{
    .name = "row_sum",
    .title = "Row sums",
    .summary = "B[i] = sum of A[i, j] over j",
    .parameters = rowSumParameters,
    .check = &anyNumber,
    .build = &buildRowSum,
    .reference = &rowSumReference,
};

} // namespace nestwright::catalog
