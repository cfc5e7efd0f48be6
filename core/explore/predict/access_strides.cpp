// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/access_strides.h"

#include "core/analysis/access/regions.h"
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/strides.h"

namespace nestwright::explore {

namespace {

/// Elements from one index of each dimension to the next, in a apart buffer; nothing where a size is
/// symbolic.
std::vector<std::optional<std::int64_t>> stridesOf(const ir::Buffer &buffer)
{
    const std::vector<ir::Expr> &shape = buffer.shape();
    std::vector<std::optional<std::int64_t>> strides(shape.size());
    std::optional<std::int64_t> stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = stride;
        const std::int64_t *extent = ir::asInt(shape[i]);
        stride = stride && extent ? std::optional(*stride * *extent) : std::nullopt;
    }
    return strides;
}

class Strides {
public:
    Strides(const analysis::FunctionIndex &index, StmtId block, const std::vector<StmtId> &loops)
        : m_index(index)
        , m_block(*index.block(block))
        , m_loops(loops)
    {
        analysis::bindEnclosing(m_analyzer, index, block);
        for (const StmtId loop : loops)
            m_begin.emplace(index.loop(loop)->var, index.loop(loop)->min);
    }

    AccessStrides of(const ir::BufferRegion &region, bool isWrite)
    {
        AccessStrides access{.buffer = region.buffer, .isWrite = isWrite};
        const arith::Region place = analysis::realized(m_block, region.region);
        const auto apart = stridesOf(region.buffer);
        for (const ir::Range &range : place) {
            const ir::Expr extent = m_analyzer.simplify(range.extent);
            if (const std::int64_t *size = ir::asInt(extent))
                access.elements *= static_cast<double>(*size);
        }
        for (const StmtId loop : m_loops)
            access.strides.push_back(strideAlong(*m_index.loop(loop), place, apart));
        return access;
    }

private:
    /// Stride from the first iteration to the second: in a fused loop both lie in one row.
    std::optional<std::int64_t> strideAlong(const ir::For &loop, const arith::Region &place,
                                            const std::vector<std::optional<std::int64_t>> &apart)
    {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < place.size(); ++i) {
            const ir::Expr first = ir::substitute(place[i].min, {{loop.var, loop.min}});
            const ir::Expr second =
                ir::substitute(place[i].min, {{loop.var, loop.min + ir::intImm(1, loop.var->dtype)}});
            ir::Expr step = m_analyzer.simplify(second - first);
            if (!ir::asInt(step)) // not the same everywhere, or not to be seen: where all loops begin
                step = arith::simplify(ir::substitute(second - first, m_begin));
            const std::int64_t *by = ir::asInt(step);
            if (!by || (*by != 0 && !apart[i]))
                return std::nullopt;
            total += *by == 0 ? 0 : *by * *apart[i];
        }
        return total;
    }

    const analysis::FunctionIndex &m_index;
    const ir::Block &m_block;
    const std::vector<StmtId> &m_loops;
    arith::Analyzer m_analyzer;
    ir::VarMap<ir::Expr> m_begin; ///< of the loops
};

} // namespace

std::vector<AccessStrides> accessStrides(const analysis::FunctionIndex &index, StmtId block,
                                         const std::vector<StmtId> &loops)
{
    Strides strides(index, block, loops);
    std::vector<AccessStrides> accesses;
    for (const ir::BufferRegion &read : index.block(block)->reads)
        accesses.push_back(strides.of(read, false));
    for (const ir::BufferRegion &write : index.block(block)->writes)
        accesses.push_back(strides.of(write, true));
    return accesses;
}

} // namespace nestwright::explore
