// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/index.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/kernel/dependence.h"
#include "core/ir/build/walk.h"
#include "core/support/errors/errors.h"
#include "core/support/text/near_names.h"

#include <algorithm>

namespace nestwright::analysis {

/// Fills the index in one walk.
class FunctionIndex::Builder : public ir::Visitor {
public:
    explicit Builder(FunctionIndex &index) : m_index(index) {}

    void expr(const ir::Expr &) override {}
    void stmt(const ir::Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        const auto *block = s.as<ir::Block>();
        if (!loop && !block) {
            children(s);
            return;
        }
        const StmtId id = loop ? loop->id : block->id;
        NW_ASSERT(id, "a loop or block without an id cannot be indexed");
        m_index.m_all.push_back(id);
        m_index.m_entries.try_emplace(
            id, Entry{.stmt = s, .parent = m_parent, .children = {}, .isInInit = m_isInInit});
        if (m_parent)
            m_index.m_entries.at(m_parent).children.push_back(id);
        const StmtId outer = std::exchange(m_parent, id);
        if (block) {
            if (block->init)
                below(block->init, true);
            below(block->body, false);
        } else {
            below(loop->body, false);
        }
        m_parent = outer;
    }

private:
    void below(const ir::Stmt &s, bool isInit)
    {
        const bool outer = std::exchange(m_isInInit, isInit);
        stmt(s);
        m_isInInit = outer;
    }

    FunctionIndex &m_index;
    StmtId m_parent;
    bool m_isInInit = false; ///< of the block `m_parent`
};

FunctionIndex::FunctionIndex(ir::Function function) : m_function(std::move(function))
{
    Builder(*this).stmt(m_function->body);
    if (const ir::Block *root = m_function->root())
        m_root = root->id;
    for (StmtId id : m_all) {
        if (block(id))
            m_scopes.emplace(id, scopeOf(*this, id));
    }
}

const FunctionIndex::Entry &FunctionIndex::entry(StmtId id) const
{
    const auto found = m_entries.find(id);
    NW_ASSERT(found != m_entries.end(), "the function has no loop or block " + std::to_string(id.value));
    return found->second;
}

ir::Stmt FunctionIndex::find(StmtId id) const
{
    const auto found = m_entries.find(id);
    return found == m_entries.end() ? ir::Stmt() : found->second.stmt;
}

const ir::Stmt &FunctionIndex::bodyOf(StmtId id) const
{
    const ir::Stmt &stmt = entry(id).stmt;
    if (const auto *loop = stmt.as<ir::For>())
        return loop->body;
    const auto *block = stmt.as<ir::Block>();
    NW_ASSERT(block, "neither a loop nor a block");
    return block->body;
}

StmtId FunctionIndex::parent(StmtId id) const { return entry(id).parent; }

const std::vector<StmtId> &FunctionIndex::children(StmtId id) const { return entry(id).children; }

std::vector<StmtId> FunctionIndex::ancestors(StmtId id) const
{
    std::vector<StmtId> result;
    for (StmtId at = parent(id); at; at = parent(at))
        result.push_back(at);
    return result;
}

bool FunctionIndex::encloses(StmtId outer, StmtId inner) const
{
    StmtId at = inner;
    while (at && at != outer)
        at = parent(at);
    return at == outer;
}

StmtId FunctionIndex::lowestCommonAncestor(StmtId a, StmtId b) const
{
    StmtId at = a;
    while (at && !encloses(at, b))
        at = parent(at);
    return at;
}

std::vector<StmtId> FunctionIndex::loopsOf(StmtId id) const
{
    std::vector<StmtId> loops;
    for (StmtId at = parent(id); at && loop(at); at = parent(at))
        loops.push_back(at);
    std::ranges::reverse(loops);
    return loops;
}

StmtId FunctionIndex::scopeRoot(StmtId id) const
{
    StmtId at = parent(id);
    while (at && loop(at))
        at = parent(at);
    return at;
}

std::vector<StmtId> FunctionIndex::childBlocks(StmtId id) const
{
    std::vector<StmtId> blocks;
    for (StmtId child : children(id)) {
        if (entry(child).isInInit)
            continue;
        if (block(child)) {
            blocks.push_back(child);
            continue;
        }
        const std::vector<StmtId> below = childBlocks(child);
        blocks.insert(blocks.end(), below.begin(), below.end());
    }
    return blocks;
}

support::Result<StmtId> FunctionIndex::blockByName(std::string_view name) const
{
    std::vector<StmtId> found;
    std::vector<std::string_view> names;
    for (StmtId id : m_all) {
        const ir::Block *candidate = block(id);
        if (!candidate)
            continue;
        names.push_back(candidate->name);
        if (candidate->name == name)
            found.push_back(id);
    }
    if (found.size() == 1)
        return found.front();
    if (found.empty()) {
        return support::fail(
            support::diagnostic("analysis.unknown-block", "there is no block '" + std::string(name) + '\'')
                .withHint(support::didYouMean(name, names)));
    }
    support::Diagnostic ambiguous =
        support::diagnostic("analysis.ambiguous-block",
                            std::to_string(found.size()) + " blocks are named '" + std::string(name) + '\'');
    for (StmtId id : found)
        ambiguous.locations.push_back({.file = {}, .stmt = id, .label = "a block of that name"});
    return support::fail(std::move(ambiguous).withHint("give the blocks different names"));
}

const Scope &FunctionIndex::scope(StmtId block) const
{
    const auto found = m_scopes.find(block);
    NW_ASSERT(found != m_scopes.end(), "the function has no block " + std::to_string(block.value));
    return found->second;
}

namespace {

bool carriesValue(const Dependence &d) { return d.kind != DependenceKind::War; }

void addOnce(std::vector<StmtId> &ids, StmtId id)
{
    if (std::ranges::find(ids, id) == ids.end())
        ids.push_back(id);
}

} // namespace

std::vector<StmtId> FunctionIndex::producers(StmtId block) const
{
    std::vector<StmtId> result;
    const StmtId root = scopeRoot(block);
    if (!root)
        return result;
    for (const Dependence &d : scope(root).dependences) {
        if (d.to == block && carriesValue(d))
            addOnce(result, d.from);
    }
    return result;
}

std::vector<StmtId> FunctionIndex::consumers(StmtId block) const
{
    std::vector<StmtId> result;
    const StmtId root = scopeRoot(block);
    if (!root)
        return result;
    for (const Dependence &d : scope(root).dependences) {
        if (d.from == block && carriesValue(d))
            addOnce(result, d.to);
    }
    return result;
}

std::vector<StmtId> FunctionIndex::outputBlocks(StmtId root) const
{
    const ir::Block *scopeBlock = block(root);
    NW_ASSERT(scopeBlock, "not a block");
    std::vector<StmtId> result;
    for (StmtId id : scope(root).blocks) {
        const bool leaves = std::ranges::any_of(accessesOf(*this, id).writes, [&](const Access &write) {
            return !std::ranges::contains(scopeBlock->allocBuffers, write.region->buffer);
        });
        if (leaves)
            result.push_back(id);
    }
    return result;
}

} // namespace nestwright::analysis
