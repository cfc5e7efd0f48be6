// SPDX-License-Identifier: Apache-2.0
#include "core/te/regions.h"

#include "core/arith/int_set.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/builder.h"
#include "core/ir/walk.h"

#include <algorithm>

namespace nestwright::te {

namespace {

class Accesses : public ir::Visitor {
public:
    explicit Accesses(arith::Analyzer &analyzer) : m_analyzer(analyzer) {}

    void expr(const ir::Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            add(m_reads, load->buffer, load->indices);
        children(e);
    }

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *store = s.as<ir::BufferStore>())
            add(m_writes, store->buffer, store->indices);
        children(s);
    }

    std::vector<ir::BufferRegion> reads() { return regions(m_reads); }
    std::vector<ir::BufferRegion> writes() { return regions(m_writes); }

private:
    struct Access {
        ir::Buffer buffer;
        std::vector<arith::IntervalSet> box;
    };

    void add(std::vector<Access> &accesses, const ir::Buffer &buffer, const std::vector<ir::Expr> &indices)
    {
        std::vector<arith::IntervalSet> box;
        for (const ir::Expr &index : indices)
            box.push_back(arith::IntervalSet::point(m_analyzer.simplify(index)));
        const auto known = std::find_if(accesses.begin(), accesses.end(),
                                        [&](const Access &access) { return access.buffer == buffer; });
        if (known == accesses.end()) {
            accesses.push_back({buffer, std::move(box)});
            return;
        }
        for (std::size_t d = 0; d < box.size(); ++d)
            known->box[d] = arith::unionOf(known->box[d], box[d], m_analyzer);
    }

    std::vector<ir::BufferRegion> regions(const std::vector<Access> &accesses)
    {
        std::vector<ir::BufferRegion> found;
        for (const Access &access : accesses) {
            found.push_back(ir::fullRegion(access.buffer));
            for (std::size_t d = 0; d < access.box.size(); ++d)
                found.back().region[d] =
                    arith::toRange(access.box[d], m_analyzer).value_or(found.back().region[d]);
        }
        return found;
    }

    arith::Analyzer &m_analyzer;
    std::vector<Access> m_reads, m_writes;
};

} // namespace

void fillRegions(ir::Block &block, arith::Analyzer &analyzer)
{
    Accesses accesses(analyzer);
    if (block.init)
        accesses.stmt(block.init);
    accesses.stmt(block.body);
    block.writes = accesses.writes();
    block.reads = accesses.reads();
    if (!block.init)
        return;
    std::erase_if(block.reads,
                  [&](const ir::BufferRegion &read) { return ir::hasRegion(block.writes, read.buffer); });
}

} // namespace nestwright::te
