// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/reduction.h"
#include "core/arith/analyzer.h"
#include "core/arith/int_set.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/inliner.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>
#include <initializer_list>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct FuseEpilogueArgs {
    BlockId reduction, epilogue;
};

[[noreturn]] void refuseEpilogue(const ir::Block &epilogue, const std::string &why,
                                 const std::string &hint = {})
{
    refuse(diagnostic("schedule.not-epilogue",
                      "block " + named(epilogue) + " cannot become the init of a sum: " + why)
               .at(epilogue.id)
               .withHint(hint));
}

bool isZero(const ir::Expr &e)
{
    const auto *real = e.as<ir::FloatImm>();
    return ir::isConstInt(e, 0) || (real && real->value == 0);
}

/// The value with the sum taken as 0, when the value is the sum plus something; null otherwise.
ir::Expr addendOf(const ir::Expr &value, const ir::Buffer &sum)
{
    if (const auto *load = value.as<ir::BufferLoad>(); load && load->buffer == sum)
        return ir::constant(0, value.dtype());
    const auto *node = value.as<ir::Binary>();
    if (!node || (node->op != ir::BinaryOp::Add && node->op != ir::BinaryOp::Sub))
        return {};
    const auto reads = [&](const ir::Expr &e) {
        bool found = false;
        ir::forEachExpr(e, [&](const ir::Expr &each) {
            const auto *load = each.as<ir::BufferLoad>();
            found = found || (load && load->buffer == sum);
            return !found;
        });
        return found;
    };
    if (reads(node->a) && reads(node->b))
        return {};
    const bool onLeft = reads(node->a);
    if (!onLeft && node->op == ir::BinaryOp::Sub)
        return {};
    const ir::Expr rest = addendOf(onLeft ? node->a : node->b, sum);
    const ir::Expr &other = onLeft ? node->b : node->a;
    if (!rest || (isZero(rest) && node->op == ir::BinaryOp::Add))
        return rest ? other : rest;
    return onLeft ? ir::binary(node->op, rest, other) : other + rest;
}

/// The epilogue's variables in terms of the reduction's, from where it reads the sum.
ir::VarMap<ir::Expr> variablesOf(const ir::Block &epilogue, const ir::Expr &value,
                                 const analysis::Reduction &reduction)
{
    ir::VarMap<ir::Expr> values;
    ir::forEachExpr(value, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        if (!load || !(load->buffer == reduction.buffers.front()))
            return true;
        for (std::size_t d = 0; d < load->indices.size(); ++d) {
            if (load->indices[d].as<ir::VarNode>())
                values[ir::Var::from(load->indices[d])] = reduction.indices[d];
            else if (!ir::structurallyEqual(load->indices[d], reduction.indices[d]))
                refuseEpilogue(epilogue, "it does not read '" + reduction.buffers.front().name()
                                             + "' at its variables");
        }
        return true;
    });
    for (const ir::IterVar &iter : epilogue.iterVars) {
        if (!values.contains(iter.var))
            refuseEpilogue(epilogue, "its variable '" + iter.var.name() + "' does not say where it reads '"
                                         + reduction.buffers.front().name() + "'");
    }
    return values;
}

/// The epilogue runs over all that the reduction writes, and stores where the reduction does.
void requireSameElements(const ir::Block &block, const ir::Block &epilogue, const ir::BufferStore &store,
                         const analysis::Reduction &reduction, const ir::VarMap<ir::Expr> &values)
{
    arith::Analyzer analyzer;
    const auto domainOf = [&](const ir::Var &var) {
        return std::ranges::find(block.iterVars, var, &ir::IterVar::var)->domain;
    };
    for (const ir::IterVar &iter : epilogue.iterVars) {
        const ir::Var var = ir::Var::from(values.at(iter.var));
        const bool same = values.at(iter.var).as<ir::VarNode>()
                          && std::ranges::contains(block.iterVars, var, &ir::IterVar::var)
                          && analyzer.canProveEqual(domainOf(var).min, iter.domain.min)
                          && analyzer.canProveEqual(domainOf(var).extent, iter.domain.extent);
        if (!same)
            refuseEpilogue(epilogue,
                           "'" + iter.var.name() + "' does not run over the result of block " + named(block));
    }
    const bool samePlace =
        std::ranges::equal(store.indices, reduction.indices, [&](const ir::Expr &a, const ir::Expr &b) {
            return ir::structurallyEqual(ir::substitute(a, values), b);
        });
    if (!samePlace || store.buffer.dtype() != reduction.buffers.front().dtype())
        refuseEpilogue(epilogue, "it stores in another place, or as another type, than the sum");
}

/// Requires that nothing else reads the sum, and that the epilogue's operand is there before the reduction
/// begins.
void requireEarlyEnough(Edit &edit, const ir::Block &block, const ir::Block &epilogue, const ir::Buffer &sum)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    const analysis::Scope &scope = index.scope(index.scopeRoot(block.id));
    for (const StmtId reader : index.consumers(block.id)) {
        if (reader != epilogue.id)
            refuse(diagnostic("schedule.other-readers", "block " + named(*index.block(reader)) + " reads '"
                                                            + sum.name()
                                                            + "' too, which would no longer be written")
                       .at(block.id)
                       .at(reader));
    }
    const auto position = [&](StmtId id) {
        return std::ranges::find(scope.blocks, id) - scope.blocks.begin();
    };
    for (const StmtId before : index.producers(epilogue.id)) {
        if (before != block.id && position(before) > position(block.id))
            refuse(diagnostic("schedule.order", "block " + named(*index.block(before))
                                                    + " writes the term that block " + named(epilogue)
                                                    + " adds after block " + named(block) + " has begun")
                       .at(before)
                       .at(epilogue.id));
    }
    for (const analysis::Dependence &d : scope.dependences) {
        if (d.to == epilogue.id && d.kind != analysis::DependenceKind::Raw)
            refuse(diagnostic("schedule.order", "block " + named(*index.block(d.from)) + " uses '"
                                                    + d.buffer.name() + "' before block " + named(epilogue)
                                                    + " overwrites it")
                       .at(d.from)
                       .at(epilogue.id));
    }
}

/// Regions that the epilogue and the reduction read of buffers other than `sums`, which hold the sum.
std::vector<ir::BufferRegion> readsOfBoth(const ir::Block &block, const ir::Block &epilogue,
                                          const ir::VarMap<ir::Expr> &values,
                                          std::initializer_list<ir::Buffer> sums)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(block));
    std::vector<ir::BufferRegion> reads;
    const auto add = [&](const ir::BufferRegion &read) {
        if (std::ranges::contains(sums, read.buffer))
            return;
        if (ir::BufferRegion *known = ir::findRegion(reads, read.buffer))
            known->region = arith::unionOf(known->region, read.region, analyzer);
        else
            reads.push_back(read);
    };
    for (const ir::BufferRegion &read : epilogue.reads)
        add(ir::substitute(read, values));
    std::ranges::for_each(block.reads, add);
    return reads;
}

ArgList fuseReductionEpilogue(Edit &edit, const FuseEpilogueArgs &args)
{
    const ir::Block &block = edit.block(args.reduction.id);
    const ir::Block &epilogue = edit.block(args.epilogue.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, epilogue.id);
    if (scopeOf(edit, block.id) != scope)
        refuse(diagnostic("schedule.other-scope", "the two blocks are in different scopes")
                   .at(block.id)
                   .at(epilogue.id));
    requireStagePipeline(edit, scope);
    requireReduction(edit, block.id);
    requireComplete(edit, epilogue.id);
    requireNotOutput(edit, block.id);
    const analysis::Reduction reduction = analysis::reductionOf(block);
    const ir::BufferStore *store = onlyStore(epilogue);
    if (!store || !ir::isTrue(epilogue.predicate))
        refuseEpilogue(epilogue, "it is not one store without a predicate");
    const ir::Expr addend = addendOf(store->value, reduction.buffers.front());
    const bool fromZero = isZero(reduction.identities.front());
    if (!addend || reduction.buffers.size() != 1 || reduction.op != ir::BinaryOp::Add || !fromZero)
        refuseEpilogue(epilogue,
                       "its value is not the sum '" + reduction.buffers.front().name()
                           + "' plus something, once",
                       "anything else, as a maximum, would be applied to each partial sum; "
                       "reverse_compute_at brings the block near the sum instead");
    const ir::VarMap<ir::Expr> values = variablesOf(epilogue, store->value, reduction);
    requireSameElements(block, epilogue, *store, reduction, values);
    requireEarlyEnough(edit, block, epilogue, reduction.buffers.front());

    ir::Block fused =
        *ir::substituteBuffers(index.find(block.id), {{reduction.buffers.front(), store->buffer}})
             .as<ir::Block>();
    fused.init = ir::store(store->buffer, ir::substitute(addend, values), reduction.indices);
    fused.reads = readsOfBoth(block, epilogue, values, {reduction.buffers.front(), store->buffer});
    const StmtId holder = outermostSoleAncestor(index, epilogue.id);
    edit.forward(epilogue.id, block.id);
    edit.setBody(
        rewriteAt(edit.body(), {{holder, [](const ir::Stmt &) { return ir::Stmt(); }},
                                {block.id, [&](const ir::Stmt &) { return ir::make(std::move(fused)); }}}));
    return {};
}

} // namespace

Primitive fuseReductionEpiloguePrimitive()
{
    return define<FuseEpilogueArgs>(
        {.name = "fuse_reduction_epilogue",
         .title = "Fuse epilogue",
         .group = Group::Movement,
         .key = "E",
         .summary = "Initialises a sum with the term that a later block adds, so that the block can go.",
         .documentation =
             R"(The reduction writes straight to the output of the epilogue, and begins with what that would
add.

```
for i, k: with S: init S[i] = 0                 for i, k: with S: init D[i] = C[i]
                  S[i] += A[i, k]       →                         D[i] += A[i, k]
for i:    with D: D[i] = S[i] + C[i]
```

**Legal** for a sum that begins with 0 and whose only reader is a complete block that stores the sum plus
something else, element by element. Other epilogues, as a maximum with 0, would have to wait for the whole
sum.)"},
        {required<&FuseEpilogueArgs::reduction>("reduction_block", "Reduction", "The sum."),
         required<&FuseEpilogueArgs::epilogue>("epilogue_block", "Epilogue", "The block that adds to it.")},
        fuseReductionEpilogue);
}

} // namespace nestwright::schedule
