// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/footprint.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"

#include <algorithm>
#include <cmath>

namespace nestwright::analysis {

namespace {

struct Touched {
    Footprint footprint;
    arith::Region region;
};

class Collector {
public:
    /// Loops below `outer` run, those around it stand still.
    Collector(const FunctionIndex &index, StmtId outer) : m_index(index), m_outer(outer) {}

    void add(StmtId block, const std::vector<ir::BufferRegion> &regions, bool isWrite)
    {
        for (const ir::BufferRegion &region : regions) {
            arith::Region box = boxOf(block, region);
            auto known = std::ranges::find_if(
                m_touched, [&](const Touched &t) { return t.footprint.buffer == region.buffer; });
            if (known == m_touched.end())
                known = m_touched.insert(m_touched.end(),
                                         {{.buffer = region.buffer, .bytes = {}}, std::move(box)});
            else
                known->region = unionOf(known->region, box, m_analyzer);
            (isWrite ? known->footprint.written : known->footprint.read) = true;
        }
    }

    std::vector<Footprint> result()
    {
        std::vector<Footprint> footprints;
        for (Touched &touched : m_touched) {
            measure(touched);
            footprints.push_back(touched.footprint);
        }
        return footprints;
    }

private:
    /// The region touched. Where a predicate that shortens the last iteration leaves an extent unknown, the
    /// region without the predicate.
    arith::Region boxOf(StmtId block, const ir::BufferRegion &region)
    {
        arith::Region box = touchedBelow(m_index, block, region, m_outer, m_analyzer);
        const auto isKnown = [&](const ir::Range &range) { return extentOf(range.extent).has_value(); };
        if (std::ranges::all_of(box, isKnown))
            return box;
        auto whole = arith::regionOver(realized(*m_index.block(block), region.region),
                                       loopDomains(m_index, block, m_outer), m_analyzer);
        return whole && std::ranges::all_of(*whole, isKnown) ? std::move(*whole) : box;
    }

    /// Sets the bytes, where no size is symbolic. An extent is at most the buffer's own: a guarded access may
    /// seem to go beyond.
    void measure(Touched &touched)
    {
        const ir::DataType dtype = touched.footprint.buffer.dtype();
        double bytes = dtype.bytes() * dtype.lanes, run = bytes, rows = 1, distance = bytes;
        bool isDense = true; // what was seen of the region, from the last dimension on
        for (std::size_t i = touched.region.size(); i-- > 0;) {
            const std::optional<double> touchedExtent = extentOf(touched.region[i].extent);
            const std::optional<double> whole = extentOf(touched.footprint.buffer.shape()[i]);
            if (!touchedExtent && !whole)
                return;
            const double most = whole ? *whole : *touchedExtent;
            const double extent = touchedExtent ? std::min(*touchedExtent, most) : most;
            bytes *= extent;
            (isDense ? run : rows) *= extent;
            distance *= isDense ? most : 1;
            isDense = isDense && extent == whole;
        }
        touched.footprint.bytes = bytes;
        touched.footprint.rows = rows;
        touched.footprint.rowBytes = std::ceil(run / lineSize) * lineSize;
        touched.footprint.rowDistance = rows > 1 ? distance : touched.footprint.rowBytes;
    }

    std::optional<double> extentOf(const ir::Expr &extent)
    {
        const ir::Expr simple = m_analyzer.simplify(extent);
        const std::int64_t *value = ir::asInt(simple);
        return value ? std::optional(static_cast<double>(*value)) : largestOf(simple);
    }

    /// Largest value of an extent that depends on the enclosing loops, such as (6 * i + 5) // 16 - 6 * i //
    /// 16 + 1, over a sample of their iterations with the first and the last; nothing where a size is
    /// symbolic.
    std::optional<double> largestOf(const ir::Expr &extent)
    {
        constexpr std::int64_t parts = 8;
        std::optional<double> largest;
        for (std::int64_t part = 0; part <= parts; ++part) {
            ir::VarMap<ir::Expr> values;
            for (StmtId id = m_outer; id; id = m_index.parent(id)) {
                const ir::For *loop = m_index.loop(id);
                const std::int64_t *begin = loop ? ir::asInt(loop->min) : nullptr;
                const std::int64_t *count = loop ? ir::asInt(loop->extent) : nullptr;
                if (begin && count)
                    values[loop->var] = ir::intImm(*begin + (*count - 1) * part / parts, loop->var->dtype);
            }
            const ir::Expr at = m_analyzer.simplify(ir::substitute(extent, values));
            const std::int64_t *value = ir::asInt(at);
            if (!value)
                return std::nullopt;
            largest = std::max(largest.value_or(0), static_cast<double>(*value));
        }
        return largest;
    }

    const FunctionIndex &m_index;
    StmtId m_outer;
    arith::Analyzer m_analyzer;
    std::vector<Touched> m_touched;
};

std::vector<Footprint> footprint(const FunctionIndex &index, StmtId id, StmtId outer)
{
    Collector collector(index, outer);
    for (StmtId block : blocksThrough(index, id)) {
        collector.add(block, index.block(block)->reads, false);
        collector.add(block, index.block(block)->writes, true);
    }
    return collector.result();
}

} // namespace

std::vector<Footprint> footprintOfIteration(const FunctionIndex &index, StmtId loop)
{
    const ir::Block *block = index.block(loop);
    if (!block || !index.childBlocks(loop).empty())
        return footprint(index, loop, loop);
    // A leaf block accesses exactly the declared regions.
    std::vector<Footprint> result;
    Collector collector(index, index.parent(loop));
    collector.add(loop, block->reads, false);
    collector.add(loop, block->writes, true);
    return collector.result();
}

std::vector<Footprint> footprintOfLoop(const FunctionIndex &index, StmtId loop)
{
    return index.block(loop) ? footprintOfIteration(index, loop) : footprint(index, loop, index.parent(loop));
}

std::optional<double> totalBytes(const std::vector<Footprint> &footprints)
{
    double total = 0;
    for (const Footprint &footprint : footprints) {
        if (!footprint.bytes)
            return std::nullopt;
        total += *footprint.bytes;
    }
    return total;
}

std::optional<double> totalLineBytes(const std::vector<Footprint> &footprints)
{
    double total = 0;
    for (const Footprint &footprint : footprints) {
        if (!footprint.bytes)
            return std::nullopt;
        total += footprint.rows * footprint.rowBytes;
    }
    return total;
}

} // namespace nestwright::analysis
