// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::catalog {

namespace {

const Parameter softmaxParameters[] = {
    {"M", 1024, 1, "rows, each normalised by itself"},
    {"N", 1024, 1, "columns"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

/// The largest element of a row is subtracted first, so that no exponential overflows.
std::vector<te::Argument> buildSoftmax(te::Builder &builder, const Values &values)
{
    const te::Expr m = values.size("M"), n = values.size("N");
    const te::Tensor a = builder.placeholder({m, n}, values.dtype(), "A");
    const te::IterVar k = te::reduceAxis(n, "k");
    const te::Tensor largest = builder.compute(
        {m}, {"i"}, [&](const std::vector<te::Expr> &i) { return te::max(a(i[0], k.var), {k}); }, "row_max");
    const te::Tensor exponential = builder.compute(
        {m, n}, {"i", "j"},
        [&](const std::vector<te::Expr> &i) {
            return te::Body(te::math(ir::intrinsics::exp, a.at(i) - largest(i[0])));
        },
        "row_exp");
    const te::IterVar l = te::reduceAxis(n, "k");
    const te::Tensor total = builder.compute(
        {m}, {"i"}, [&](const std::vector<te::Expr> &i) { return te::sum(exponential(i[0], l.var), {l}); },
        "row_sum");
    const te::Tensor b = builder.compute(
        {m, n}, {"i", "j"},
        [&](const std::vector<te::Expr> &i) { return te::Body(te::divide(exponential.at(i), total(i[0]))); },
        "B");
    return {a, b};
}

void softmaxReference(const Values &values, std::span<ir::NdArray *const> arguments)
{
    const std::int64_t m = values.size("M"), n = values.size("N");
    for (std::int64_t i = 0; i < m; ++i) {
        double largest = -std::numeric_limits<double>::infinity(), total = 0;
        for (std::int64_t j = 0; j < n; ++j)
            largest = std::max(largest, arguments[0]->at(i * n + j));
        for (std::int64_t j = 0; j < n; ++j)
            total += std::exp(arguments[0]->at(i * n + j) - largest);
        for (std::int64_t j = 0; j < n; ++j)
            arguments[1]->set(i * n + j, std::exp(arguments[0]->at(i * n + j) - largest) / total);
    }
}

} // namespace

const Preset softmaxPreset{
    .name = "softmax",
    .title = "Softmax",
    .summary = "B = exp(A - max) / sum of these, row by row, in four stages",
    .parameters = softmaxParameters,
    .check = &floatsOnly,
    .build = &buildSoftmax,
    .reference = &softmaxReference,
};

} // namespace nestwright::catalog
