// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/accesses.h"

#include "core/analysis/access/aliases.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <iterator>

namespace nestwright::analysis {

using ir::Expr;

bool isWrapper(const ir::Block &block)
{
    return block.iterVars.empty() && block.reads.empty() && block.writes.empty() && block.matchBuffers.empty()
           && !block.init;
}

StmtId scopeThrough(const FunctionIndex &index, StmtId id)
{
    StmtId scope = index.scopeRoot(id);
    while (scope && scope != index.root() && isWrapper(*index.block(scope)))
        scope = index.scopeRoot(scope);
    return scope;
}

std::vector<StmtId> loopsThrough(const FunctionIndex &index, StmtId id)
{
    const StmtId scope = scopeThrough(index, id);
    std::vector<StmtId> loops;
    for (StmtId at = index.parent(id); at && at != scope; at = index.parent(at)) {
        if (index.loop(at))
            loops.push_back(at);
    }
    std::ranges::reverse(loops);
    return loops;
}

std::vector<StmtId> blocksThrough(const FunctionIndex &index, StmtId id)
{
    std::vector<StmtId> blocks;
    for (const StmtId block : index.childBlocks(id)) {
        const std::vector<StmtId> inside =
            isWrapper(*index.block(block)) ? blocksThrough(index, block) : std::vector<StmtId>();
        if (inside.empty())
            blocks.push_back(block);
        else
            blocks.insert(blocks.end(), inside.begin(), inside.end());
    }
    return blocks;
}

Accesses accessesOf(const FunctionIndex &index, StmtId id)
{
    const ir::Block &block = *index.block(id);
    Accesses accesses;
    for (const ir::BufferRegion &read : block.reads)
        accesses.reads.push_back({id, &read});
    for (const ir::BufferRegion &write : block.writes)
        accesses.writes.push_back({id, &write});
    if (!isWrapper(block))
        return accesses;
    const auto isOutside = [&](const Access &access) {
        return !std::ranges::contains(block.allocBuffers, access.region->buffer);
    };
    for (const StmtId inside : index.childBlocks(id)) {
        const Accesses within = accessesOf(index, inside);
        std::ranges::copy_if(within.reads, std::back_inserter(accesses.reads), isOutside);
        std::ranges::copy_if(within.writes, std::back_inserter(accesses.writes), isOutside);
    }
    return accesses;
}

bool touches(const std::vector<Access> &accesses, const ir::Buffer &buffer)
{
    return std::ranges::any_of(accesses,
                               [&](const Access &a) { return sharesMemory(a.region->buffer, buffer); });
}

namespace {

/// Collects buffers that are not among those given at first.
class HiddenFinder : public ir::Visitor {
public:
    explicit HiddenFinder(const Accesses &declared)
    {
        for (const std::vector<Access> *accesses : {&declared.reads, &declared.writes}) {
            for (const Access &access : *accesses)
                m_known.push_back(access.region->buffer);
        }
    }
    HiddenAccesses found;

    void block(const ir::Block &node)
    {
        m_known.insert(m_known.end(), node.allocBuffers.begin(), node.allocBuffers.end());
        std::ranges::transform(node.matchBuffers, std::back_inserter(m_known), &ir::MatchBuffer::buffer);
        expr(node.predicate);
        for (const Expr &value : node.iterValues)
            expr(value);
        if (node.init)
            stmt(node.init);
        stmt(node.body);
    }
    void stmt(const ir::Stmt &s) override
    {
        if (const auto *inside = s.as<ir::Block>())
            return block(*inside); // a wrapper's accesses are those of its body
        if (const auto *store = s.as<ir::BufferStore>())
            add(found.writes, store->buffer);
        children(s);
    }
    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            add(found.reads, load->buffer);
        children(e);
    }

private:
    void add(std::vector<ir::Buffer> &buffers, const ir::Buffer &buffer) const
    {
        const auto isSame = [&](const ir::Buffer &other) { return sharesMemory(other, buffer); };
        if (std::ranges::none_of(m_known, isSame) && !std::ranges::contains(buffers, buffer))
            buffers.push_back(buffer);
    }

    std::vector<ir::Buffer> m_known;
};

} // namespace

HiddenAccesses hiddenAccesses(const FunctionIndex &index, StmtId id)
{
    HiddenFinder finder(accessesOf(index, id));
    for (const StmtId at : index.loopsOf(id)) {
        finder.expr(index.loop(at)->min);
        finder.expr(index.loop(at)->extent);
    }
    finder.block(*index.block(id));
    return std::move(finder.found);
}

} // namespace nestwright::analysis
