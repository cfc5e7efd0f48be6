// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/iter_inverse.h"

#include "core/ir/builder.h"

namespace nestwright::schedule {

namespace {

using Values = ir::VarMap<ir::Expr>;

/// What the fused source or variable of `split` is, given the value of this part; contributions of several parts add up.
bool addPart(const arith::IterSplit &split, const ir::Expr &value, Values &values, arith::Analyzer &analyzer)
{
    const ir::Expr scaled = analyzer.simplify(value * split.lowerFactor);
    if (const ir::Var var = ir::Var::from(split.source->var)) {
        ir::Expr &sum = values[var];
        sum = sum ? sum + scaled : scaled;
        return true;
    }
    // A part of a fused source tells something of the variables only when it is all of the source.
    return !split.source->var && ir::isConstInt(split.lowerFactor, 1);
}

bool addSum(const arith::IterSum &sum, const ir::Expr &output, Values &values, arith::Analyzer &analyzer);

bool addSplit(const arith::IterSplit &split, bool isOutermost, const ir::Expr &output, Values &values,
              arith::Analyzer &analyzer)
{
    ir::Expr value = ir::floorDiv(output, split.scale);
    if (!isOutermost)
        value = ir::floorMod(value, split.extent);
    if (!addPart(split, value, values, analyzer))
        return false;
    return split.source->var || addSum(split.source->sum, value, values, analyzer);
}

bool addSum(const arith::IterSum &sum, const ir::Expr &output, Values &values, arith::Analyzer &analyzer)
{
    const ir::Expr shifted = output - sum.base;
    for (std::size_t i = 0; i < sum.args.size(); ++i) {
        if (!addSplit(sum.args[i], i == 0, shifted, values, analyzer))
            return false;
    }
    return true;
}

} // namespace

std::optional<ir::VarMap<ir::Expr>> inverseOf(const arith::IterMap &map, const std::vector<ir::Expr> &outputs,
                                              arith::Analyzer &analyzer)
{
    Values values;
    for (std::size_t i = map.indices.size();
         i-- > 0;) { // the last index varies fastest, so its terms come first
        if (!addSum(map.indices[i], outputs[i], values, analyzer))
            return std::nullopt;
    }
    return values;
}

const std::vector<arith::IterSplit> &partsOf(const arith::IterSum &sum)
{
    const bool isFused = sum.args.size() == 1 && !sum.args.front().source->var
                         && ir::isConstInt(sum.args.front().scale, 1)
                         && ir::isConstInt(sum.args.front().lowerFactor, 1);
    return isFused ? sum.args.front().source->sum.args : sum.args;
}

} // namespace nestwright::schedule
