// SPDX-License-Identifier: Apache-2.0
#include "core/arith/iter_map/inverse.h"

#include "core/arith/iter_map/inverse_mapper.h"
#include "core/ir/build/builder.h"

namespace nestwright::arith {

namespace {

struct PointRules {
    ir::Expr without(const ir::Expr &output, const ir::Expr &base) const { return output - base; }

    ir::Expr part(const IterSplit &split, bool isOutermost, const ir::Expr &position) const
    {
        ir::Expr value = ir::floorDiv(position, split.scale);
        if (!isOutermost) // which has nothing above it
            value = ir::floorMod(value, split.extent);
        return value * split.lowerFactor;
    }

    ir::Expr plus(const ir::Expr &a, const ir::Expr &b) const { return a + b; }
};

} // namespace

ir::VarMap<ir::Expr> inverseOf(const IterMap &map, const std::vector<ir::Expr> &outputs)
{
    InverseMapper<ir::Expr, PointRules> mapper(PointRules{});
    for (std::size_t i = map.indices.size();
         i-- > 0;) // the last index varies fastest, so its terms come first
        mapper.sum(map.indices[i], outputs[i]);
    return mapper.finish();
}

} // namespace nestwright::arith
