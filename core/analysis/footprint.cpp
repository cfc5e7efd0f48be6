// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/footprint.h"

#include "core/analysis/accesses.h"
#include "core/analysis/regions.h"
#include "core/ir/builder.h"

#include <algorithm>

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
            arith::Region box = touchedBelow(m_index, block, region, m_outer, m_analyzer);
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
            touched.footprint.bytes = bytesOf(touched);
            footprints.push_back(touched.footprint);
        }
        return footprints;
    }

private:
    /// An extent is at most the buffer's own: a guarded access may seem to go beyond.
    std::optional<double> bytesOf(const Touched &touched)
    {
        const ir::DataType dtype = touched.footprint.buffer.dtype();
        double bytes = dtype.bytes() * dtype.lanes;
        for (std::size_t i = 0; i < touched.region.size(); ++i) {
            const std::optional<double> touchedExtent = extentOf(touched.region[i].extent);
            const std::optional<double> whole = extentOf(touched.footprint.buffer.shape()[i]);
            if (!touchedExtent && !whole)
                return std::nullopt;
            const double most = whole ? *whole : *touchedExtent;
            bytes *= touchedExtent ? std::min(*touchedExtent, most) : most;
        }
        return bytes;
    }

    std::optional<double> extentOf(const ir::Expr &extent)
    {
        const ir::Expr simple = m_analyzer.simplify(extent);
        const std::int64_t *value = ir::asInt(simple);
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
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

} // namespace nestwright::analysis
