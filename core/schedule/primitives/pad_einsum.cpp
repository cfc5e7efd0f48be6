// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/reduction.h"
#include "core/arith/analyzer.h"
#include "core/arith/same_expr.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/stage_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct PadEinsumArgs {
    BlockId block;
    std::vector<std::int64_t> padding;
};

/// A buffer and the larger one that takes its place in the block.
struct Padded {
    ir::Buffer original, padded;
    bool isRead = true;
};

void requirePadding(const ir::Block &block, const std::vector<std::int64_t> &padding)
{
    const bool allPositive = std::ranges::all_of(padding, [](std::int64_t pad) { return pad > 0; });
    if (padding.size() != block.iterVars.size() || !allPositive)
        refuse(diagnostic("schedule.padding", "the padding of block " + named(block) + " must be "
                                                  + std::to_string(block.iterVars.size())
                                                  + " positive integers, one per iteration variable")
                   .at(block.id)
                   .withHint("1 leaves a variable as it is"));
}

[[noreturn]] void refuseAccess(const ir::Block &block, const ir::Buffer &buffer)
{
    refuse(diagnostic("schedule.not-einsum", "block " + named(block)
                                                 + " is no Einstein summation: it must access '"
                                                 + buffer.name() + "' once, at its iteration variables alone")
               .at(block.id));
}

/// Requires accesses to equal the declared regions literally: a declared constant may stand for a variable of
/// extent 1.
void requireAccessesAsDeclared(const ir::Block &block)
{
    const auto check = [&](const ir::Buffer &buffer, const std::vector<ir::Expr> &indices) {
        for (const auto *regions : {&block.reads, &block.writes}) {
            const ir::BufferRegion *region = ir::findRegion(*regions, buffer);
            if (!region)
                continue;
            for (std::size_t d = 0; d < indices.size(); ++d) {
                if (!arith::sameExpr(indices[d], region->region[d].min))
                    refuseAccess(block, buffer);
            }
        }
    };
    for (const ir::Stmt &part : {block.init, block.body}) {
        if (!part)
            continue;
        ir::forEachStmt(part, [&](const ir::Stmt &s) {
            if (const auto *store = s.as<ir::BufferStore>())
                check(store->buffer, store->indices);
            return true;
        });
        ir::forEachExpr(part, [&](const ir::Expr &e) {
            if (const auto *load = e.as<ir::BufferLoad>())
                check(load->buffer, load->indices);
            return true;
        });
    }
}

/// Each buffer is accessed once, at iteration variables or constants.
void requireEinsum(const ir::Block &block)
{
    std::vector<ir::Buffer> seen;
    const auto check = [&](const ir::BufferRegion &region) {
        const bool plain = std::ranges::all_of(region.region, [](const ir::Range &range) {
            return ir::isConstInt(range.extent, 1) && (range.min.as<ir::VarNode>() || ir::asInt(range.min));
        });
        if (!plain || std::ranges::contains(seen, region.buffer))
            refuseAccess(block, region.buffer);
        seen.push_back(region.buffer);
    };
    std::ranges::for_each(block.reads, check);
    std::ranges::for_each(block.writes, check);
    requireAccessesAsDeclared(block);
}

/// Zeros beyond the end must not change a sum: it adds up products with a factor that is read at the
/// variable.
void requireZeroTerms(const ir::Block &block, const ir::Var &var)
{
    const analysis::Reduction reduction = analysis::reductionOf(block);
    const std::function<bool(const ir::Expr &)> vanishes = [&](const ir::Expr &e) {
        if (const auto *cast = e.as<ir::Cast>())
            return vanishes(cast->value);
        if (const auto *load = e.as<ir::BufferLoad>())
            return std::ranges::any_of(load->indices, [&](const ir::Expr &i) { return i.same(var); });
        const auto *product = e.as<ir::Binary>();
        return product && product->op == ir::BinaryOp::Mul && (vanishes(product->a) || vanishes(product->b));
    };
    if (reduction.op != ir::BinaryOp::Add || !vanishes(reduction.terms[0]))
        refuse(diagnostic("schedule.not-einsum", "block " + named(block)
                                                     + " does not sum products of its reads at '" + var.name()
                                                     + "', so zeros beyond the end would change the result")
                   .at(block.id)
                   .withHint("pad '" + var.name() + "' by 1"));
}

/// Requires that writes beyond the end go to other elements: else the last value written would be that of
/// zeros.
void requireWrittenAt(const ir::Block &block, const ir::Var &var)
{
    for (const ir::BufferRegion &write : block.writes) {
        if (std::ranges::none_of(write.region, [&](const ir::Range &range) { return range.min.same(var); }))
            refuse(diagnostic("schedule.not-einsum", "block " + named(block) + " does not write '"
                                                         + write.buffer.name() + "' at '" + var.name()
                                                         + "', so zeros beyond the end would overwrite it")
                       .at(block.id)
                       .withHint("pad '" + var.name() + "' by 1"));
    }
}

/// The new extents of the block's variables that grow, and of the loops that are their values.
struct Growth {
    ir::VarMap<ir::Expr> vars, loops;
};

Growth growthOf(const ir::Block &block, const std::vector<std::int64_t> &padding)
{
    Growth growth;
    arith::Analyzer analyzer;
    for (std::size_t i = 0; i < padding.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        const ir::Expr &extent = iter.domain.extent;
        const ir::Expr pad = ir::intImm(padding[i], extent.dtype());
        const std::int64_t *count = ir::asInt(extent);
        const std::int64_t whole = count ? ir::ceilDiv(*count, padding[i]) * padding[i] : 0;
        const ir::Expr grown =
            count ? ir::intImm(whole, extent.dtype())
                  : analyzer.simplify(ir::floorDiv(extent + pad - ir::intImm(1, extent.dtype()), pad) * pad);
        if (!ir::isConstInt(pad, padding[i]) || (count && !ir::isConstInt(grown, whole)))
            refuse(diagnostic("schedule.padding", "the padding of block " + named(block) + " is larger than "
                                                      + extent.dtype().str() + " counts")
                       .at(block.id));
        if (analyzer.canProveEqual(grown, extent))
            continue;
        if (iter.kind == ir::IterKind::Reduce)
            requireZeroTerms(block, iter.var);
        else
            requireWrittenAt(block, iter.var);
        growth.vars[iter.var] = grown;
        const ir::Var loop = ir::Var::from(block.iterValues[i]);
        if (!loop)
            refuse(diagnostic("schedule.not-bound-to-a-loop",
                              "the variable '" + iter.var.name() + "' of block " + named(block)
                                  + ", which would grow, is not one loop's variable but "
                                  + script::printExpr(block.iterValues[i]))
                       .at(block.id)
                       .withHint("pad before its loops are split or fused"));
        growth.loops[loop] = grown;
    }
    return growth;
}

/// The copies hold the buffers from their beginning on: a variable that grows must reach just to the end, and
/// all that is copied back must be written.
void requireFullReach(Edit &edit, const ir::Block &block, const Growth &growth)
{
    arith::Analyzer analyzer;
    const auto reaches = [&](const ir::BufferRegion &region, bool isWrite) {
        const auto grown = [&](const ir::Range &range) {
            return growth.vars.contains(ir::Var::from(range.min));
        };
        const bool isPadded = std::ranges::any_of(region.region, grown);
        for (std::size_t d = 0; isPadded && d < region.region.size(); ++d) {
            const ir::Range &range = region.region[d];
            const ir::Expr &size = region.buffer.shape()[d];
            const auto iter = std::ranges::find_if(
                block.iterVars, [&](const ir::IterVar &v) { return range.min.same(v.var); });
            const bool isWhole = iter == block.iterVars.end()
                                     ? ir::isConstInt(range.min, 0) && (!isWrite || ir::isConstInt(size, 1))
                                     : ir::isConstInt(iter->domain.min, 0)
                                           && analyzer.canProveEqual(iter->domain.extent, size);
            if (!isWhole && (isWrite || iter == block.iterVars.end() || grown(range)))
                return false;
        }
        if (isPadded && isWrite) {
            requireRunsEverywhere(edit, block);
            requireNotAccumulated(edit, block, region.buffer); // nothing fills the copy
        }
        return true;
    };
    for (const bool isWrite : {false, true}) {
        for (const ir::BufferRegion &region : isWrite ? block.writes : block.reads) {
            if (!reaches(region, isWrite))
                refuse(diagnostic("schedule.not-einsum", "block " + named(block) + " touches only a part of '"
                                                             + region.buffer.name()
                                                             + "', but all of it would be padded")
                           .at(block.id));
        }
    }
}

std::optional<Padded> paddedOf(const ir::BufferRegion &region, const Growth &growth, bool isRead)
{
    std::vector<ir::Expr> shape;
    bool grows = false;
    for (std::size_t d = 0; d < region.region.size(); ++d) {
        const ir::Expr &min = region.region[d].min;
        const auto grown = growth.vars.find(ir::Var::from(min));
        if (ir::asInt(min))
            shape.push_back(ir::intImm(1, min.dtype()));
        else if (grown != growth.vars.end())
            shape.push_back(grown->second);
        else
            shape.push_back(region.buffer.shape()[d]);
        grows = grows || grown != growth.vars.end();
    }
    if (!grows)
        return std::nullopt;
    return Padded{region.buffer,
                  ir::Buffer(region.buffer.name() + "_pad", std::move(shape), region.buffer.dtype(),
                             region.buffer->scope),
                  isRead};
}

/// Fills the padded buffer from the original one with zeros beyond its end, or copies its part back.
ir::Stmt copyOf(Edit &edit, const Padded &padded, StmtId parent)
{
    const ir::Buffer &ranges = padded.isRead ? padded.padded : padded.original;
    arith::Analyzer analyzer;
    ir::Block block;
    block.id = edit.newId();
    block.origin = edit.origin(padded.isRead ? "pad" : "crop", parent);
    block.predicate = ir::boolImm(true);
    block.name = padded.padded.name();
    std::vector<ir::Var> loops;
    std::vector<ir::Expr> indices;
    ir::Expr inside = ir::boolImm(true);
    for (std::size_t d = 0; d < ranges.shape().size(); ++d) {
        const ir::Expr &extent = ranges.shape()[d];
        const std::string number = std::to_string(d);
        loops.emplace_back("i" + number, extent.dtype());
        const ir::Var var("v" + number, extent.dtype());
        block.iterVars.push_back({{ir::intImm(0, extent.dtype()), extent}, var, ir::IterKind::Spatial});
        block.iterValues.push_back(loops.back());
        indices.push_back(var);
        if (!analyzer.canProveEqual(padded.original.shape()[d], padded.padded.shape()[d]))
            inside = ir::logicalAnd(inside, ir::lt(var, padded.original.shape()[d]));
    }
    const std::vector<ir::Range> point = ir::pointRegion(indices);
    const ir::Buffer &from = padded.isRead ? padded.original : padded.padded;
    const ir::Buffer &to = padded.isRead ? padded.padded : padded.original;
    block.reads = {{from, point}};
    block.writes = {{to, point}};
    ir::Expr value = ir::load(from, indices);
    if (padded.isRead)
        value =
            ir::callIntrinsic(ir::intrinsics::ifThenElse, {inside, value, ir::constant(0, value.dtype())});
    block.body = ir::store(to, value, indices);
    ir::Stmt nest = ir::make(std::move(block));
    for (std::size_t d = loops.size(); d-- > 0;)
        nest = ir::serialFor(loops[d], ranges.shape()[d], nest, edit.newId(),
                             edit.origin(padded.isRead ? "pad" : "crop", parent));
    return nest;
}

/// Nothing else in the nest around the block may touch the buffers or run under the loops that grow.
void requireAlone(Edit &edit, const ir::Block &block, StmtId part, const std::vector<Padded> &buffers)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    const std::vector<StmtId> inNest =
        index.block(part) ? std::vector<StmtId>{part} : index.childBlocks(part);
    for (const StmtId id : inNest) {
        if (id == block.id || buffers.empty())
            continue;
        refuse(diagnostic("schedule.shared-nest", "block " + named(*index.block(id))
                                                      + " runs in the same nest as block " + named(block)
                                                      + ", which would be padded with it")
                   .at(block.id)
                   .at(id)
                   .withHint("pad before blocks are moved into the nest"));
    }
}

/// The outermost loop around the block, or the block itself.
StmtId partHolding(const analysis::FunctionIndex &index, StmtId block)
{
    const std::vector<StmtId> loops = index.loopsOf(block);
    return loops.empty() ? block : loops.front();
}

ArgList padEinsum(Edit &edit, const PadEinsumArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    requireStagePipeline(edit, scope);
    requirePadding(block, args.padding);
    requireNothingHidden(index, block.id);
    requireEinsum(block);
    const Growth growth = growthOf(block, args.padding);
    requireFullReach(edit, block, growth);
    std::vector<Padded> buffers;
    for (const bool isRead : {true, false}) {
        for (const ir::BufferRegion &region : isRead ? block.reads : block.writes) {
            if (auto padded = paddedOf(region, growth, isRead))
                buffers.push_back(std::move(*padded));
        }
    }
    const StmtId part = partHolding(index, block.id);
    requireAlone(edit, block, part, buffers);

    Changes changes;
    changes[block.id] = editBlock([&](ir::Block &b) {
        for (ir::IterVar &iter : b.iterVars) {
            if (const auto grown = growth.vars.find(iter.var); grown != growth.vars.end())
                iter.domain.extent = grown->second;
        }
    });
    for (const StmtId id : index.loopsOf(block.id)) {
        if (const auto grown = growth.loops.find(index.loop(id)->var); grown != growth.loops.end())
            changes[id] = editLoop([extent = grown->second](ir::For &loop) { loop.extent = extent; });
    }
    ir::BufferMap<ir::Buffer> replaced;
    for (const Padded &padded : buffers)
        replaced[padded.original] = padded.padded;
    const ir::Stmt nest = ir::substituteBuffers(rewriteAt(index.find(part), changes), replaced);
    std::vector<ir::Stmt> before, after;
    for (const Padded &padded : buffers)
        (padded.isRead ? before : after).push_back(copyOf(edit, padded, block.id));
    before.push_back(nest);
    before.insert(before.end(), after.begin(), after.end());
    edit.replace(part, ir::seq(std::move(before)));
    edit.setBody(rewriteAt(edit.body(), {{scope, editBlock([&](ir::Block &b) {
                                              for (const Padded &padded : buffers)
                                                  b.allocBuffers.push_back(padded.padded);
                                          })}}));
    return {};
}

} // namespace

Primitive padEinsumPrimitive()
{
    return define<PadEinsumArgs>(
        {.name = "pad_einsum",
         .title = "Pad",
         .group = Group::Layout,
         .key = "Shift+P",
         .summary =
             "Rounds the extents of an Einstein summation up to multiples, with zeros beyond the ends.",
         .documentation =
             R"(Lets a block run over more than its data, so that its extents divide well: copies of what it
reads get zeros beyond their ends, and of what it writes the part that counts is copied back.

```
for i in range(127):            for i0 in range(128): A_pad[i0] = A[i0] if i0 < 127 else 0
    C[i] = A[i] * B[i]  →       …
                                for i in range(128): C_pad[i] = A_pad[i] * B_pad[i]
                                for i0 in range(127): C[i0] = C_pad[i0]
```

**Legal** for a block that accesses each buffer once, at its iteration variables alone, and alone in its
nest. A reduction variable can be padded when the block sums products with a factor that is read at it.)",
         .lemmas = padEinsumLemmas()},
        {required<&PadEinsumArgs::block>("block", "Block", "The summation."),
         required<&PadEinsumArgs::padding>(
             "padding", "Padding",
             "For each iteration variable, the number that its extent becomes a multiple of.")
             .attribute()},
        padEinsum);
}

} // namespace nestwright::schedule
