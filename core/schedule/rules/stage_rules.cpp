// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/stage_rules.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/aliases.h"
#include "core/analysis/access/regions.h"
#include "core/analysis/kernel/block_kind.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/tree.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

StmtId onlyWriter(Edit &edit, StmtId scope, const ir::Buffer &buffer)
{
    const analysis::Scope &facts = edit.index(scope).scope(scope);
    const auto writers = facts.writers.find(buffer);
    if (writers == facts.writers.end() || writers->second.empty())
        return {};
    if (writers->second.size() > 1)
        refuse(diagnostic("schedule.several-writers", "'" + buffer.name() + "' is written by several blocks: "
                                                          + named(edit.block(writers->second[0])) + " and "
                                                          + named(edit.block(writers->second[1])))
                   .at(writers->second[0])
                   .at(writers->second[1])
                   .withHint("make the copy before the block is decomposed"));
    return writers->second.front();
}

std::vector<StmtId> readersAfter(const analysis::Scope &scope, StmtId writer, const ir::Buffer &buffer)
{
    std::vector<StmtId> readers;
    for (const analysis::Dependence &d : scope.dependences) {
        if (d.from == writer && d.kind == analysis::DependenceKind::Raw && d.buffer == buffer)
            readers.push_back(d.to);
    }
    return readers;
}

namespace {

/// Whether the statements load from the buffer before the first of them that stores to it is done, whatever
/// their block declares: an update whose init stands in a block around it declares no read.
bool loadsBeforeStores(const ir::Stmt &body, const ir::Buffer &buffer)
{
    for (const ir::Stmt &part : partsOf(body)) {
        if (analysis::loadsFrom(part, buffer->data))
            return true;
        bool isStored = false;
        ir::forEachStmt(part, [&](const ir::Stmt &s) {
            const auto *store = s.as<ir::BufferStore>();
            isStored = isStored || (store && store->buffer == buffer);
            return !isStored;
        });
        if (isStored)
            return false;
    }
    return false;
}

/// Whether loops outside the block's scope, which is a wrapper's then, run over terms of its reduction.
bool reducesBeyondScope(const analysis::FunctionIndex &index, const ir::Block &block)
{
    const std::vector<StmtId> around = analysis::loopsThrough(index, index.scopeRoot(block.id));
    return std::ranges::any_of(around, [&](StmtId id) {
        const ir::For &loop = *index.loop(id);
        return analysis::loopUse(block, loop.var).reduce && !ir::isConstInt(loop.extent, 1);
    });
}

/// Whether something of the buffer is read in the block before the block itself writes it.
bool readsFromBefore(const analysis::FunctionIndex &index, StmtId id, const ir::Buffer &buffer)
{
    const ir::Block &block = *index.block(id);
    if (block.init)
        return reducesBeyondScope(index, block);
    const std::vector<StmtId> &inside = index.scope(id).blocks;
    if (inside.empty())
        return analysis::touches(analysis::accessesOf(index, id).reads, buffer)
               || loadsBeforeStores(block.body, buffer);
    return std::ranges::any_of(inside, [&](StmtId part) {
        const bool isWritten =
            std::ranges::any_of(index.scope(id).dependences, [&](const analysis::Dependence &d) {
                return d.to == part && d.kind == analysis::DependenceKind::Raw && d.buffer == buffer;
            });
        return (!isWritten || analysis::whyNotCovered(index, part)) && readsFromBefore(index, part, buffer);
    });
}

} // namespace

void requireNotAccumulated(Edit &edit, const ir::Block &block, const ir::Buffer &buffer)
{
    if (!readsFromBefore(edit.index(block.id), block.id, buffer))
        return;
    refuse(diagnostic("schedule.reads-what-it-writes",
                      "block " + named(block) + " changes earlier elements of '" + buffer.name()
                          + "', so it cannot write into fresh memory instead")
               .at(block.id)
               .withHint("cache_inplace copies there and back"));
}

void requireWithin(const ir::Block &block, const ir::Buffer &buffer, const std::vector<ir::Expr> &indices,
                   arith::Analyzer &analyzer)
{
    for (std::size_t d = 0; d < indices.size(); ++d) {
        if (analyzer.canProve(ir::ge(indices[d], ir::constant(0, indices[d].dtype())))
            && analyzer.canProve(ir::lt(indices[d], buffer.shape()[d])))
            continue;
        refuse(diagnostic("schedule.out-of-bounds",
                          "block " + named(block) + " touches '" + buffer.name() + "' at "
                              + script::printExpr(indices[d])
                              + ", which lies outside for a part of the block's domain")
                   .at(block.id)
                   .withHint("a guarded access cannot be copied without its guard"));
    }
}

void requireCover(Edit &edit, StmtId scope, const ir::Buffer &buffer)
{
    const analysis::Scope &facts = edit.index(scope).scope(scope);
    const auto readers = facts.readers.find(buffer);
    if (readers == facts.readers.end())
        return;
    for (const StmtId reader : readers->second) {
        if (auto objection = analysis::whyNotCovered(edit.index(reader), reader))
            refuse(std::move(*objection));
    }
}

} // namespace nestwright::schedule
