// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/cache_stage.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/aliases.h"
#include "core/analysis/access/regions.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/tree.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

InsertPoint insertPointBetween(const analysis::FunctionIndex &index, StmtId writer,
                               const std::vector<StmtId> &users)
{
    const StmtId scope = index.scopeRoot(writer);
    const std::vector<StmtId> &order = index.scope(scope).blocks;
    const auto first = std::ranges::find_if(
        order, [&](StmtId block) { return block == writer || std::ranges::contains(users, block); });
    if (first != order.end() && *first != writer)
        return {scope, 0};
    for (StmtId holder = index.parent(writer); holder && !users.empty(); holder = index.parent(holder)) {
        const std::vector<ir::Stmt> parts = partsOf(index.bodyOf(holder));
        bool seenWriter = false;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool holdsWriter = containsStmt(parts[i], writer);
            if (seenWriter && !holdsWriter && containsAnyStmt(parts[i], users))
                return {holder, i};
            seenWriter = seenWriter || holdsWriter;
        }
        if (holder == scope)
            break;
    }
    return {scope, partsOf(index.bodyOf(scope)).size()};
}

arith::Region withoutData(arith::Region region, const arith::Region &whole)
{
    for (std::size_t d = 0; d < region.size(); ++d) {
        if (ir::mayFault(region[d].min) || ir::mayFault(region[d].extent))
            region[d] = whole[d];
    }
    return region;
}

namespace {

/// Domains of the variables that a part of the place's body can use.
arith::Domains domainsAtPlace(const analysis::FunctionIndex &index, InsertPoint place)
{
    arith::Domains domains;
    std::vector<StmtId> around = index.ancestors(place.holder);
    around.push_back(place.holder);
    for (const StmtId id : around) {
        if (const ir::For *loop = index.loop(id))
            domains.push_back(domainOf(*loop));
        else
            std::ranges::copy(domainsOf(*index.block(id)), std::back_inserter(domains));
    }
    return domains;
}

} // namespace

CacheRegion cacheRegionAt(const analysis::FunctionIndex &index, const std::vector<analysis::Access> &accesses,
                          const ir::Buffer &buffer, InsertPoint place,
                          std::initializer_list<std::string_view> memories,
                          const std::vector<AccessGuard> &guards)
{
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, index, place.holder);
    if (const ir::For *loop = index.loop(place.holder))
        bindAll(analyzer, {domainOf(*loop)});
    else
        bindAll(analyzer, domainsOf(*index.block(place.holder)));
    arith::Region region;
    for (const analysis::Access &access : accesses) {
        if (!(access.region->buffer == buffer))
            continue;
        for (const AccessGuard &guard : guards) {
            arith::Region touched = analysis::touchedByThreads(
                index, access.block, *access.region, place.holder, memories, analyzer, guard.condition);
            region = region.empty() ? std::move(touched) : arith::unionOf(region, touched, analyzer);
        }
    }
    const arith::Region whole = ir::fullRegion(buffer).region;
    for (std::size_t d = 0; d < region.size(); ++d) {
        const arith::Region own{region[d]}, all{whole[d]};
        region[d] = analyzer.simplify(analysis::provablyCovers(all, own, analyzer)
                                          ? own.front()
                                          : arith::intersect(own, all, analyzer).front());
    }
    region = withoutData(std::move(region), whole);
    requireCounted(beginsOf(region), domainsAtPlace(index, place),
                   "copies of '" + buffer.name() + "' would begin", place.holder);
    // A block's body speaks of loops by way of its variables only, so a part that moves with a loop cannot
    // shift indices.
    const bool movesWithLoop = std::ranges::any_of(index.ancestors(place.holder), [&](StmtId around) {
        const ir::For *loop = index.loop(around);
        return loop && std::ranges::any_of(region, [&](const ir::Range &range) {
                   return ir::uses(range.min, loop->var) || ir::uses(range.extent, loop->var);
               });
    });
    return {std::move(region), movesWithLoop || index.loop(place.holder)};
}

namespace {

/// The part of the buffer that the readers touch below `scope`, where blocks within all of them keep them
/// from the rest; empty where one reads it without such a guard.
arith::Region guardedReads(const analysis::FunctionIndex &index, const ir::Block &scope,
                           const ir::Buffer &buffer, const std::vector<StmtId> &readers,
                           arith::Analyzer &analyzer)
{
    arith::Region region;
    for (const StmtId reader : readers) {
        for (const analysis::Access &read : analysis::accessesOf(index, reader).reads) {
            if (!analysis::sharesMemory(read.region->buffer, buffer))
                continue;
            for (const AccessGuard &guard :
                 accessGuards(*index.block(read.block), buffer, GuardedSide::Reads)) {
                if (ir::isTrue(guard.condition))
                    return {};
                arith::Region touched = analysis::touchedBelow(index, read.block, *read.region, scope.id,
                                                               analyzer, guard.condition);
                region = region.empty() ? std::move(touched) : arith::unionOf(region, touched, analyzer);
            }
        }
    }
    const bool isHidden = !region.empty() && std::ranges::any_of(readers, [&](StmtId reader) {
        return std::ranges::contains(analysis::hiddenAccesses(index, reader).reads, buffer);
    });
    return isHidden ? arith::Region() : region;
}

/// `region` with the ranges of `part` that lie in it and have a length that is known.
arith::Region narrowedTo(arith::Region region, const arith::Region &part, arith::Analyzer &analyzer)
{
    for (std::size_t d = 0; d < part.size(); ++d) {
        const ir::Range range{analyzer.simplify(part[d].min), analyzer.simplify(part[d].extent)};
        const std::int64_t *extent = ir::asInt(range.extent);
        if (extent && *extent > 0 && arith::covers({region[d]}, {range}, analyzer))
            region[d] = range;
    }
    return region;
}

} // namespace

CacheRegion cacheRegionOfInput(const analysis::FunctionIndex &index, const ir::Block &scope,
                               const ir::Buffer &buffer, const std::vector<StmtId> &readers)
{
    const arith::Region whole = ir::fullRegion(buffer).region;
    const ir::BufferRegion *read = ir::findRegion(scope.reads, buffer);
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, index, scope.id);
    bindAll(analyzer, domainsOf(scope));
    const arith::Region part = guardedReads(index, scope, buffer, readers, analyzer);
    if (!read)
        return {narrowedTo(whole, part, analyzer), false};
    if (arith::covers(whole, read->region, analyzer)) {
        arith::Region region = read->region;
        for (ir::Range &range : region) { // the memory lies outside of the extents
            if (!ir::asInt(range.extent))
                range.extent = analyzer.simplify(range.extent);
        }
        return {withoutData(narrowedTo(std::move(region), part, analyzer), whole), false};
    }
    // Elements that a guard keeps the block from reading lie outside the buffer, where there is nothing to
    // copy.
    arith::Region within = arith::intersect(read->region, whole, analyzer);
    for (std::size_t d = 0; d < within.size(); ++d) {
        within[d] = analyzer.simplify(within[d]);
        if (ir::asInt(read->region[d].extent) && !ir::asInt(within[d].extent))
            refuse(diagnostic("schedule.out-of-bounds",
                              "block " + named(scope) + " reads '" + buffer.name() + "' from "
                                  + script::printExpr(read->region[d].min)
                                  + " on, which lies outside for a part of the block's domain")
                       .at(scope.id)
                       .withHint("make the copy before the block is made"));
    }
    return {withoutData(narrowedTo(std::move(within), part, analyzer), whole), false};
}

ir::Buffer cacheBuffer(const ir::Buffer &buffer, const CacheRegion &cached, const std::string &storageScope)
{
    ir::BufferNode node = *buffer.get();
    node.name += '_' + storageScope;
    node.data = ir::Var(node.name, ir::DataType::handle());
    node.scope = storageScope.empty() ? "global" : storageScope;
    node.strides.clear();
    node.elemOffset = {};
    if (!cached.keepsShape) {
        node.shape.clear();
        for (const ir::Range &range : cached.region) {
            if (const std::int64_t *extent = ir::asInt(range.extent); extent && *extent < 0)
                refuse(diagnostic("schedule.never-touched",
                                  "no element of '" + buffer.name()
                                      + "' is ever touched there, so there is nothing to keep a copy of")
                           .withHint("choose a block whose predicate holds for some of its iterations"));
            node.shape.push_back(range.extent);
        }
    }
    return ir::Buffer(std::move(node));
}

ir::Expr copiedExtent(const ir::Expr &extent)
{
    const std::int64_t *number = ir::asInt(extent);
    return number && *number < 0 ? ir::constant(0, extent.dtype()) : extent;
}

ir::Stmt copyNest(Edit &edit, const ir::Buffer &buffer, const ir::Buffer &cache, const CacheRegion &cached,
                  CacheSide side, StmtId id, StmtId parent)
{
    ir::Block block;
    block.id = id;
    block.origin = edit.origin("cache", parent);
    block.name = cache.name();
    block.predicate = ir::boolImm(true);
    std::vector<ir::Var> loops;
    std::vector<ir::Expr> inBuffer, inCache;
    for (std::size_t d = 0; d < cached.region.size(); ++d) {
        const ir::Range &range = cached.region[d];
        const ir::DataType type = range.extent.dtype();
        const ir::Var var("v" + std::to_string(d), type);
        loops.emplace_back("ax" + std::to_string(d), type);
        block.iterVars.push_back(
            {.domain = {ir::constant(0, type), cache.shape()[d]}, .var = var, .kind = {}});
        block.iterValues.push_back(cached.keepsShape ? range.min + loops.back() : ir::Expr(loops.back()));
        inCache.push_back(var);
        inBuffer.push_back(cached.keepsShape ? ir::Expr(var) : range.min + var);
    }
    const bool toCache = side == CacheSide::Read;
    const ir::Buffer &from = toCache ? buffer : cache, &to = toCache ? cache : buffer;
    const std::vector<ir::Expr> &source = toCache ? inBuffer : inCache,
                                &target = toCache ? inCache : inBuffer;
    block.reads = {{from, ir::pointRegion(source)}};
    block.writes = {{to, ir::pointRegion(target)}};
    block.body = ir::store(to, ir::load(from, source), target);
    ir::Stmt nest = ir::make(std::move(block));
    std::vector<StmtId> ids(loops.size());
    std::ranges::generate(ids, [&] { return edit.newId(); });
    for (std::size_t d = loops.size(); d-- > 0;)
        nest = ir::serialFor(loops[d], copiedExtent(cached.region[d].extent), nest, ids[d],
                             edit.origin("loop", id));
    return nest;
}

namespace {

/// `s` with `inserted` at the beginning of the body of a definition in `s` that `inserted` uses; null
/// otherwise.
ir::Stmt withinDefinitions(const ir::Stmt &s, const ir::Stmt &inserted)
{
    const auto below = [&](auto node, bool isNeeded) {
        ir::Stmt body = withinDefinitions(node.body, inserted);
        if (!body && !isNeeded)
            return ir::Stmt();
        node.body = body ? body : withInserted(node.body, 0, inserted);
        return ir::make(std::move(node));
    };
    if (const auto *node = s.as<ir::DeclBuffer>())
        return below(*node, ir::uses(inserted, node->buffer));
    if (const auto *node = s.as<ir::Allocate>())
        return below(*node, analysis::loadsFrom(inserted, node->data));
    if (const auto *node = s.as<ir::LetStmt>())
        return below(*node, ir::uses(inserted, node->var));
    return {};
}

} // namespace

ir::Stmt withInserted(const ir::Stmt &body, std::size_t position, const ir::Stmt &inserted)
{
    std::vector<ir::Stmt> parts = partsOf(body);
    if (position < parts.size()) {
        if (const ir::Stmt inside = withinDefinitions(parts[position], inserted)) {
            parts[position] = inside;
            return ir::seq(std::move(parts));
        }
    }
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(position), inserted);
    return ir::seq(std::move(parts));
}

void addChange(Changes &changes, StmtId id, std::function<ir::Stmt(const ir::Stmt &)> change)
{
    std::function<ir::Stmt(const ir::Stmt &)> &all = changes[id];
    if (!all)
        all = std::move(change);
    else
        all = [first = all, change = std::move(change)](const ir::Stmt &s) { return change(first(s)); };
}

void addStage(Changes &changes, StmtId scope, const ir::Buffer &cache, InsertPoint place,
              const ir::Stmt &nest)
{
    addChange(changes, scope, editBlock([cache](ir::Block &block) { block.allocBuffers.push_back(cache); }));
    addNest(changes, place, nest);
}

void addNest(Changes &changes, InsertPoint place, const ir::Stmt &nest)
{
    addChange(changes, place.holder, [place, nest](const ir::Stmt &s) {
        const auto insert = [&](auto &holder) {
            holder.body = withInserted(holder.body, place.position, nest);
        };
        return s.as<ir::For>() ? editLoop(insert)(s) : editBlock(insert)(s);
    });
}

} // namespace nestwright::schedule
