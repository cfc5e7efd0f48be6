// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge/reached_bound.h"

#include "core/arith/knowledge/linear.h"
#include "core/ir/build/builder.h"

namespace nestwright::arith {

using ir::Expr;
using ir::Var;

namespace {

bool isWidening(const ir::Cast &cast)
{
    return cast.dtype.isInt() && cast.value.dtype().isInt() && cast.dtype.bits >= cast.value.dtype().bits;
}

} // namespace

std::optional<ConstIntBound> reachedBound(const Expr &index, const ir::VarMap<ir::Range> &ranges)
{
    LinearSum sum;
    sum.add(index);
    ir::VarMap<std::int64_t> factors;
    bool overflow = sum.overflow;
    for (const LinearTerm &term : sum.terms) {
        Expr atom = term.atom;
        for (auto *cast = atom.as<ir::Cast>(); cast && isWidening(*cast); cast = atom.as<ir::Cast>())
            atom = cast->value;
        if (!Var::from(atom))
            return std::nullopt;
        std::int64_t &factor = factors[Var::from(atom)];
        overflow |= __builtin_add_overflow(factor, term.coeff, &factor);
    }
    ConstIntBound values{sum.base, sum.base};
    for (const auto &[var, factor] : factors) {
        if (factor == 0)
            continue;
        const auto range = ranges.find(var);
        if (range == ranges.end())
            return std::nullopt;
        const std::int64_t *min = ir::asInt(range->second.min), *extent = ir::asInt(range->second.extent);
        if (!min || !extent || *extent <= 0)
            return std::nullopt;
        values = values + ConstIntBound{factor, factor} * ConstIntBound{*min, satAdd(*min, *extent - 1)};
    }
    return overflow || !values.isFinite() ? std::nullopt : std::optional(values);
}

} // namespace nestwright::arith
