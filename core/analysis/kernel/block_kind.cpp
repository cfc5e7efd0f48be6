// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/block_kind.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/aliases.h"
#include "core/analysis/access/regions.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <iterator>

namespace nestwright::analysis {

using support::Diagnostic;

namespace {

const ir::Block &blockOf(const FunctionIndex &index, StmtId id)
{
    const ir::Block *block = index.block(id);
    NW_ASSERT(block, "not a block: " + std::to_string(id.value));
    return *block;
}

std::string quoted(const std::string &name) { return '\'' + name + '\''; }

Diagnostic objection(const char *code, const FunctionIndex &index, StmtId id, const std::string &what)
{
    const std::string &name = blockOf(index, id).name;
    return support::diagnostic(code, "block " + quoted(name) + ' ' + what).at(id, "block " + quoted(name));
}

Diagnostic withCode(Diagnostic diagnostic, const char *code)
{
    diagnostic.code = code;
    return diagnostic;
}

std::string_view kindName(ir::IterKind kind)
{
    switch (kind) {
    case ir::IterKind::Spatial: return "spatial";
    case ir::IterKind::Reduce: return "reduction";
    case ir::IterKind::Scan: return "scan";
    case ir::IterKind::Opaque: return "opaque";
    }
    return "";
}

/// The blocks in `scope` that write `buffer`. Below a loop, where blocks share writers with the outside
/// anyway, only the scopes of the blocks themselves are looked into (as TensorIR does).
std::vector<StmtId> writersIn(const FunctionIndex &index, StmtId scope, const ir::Buffer &buffer)
{
    const auto lookUp = [&](StmtId block) {
        std::vector<StmtId> ids;
        for (const auto &[written, writers] : index.scope(block).writers) {
            if (sharesMemory(written, buffer))
                std::ranges::copy_if(writers, std::back_inserter(ids),
                                     [&](StmtId id) { return !std::ranges::contains(ids, id); });
        }
        return ids;
    };
    if (index.block(scope))
        return lookUp(scope);
    for (StmtId child : index.childBlocks(scope)) {
        if (auto writers = lookUp(child); !writers.empty())
            return writers;
    }
    return {};
}

const ir::IterVar *firstIterOtherThan(const ir::Block &block, std::initializer_list<ir::IterKind> allowed)
{
    const auto found = std::ranges::find_if(block.iterVars, [&](const ir::IterVar &iter) {
        return std::ranges::find(allowed, iter.kind) == allowed.end();
    });
    return found == block.iterVars.end() ? nullptr : &*found;
}

/// A reduction variable in an index of a store, or null. Such a store would not be the same element every
/// time.
ir::Var reductionVarInStore(const ir::Block &block)
{
    ir::VarSet reduction;
    for (const ir::IterVar &iter : block.iterVars) {
        if (iter.kind == ir::IterKind::Reduce)
            reduction.insert(iter.var);
    }
    ir::Var found;
    ir::forEachStmt(block.body, [&](const ir::Stmt &s) {
        const auto *store = s.as<ir::BufferStore>();
        for (const ir::Expr &index : store ? store->indices : std::vector<ir::Expr>()) {
            for (const ir::Var &var : ir::variablesOf(index)) {
                if (reduction.contains(var))
                    found = var;
            }
        }
        return !found;
    });
    return found;
}

} // namespace

Objection whyNotDominant(const FunctionIndex &index, StmtId id, StmtId scope)
{
    const StmtId within = scope ? scope : index.scopeRoot(id);
    blockOf(index, id);
    for (const Access &write : accessesOf(index, id).writes) {
        const ir::Buffer &buffer = write.region->buffer;
        const std::vector<StmtId> writers = within ? writersIn(index, within, buffer) : std::vector<StmtId>();
        if (writers.size() <= 1)
            continue;
        Diagnostic diagnostic = objection("analysis.not-dominant", index, id,
                                          "is not the only block that writes " + quoted(buffer.name()));
        for (StmtId other : writers) {
            if (other != id)
                diagnostic.locations.push_back(
                    {.file = {}, .stmt = other, .label = "another block that writes it"});
        }
        return diagnostic;
    }
    return std::nullopt;
}

Objection whyNotComplete(const FunctionIndex &index, StmtId id, StmtId scope)
{
    constexpr const char *code = "analysis.not-complete";
    const ir::Block &block = blockOf(index, id);
    if (const ir::IterVar *other = firstIterOtherThan(block, {ir::IterKind::Spatial})) {
        return objection(code, index, id,
                         "is not complete: its variable " + quoted(other->var.name()) + " is a "
                             + std::string(kindName(other->kind)) + " one, not spatial");
    }
    if (auto why = whyNotDominant(index, id, scope))
        return withCode(std::move(*why), code);
    const Accesses accesses = accessesOf(index, id);
    for (const Access &write : accesses.writes) {
        const ir::Buffer &buffer = write.region->buffer;
        if (touches(accesses.reads, buffer))
            return objection(code, index, id,
                             "is not complete: it both reads and writes " + quoted(buffer.name()));
    }
    return std::nullopt;
}

Objection whyNotReduction(const FunctionIndex &index, StmtId id, StmtId scope)
{
    constexpr const char *code = "analysis.not-reduction";
    const ir::Block &block = blockOf(index, id);
    if (!block.init)
        return objection(code, index, id, "is not a reduction: it has no init");
    if (auto why = whyNotAffineOrCutShort(index, id))
        return withCode(std::move(*why), code);
    if (const ir::IterVar *other = firstIterOtherThan(block, {ir::IterKind::Spatial, ir::IterKind::Reduce})) {
        return objection(code, index, id,
                         "is not a reduction: its variable " + quoted(other->var.name())
                             + " is neither spatial nor a reduction one");
    }
    if (auto why = whyNotDominant(index, id, scope))
        return withCode(std::move(*why), code);
    if (const ir::Var var = reductionVarInStore(block)) {
        return objection(code, index, id,
                         "is not a reduction: its reduction variable " + quoted(var.name())
                             + " is used as an index of its writes");
    }
    return std::nullopt;
}

Objection whyNotCompleteOrReduction(const FunctionIndex &index, StmtId id, StmtId scope)
{
    const Objection complete = whyNotComplete(index, id, scope);
    if (!complete)
        return std::nullopt;
    const Objection reduction = whyNotReduction(index, id, scope);
    if (!reduction)
        return std::nullopt;
    Diagnostic both = *complete;
    both.code = "analysis.not-complete-or-reduction";
    both.message = "block " + quoted(blockOf(index, id).name)
                   + " is neither complete nor a reduction: " + complete->message + "; " + reduction->message;
    both.hint =
        "a block must be the only writer of its outputs, and either have spatial variables only or an init";
    return both;
}

namespace {

void bindOutside(arith::Analyzer &analyzer, const FunctionIndex &index, StmtId id, StmtId outermost)
{
    if (outermost) {
        bindEnclosing(analyzer, index, outermost);
    } else if (const StmtId root = index.scopeRoot(id)) {
        bindEnclosing(analyzer, index, root);
        for (const ir::IterVar &iter : blockOf(index, root).iterVars)
            analyzer.bind(iter.var, iter.domain);
    }
}

/// The values without casts to fewer bits that keep them, as fused loops of sizes of 32 and 64 bits have
/// them.
std::vector<ir::Expr> withoutNarrowing(std::vector<ir::Expr> values, const arith::Domains &loops,
                                       arith::Analyzer &analyzer)
{
    for (const arith::VarRange &loop : loops)
        analyzer.bind(loop.var, loop.range);
    for (ir::Expr &value : values) {
        const auto *narrowed = value.as<ir::Cast>();
        if (!narrowed || !narrowed->dtype.isIndex() || !narrowed->value.dtype().isIndex())
            continue;
        const arith::ConstIntBound bound = analyzer.constBound(narrowed->value);
        const ir::Expr low = ir::minValue(narrowed->dtype), high = ir::maxValue(narrowed->dtype);
        if (bound.min >= *ir::asInt(low) && bound.max <= *ir::asInt(high))
            value = narrowed->value;
    }
    return values;
}

/// Why the block's values under `predicate` are not affine in those loops.
Objection whyNoMap(const FunctionIndex &index, StmtId id, StmtId outermost, const arith::Domains &domains,
                   const ir::Expr &predicate)
{
    const ir::Block &block = blockOf(index, id);
    arith::Analyzer analyzer;
    bindOutside(analyzer, index, id, outermost);
    const auto detected = [&](const std::vector<ir::Expr> &values) {
        return arith::detectIterMap(values, domains, predicate, arith::IterMapLevel::Surjective, analyzer);
    };
    auto map = detected(block.iterValues);
    if (!map && std::ranges::any_of(block.iterValues, [](const ir::Expr &e) { return e.as<ir::Cast>(); })) {
        if (auto widened = detected(withoutNarrowing(block.iterValues, domains, analyzer)))
            map = std::move(widened);
    }
    if (!map) {
        Diagnostic why = objection("analysis.not-affine", index, id,
                                   "is not bound to its loops in an affine way: " + map.error().message);
        why.hint = map.error().hint;
        return why;
    }
    for (std::size_t i = 0; i < map->indices.size(); ++i) {
        const std::vector<arith::IterSplit> &parts = map->indices[i].args;
        if (!parts.empty() && !ir::isConstInt(parts[0].scale, 1)) {
            return objection("analysis.not-affine", index, id,
                             "is not bound to its loops in an affine way: its variable "
                                 + quoted(block.iterVars[i].var.name())
                                 + " does not take all values of its range");
        }
    }
    return std::nullopt;
}

/// The loops among `loops` that feed reduction variables only, at their first iteration.
ir::VarMap<ir::Expr> firstOfReduction(const ir::Block &block, const arith::Domains &loops)
{
    ir::VarMap<ir::Expr> first;
    for (const arith::VarRange &loop : loops) {
        const LoopUse use = loopUse(block, loop.var);
        if (use.reduce && !use.spatial && !use.opaque)
            first[loop.var] = loop.range.min;
    }
    return first;
}

} // namespace

Objection whyNotAffine(const FunctionIndex &index, StmtId id, StmtId outermost)
{
    const ir::Block &block = blockOf(index, id);
    const arith::Domains domains = loopDomains(index, id, outermost ? index.parent(outermost) : outermost);
    return domains.empty() ? std::nullopt : whyNoMap(index, id, outermost, domains, block.predicate);
}

std::optional<ir::Expr> predicateAtBegin(const ir::Block &block, const arith::Domains &loops)
{
    const ir::VarMap<ir::Expr> first = firstOfReduction(block, loops);
    arith::Analyzer analyzer;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        if (iter.kind == ir::IterKind::Reduce
            && !analyzer.canProveEqual(ir::substitute(block.iterValues[i], first), iter.domain.min))
            return std::nullopt;
    }
    for (const arith::VarRange &loop : loops)
        analyzer.bind(loop.var, loop.range);
    return analyzer.simplify(ir::substitute(block.predicate, first));
}

bool holdsFromTheBeginning(const ir::Expr &condition, const ir::VarMap<ir::Expr> &first,
                           arith::Analyzer &analyzer)
{
    const auto *bound = condition.as<ir::Binary>();
    if (!bound || (bound->op != ir::BinaryOp::LT && bound->op != ir::BinaryOp::LE))
        return false;
    return analyzer.canProve(ir::le(ir::substitute(bound->a, first), bound->a))
           && analyzer.canProve(ir::le(bound->b, ir::substitute(bound->b, first)));
}

Objection whyNotAffineOrCutShort(const FunctionIndex &index, StmtId id, StmtId outermost)
{
    Objection why = whyNotAffine(index, id, outermost);
    const ir::Block &block = blockOf(index, id);
    if (!why || ir::isTrue(block.predicate))
        return why;
    const arith::Domains domains = loopDomains(index, id, outermost ? index.parent(outermost) : outermost);
    if (!predicateAtBegin(block, domains))
        return why;
    const ir::VarMap<ir::Expr> first = firstOfReduction(block, domains);
    arith::Analyzer analyzer;
    bindOutside(analyzer, index, id, outermost);
    for (const arith::VarRange &loop : domains)
        analyzer.bind(loop.var, loop.range);
    std::vector<ir::Expr> others;
    for (const ir::Expr &term : ir::conjunctsOf(block.predicate)) {
        if (std::ranges::none_of(first, [&](const auto &loop) { return ir::uses(term, loop.first); }))
            others.push_back(term);
        else if (!holdsFromTheBeginning(term, first, analyzer))
            return why;
    }
    return whyNoMap(index, id, outermost, domains, ir::conjunctionOf(others)) ? why : std::nullopt;
}

Objection whyNotCompactDataFlow(const FunctionIndex &index, StmtId loop)
{
    for (StmtId block : index.childBlocks(loop)) {
        if (auto why = whyNotCompleteOrReduction(index, block, loop))
            return withCode(std::move(*why), "analysis.not-compact");
    }
    return std::nullopt;
}

namespace {

/// Whether between a scope's root and its blocks, seen through wrappers, there are only loops and sequences.
bool hasOnlyLoops(const ir::Stmt &s)
{
    switch (s.kind()) {
    case ir::StmtKind::Block: {
        const auto &block = *s.as<ir::Block>();
        return !isWrapper(block) || hasOnlyLoops(block.body);
    }
    case ir::StmtKind::For: return hasOnlyLoops(s.as<ir::For>()->body);
    case ir::StmtKind::Seq: return std::ranges::all_of(s.as<ir::Seq>()->stmts, hasOnlyLoops);
    default: return false;
    }
}

} // namespace

Objection whyNotStagePipeline(const FunctionIndex &index, StmtId root)
{
    constexpr const char *code = "analysis.not-stage-pipeline";
    const ir::Block &block = blockOf(index, root);
    if (!hasOnlyLoops(block.body)) {
        return objection(code, index, root,
                         "holds statements other than loops and blocks, so its scope is no stage pipeline");
    }
    for (const Dependence &d : index.scope(root).dependences) {
        if (d.kind == DependenceKind::War) {
            return objection(code, index, d.to,
                             "overwrites " + quoted(d.buffer.name()) + ", which block "
                                 + quoted(blockOf(index, d.from).name) + " reads before");
        }
    }
    for (StmtId child : index.scope(root).blocks) {
        if (auto why = whyNotCovered(index, child))
            return withCode(std::move(*why), code);
    }
    return std::nullopt;
}

LoopUse loopUse(const ir::Block &block, const ir::Var &loopVar)
{
    LoopUse use;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        if (!uses(block.iterValues[i], loopVar))
            continue;
        switch (block.iterVars[i].kind) {
        case ir::IterKind::Spatial: use.spatial = true; break;
        case ir::IterKind::Reduce: use.reduce = true; break;
        case ir::IterKind::Scan:
        case ir::IterKind::Opaque: use.opaque = true; break;
        }
    }
    return use;
}

} // namespace nestwright::analysis
