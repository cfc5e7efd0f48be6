// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/support/errors.h"
#include "core/te/tensor.h"

#include <format>
#include <limits>

namespace nestwright::te {

using support::diagnostic;
using support::ScheduleError;

namespace {

void checkReduceAxes(const std::vector<IterVar> &axes, const std::string &name)
{
    if (axes.empty()) {
        throw ScheduleError(
            diagnostic("te.not-reduce-axis", std::format("{}() is given no axis to reduce over", name))
                .withHint("make one with te.reduce_axis((0, n), \"k\")"));
    }
    for (const IterVar &axis : axes) {
        if (axis.kind != ir::IterKind::Reduce) {
            throw ScheduleError(
                diagnostic("te.not-reduce-axis", std::format("{}() is given \"{}\", which is no reduce axis",
                                                             name, axis.var.name()))
                    .withHint("make one with te.reduce_axis((0, n), \"k\")"));
        }
    }
}

/// Largest finite value of a float of `bits` (float16, float32, float64).
double largestFloat(DataType dtype)
{
    if (dtype.code == ir::TypeCode::BFloat)
        return 3.3895313892515355e38;
    switch (dtype.bits) {
    case 16: return 65504.0;
    case 64: return std::numeric_limits<double>::max();
    default: return std::numeric_limits<float>::max();
    }
}

Reduction simple(const char *name, const Expr &value, std::vector<IterVar> axes,
                 Expr (*combine)(const Expr &, const Expr &), Expr (*identity)(DataType))
{
    return reduce(
        name,
        [combine](const std::vector<Expr> &a, const std::vector<Expr> &b) {
            return std::vector<Expr>{combine(a[0], b[0])};
        },
        [identity](const std::vector<DataType> &types) { return std::vector<Expr>{identity(types[0])}; },
        {value}, std::move(axes));
}

} // namespace

Expr minValue(DataType dtype)
{
    if (dtype.isFloating())
        return ir::floatImm(-largestFloat(dtype), dtype);
    if (dtype.isUInt() || dtype.isBool())
        return ir::intImm(0, dtype);
    return ir::intImm(-(std::int64_t{1} << (dtype.bits - 2)) * 2, dtype);
}

Expr maxValue(DataType dtype)
{
    if (dtype.isFloating())
        return ir::floatImm(largestFloat(dtype), dtype);
    if (dtype.isBool())
        return ir::intImm(1, dtype);
    if (dtype.isUInt()) {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - dtype.bits);
        return ir::intImm(static_cast<std::int64_t>(all), dtype);
    }
    return ir::intImm(((std::int64_t{1} << (dtype.bits - 2)) - 1) * 2 + 1, dtype);
}

Reduction reduce(std::string name, const CombineFunction &combine, const IdentityFunction &identity,
                 std::vector<Expr> sources, std::vector<IterVar> axes)
{
    checkReduceAxes(axes, name);
    Combiner combiner{.name = std::move(name), .lhs = {}, .rhs = {}, .result = {}, .identity = {}};
    std::vector<DataType> types;
    std::vector<Expr> lhs, rhs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        types.push_back(sources[i].dtype());
        combiner.lhs.emplace_back(std::format("x{}", i), types[i]);
        combiner.rhs.emplace_back(std::format("y{}", i), types[i]);
        lhs.push_back(combiner.lhs[i]);
        rhs.push_back(combiner.rhs[i]);
    }
    combiner.result = combine(lhs, rhs);
    combiner.identity = identity(types);
    if (combiner.result.size() != sources.size() || combiner.identity.size() != sources.size()) {
        throw ScheduleError(diagnostic(
            "te.output-count",
            std::format(
                "the reducer \"{}\" is given {} value{}, but combines to {} and has an identity of {}",
                combiner.name, sources.size(), sources.size() == 1 ? "" : "s", combiner.result.size(),
                combiner.identity.size())));
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
        // 0 for a float sum and the like: constants take the type of what they stand for.
        if (combiner.identity[i].dtype() != types[i])
            combiner.identity[i] = ir::cast(types[i], combiner.identity[i]);
        if (combiner.result[i].dtype() != types[i])
            combiner.result[i] = ir::cast(types[i], combiner.result[i]);
    }
    return {
        std::make_shared<const Combiner>(std::move(combiner)), std::move(sources), std::move(axes), {}, {}};
}

Reduction sum(const Expr &value, std::vector<IterVar> axes)
{
    return simple(
        "sum", value, std::move(axes), [](const Expr &a, const Expr &b) { return a + b; },
        [](DataType dtype) { return ir::constant(0, dtype); });
}

Reduction max(const Expr &value, std::vector<IterVar> axes)
{
    return simple(
        "max", value, std::move(axes), [](const Expr &a, const Expr &b) { return ir::max(a, b); }, &minValue);
}

Reduction min(const Expr &value, std::vector<IterVar> axes)
{
    return simple(
        "min", value, std::move(axes), [](const Expr &a, const Expr &b) { return ir::min(a, b); }, &maxValue);
}

Reduction prod(const Expr &value, std::vector<IterVar> axes)
{
    return simple(
        "prod", value, std::move(axes), [](const Expr &a, const Expr &b) { return a * b; },
        [](DataType dtype) { return ir::constant(1, dtype); });
}

} // namespace nestwright::te
