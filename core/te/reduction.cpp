// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"
#include "core/te/tensor.h"

#include <format>

namespace nestwright::te {

using support::diagnostic;
using support::UserError;

namespace {

void checkReduceAxes(const std::vector<IterVar> &axes, const std::string &name)
{
    if (axes.empty()) {
        throw UserError(
            diagnostic("te.not-reduce-axis", std::format("{}() is given no axis to reduce over", name))
                .withHint("make one with te.reduce_axis((0, n), \"k\")"));
    }
    for (const IterVar &axis : axes) {
        if (axis.kind != ir::IterKind::Reduce) {
            throw UserError(
                diagnostic("te.not-reduce-axis", std::format("{}() is given \"{}\", which is no reduce axis",
                                                             name, axis.var.name()))
                    .withHint("make one with te.reduce_axis((0, n), \"k\")"));
        }
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
        throw UserError(diagnostic(
            "te.output-count",
            std::format(
                "the reducer \"{}\" is given {} value{}, but combines to {} and has an identity of {}",
                combiner.name, sources.size(), sources.size() == 1 ? "" : "s", combiner.result.size(),
                combiner.identity.size())));
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
        // 0 for a float sum and the like: constants take the type of the element.
        if (combiner.identity[i].dtype() != types[i])
            combiner.identity[i] = ir::converted(types[i], combiner.identity[i]);
        if (combiner.result[i].dtype() != types[i])
            combiner.result[i] = ir::converted(types[i], combiner.result[i]);
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
        "max", value, std::move(axes), [](const Expr &a, const Expr &b) { return ir::max(a, b); },
        &ir::minValue);
}

Reduction min(const Expr &value, std::vector<IterVar> axes)
{
    return simple(
        "min", value, std::move(axes), [](const Expr &a, const Expr &b) { return ir::min(a, b); },
        &ir::maxValue);
}

Reduction prod(const Expr &value, std::vector<IterVar> axes)
{
    return simple(
        "prod", value, std::move(axes), [](const Expr &a, const Expr &b) { return a * b; },
        [](DataType dtype) { return ir::constant(1, dtype); });
}

} // namespace nestwright::te
