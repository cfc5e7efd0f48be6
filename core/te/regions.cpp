// SPDX-License-Identifier: Apache-2.0
#include "core/te/regions.h"

#include "core/arith/int_set.h"
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

    std::vector<ir::BufferRegion> m_reads, m_writes;

private:
    void add(std::vector<ir::BufferRegion> &regions, const ir::Buffer &buffer, const std::vector<ir::Expr> &indices)
    {
        std::vector<ir::Range> region = ir::pointRegion(indices);
        for (ir::Range &range : region)
            range = m_analyzer.simplify(range);
        const auto known =
            std::find_if(regions.begin(), regions.end(), [&](const auto &r) { return r.buffer == buffer; });
        if (known == regions.end())
            regions.push_back({buffer, std::move(region)});
        else
            known->region = arith::unionOf(known->region, region, m_analyzer);
    }

    arith::Analyzer &m_analyzer;
};

} // namespace

void fillRegions(ir::Block &block, arith::Analyzer &analyzer)
{
    Accesses accesses(analyzer);
    if (block.init)
        accesses.stmt(block.init);
    accesses.stmt(block.body);
    block.writes = std::move(accesses.m_writes);
    block.reads = std::move(accesses.m_reads);
    if (!block.init)
        return;
    std::erase_if(block.reads, [&](const ir::BufferRegion &read) {
        return std::any_of(block.writes.begin(), block.writes.end(),
                           [&](const ir::BufferRegion &write) { return write.buffer == read.buffer; });
    });
}

} // namespace nestwright::te
