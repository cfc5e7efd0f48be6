// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/calls.h"
#include "core/ir/conditions.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/primitives/vector_scale.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/loop_rules.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <array>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

constexpr std::size_t mostFactors = 64;
constexpr std::string_view smallerFactors = "choose smaller factors, or give the kernel sizes of type int64";

struct SplitArgs {
    LoopId loop;
    std::vector<Factor> factors;
    bool preserveUnitIters = true;
    bool disablePredication = false;
};

[[noreturn]] void refuseFactor(const ir::For &loop, const ir::Expr &factor)
{
    const bool isNumber = ir::asInt(factor);
    refuse(diagnostic("schedule.factor-not-positive",
                      "loop " + named(loop) + " cannot be split by " + script::printExpr(factor)
                          + (isNumber ? "; a factor must be 1 or more" : ", which may be less than 1"))
               .at(loop.id));
}

/// The product of the factors that are given, which `extents` get in the loop's type.
ir::Expr productOf(const ir::For &loop, const SplitArgs &args, arith::Analyzer &analyzer,
                   std::vector<ir::Expr> &extents)
{
    std::vector<ir::Expr> numbers;
    ir::Expr product = ir::constant(1, loop.var->dtype);
    for (const Factor &factor : args.factors) {
        if (!factor.extent) {
            extents.emplace_back();
            continue;
        }
        const ir::Expr extent = analyzer.simplify(ir::cast(loop.var->dtype, factor.extent));
        const std::int64_t *number = ir::asInt(factor.extent);
        if (number ? *number < 1 : !analyzer.canProveGreaterEqual(extent, 1))
            refuseFactor(loop, factor.extent);
        extents.push_back(extent);
        if (number)
            numbers.push_back(factor.extent);
        else
            product = product * extent;
    }
    requireCountable(loop, numbers, smallerFactors);
    std::int64_t count = 1;
    for (const ir::Expr &number : numbers)
        count *= *ir::asInt(number);
    return analyzer.simplify(product * ir::intImm(count, loop.var->dtype));
}

/// How often the outer part of a loop runs whose others make `covered` iterations.
ir::Expr openExtent(const ir::For &loop, const ir::Expr &covered, arith::Analyzer &analyzer)
{
    const std::int64_t *count = ir::asInt(loop.extent), *by = ir::asInt(covered);
    if (count && by) {
        const ir::Expr outer = ir::intImm(ir::ceilDiv(*count, *by), loop.var->dtype);
        requireCountable(loop, std::array{outer, covered}, smallerFactors);
        return outer;
    }
    // For a symbolic extent, no more than half of what the type counts may be added.
    if (by)
        requireCountable(loop, std::array{covered, ir::intImm(2, loop.var->dtype)}, smallerFactors);
    return analyzer.simplify(ir::floorDiv(loop.extent + covered - ir::intImm(1, loop.var->dtype), covered));
}

/// The factors with the one left open worked out so that the parts cover the loop.
std::vector<ir::Expr> partExtents(const ir::PrimFunc &function, const ir::For &loop, const SplitArgs &args)
{
    const auto open =
        std::ranges::count_if(args.factors, [](const Factor &factor) { return !factor.extent; });
    if (args.factors.size() > mostFactors)
        refuse(diagnostic("schedule.factors", "loop " + named(loop) + " is to be split into "
                                                  + std::to_string(args.factors.size()) + " loops; "
                                                  + std::to_string(mostFactors) + " is the most")
                   .at(loop.id));
    if (args.factors.empty())
        refuse(diagnostic("schedule.factors", "splitting loop " + named(loop) + " needs at least one factor")
                   .at(loop.id));
    if (open > 1)
        refuse(diagnostic("schedule.factors", "at most one factor may be None; found " + std::to_string(open))
                   .at(loop.id)
                   .withHint("give the others as numbers"));
    std::vector<ir::Expr> extents;
    arith::Analyzer analyzer;
    const ir::Expr covered = productOf(loop, args, analyzer, extents);
    const ir::Expr fits = ir::ge(covered, loop.extent);
    if (open) {
        *std::ranges::find_if(extents, [](const ir::Expr &e) { return !e; }) =
            openExtent(loop, covered, analyzer);
    } else if (!analyzer.canProve(fits) && !holdsForVectorScales(fits, function)) {
        refuse(diagnostic(codes::factorsTooSmall,
                          "the factors of loop " + named(loop) + " make " + script::printExpr(covered)
                              + " iterations, but it has " + script::printExpr(loop.extent))
                   .at(loop.id)
                   .withHint(ir::calls(fits, ir::intrinsics::vscale) && vectorScales(function).empty()
                                 ? "leave one factor as None to have it worked out, or give the function the "
                                   "attribute \"target\" of a machine with scalable vectors"
                                 : "leave one factor as None to have it worked out"));
    }
    return extents;
}

std::string partName(std::size_t i, std::size_t count)
{
    if (i == 0)
        return "outer";
    return i + 1 == count ? "inner" : "middle";
}

/// A predicate stands at blocks; statements outside of any would run beyond the loop's end.
void requireInBlocks(const ir::For &loop)
{
    bool isInBlocks = true;
    ir::forEachStmt(loop.body, [&](const ir::Stmt &s) {
        isInBlocks &= s.kind() != ir::StmtKind::BufferStore && s.kind() != ir::StmtKind::Evaluate;
        return s.kind() != ir::StmtKind::Block;
    });
    if (!isInBlocks)
        refuse(
            diagnostic("schedule.no-block", "loop " + named(loop)
                                                + " holds statements outside of blocks, which no predicate "
                                                  "can keep from running beyond its end")
                .at(loop.id)
                .withHint("choose factors that divide its extent"));
}

/// The expressions that a statement outside of blocks evaluates before its body.
std::vector<ir::Expr> headOf(const ir::Stmt &s)
{
    if (const auto *node = s.as<ir::For>())
        return {node->min, node->extent};
    if (const auto *node = s.as<ir::IfThenElse>())
        return {node->condition};
    if (const auto *node = s.as<ir::While>())
        return {node->condition};
    const auto *node = s.as<ir::LetStmt>();
    return node ? std::vector{node->value} : std::vector<ir::Expr>();
}

/// Refuses ranges and conditions around blocks that read beyond the extent: a predicate does not guard them
/// either.
void requireNoUnguardedReads(const ir::For &loop)
{
    ir::forEachStmt(loop.body, [&](const ir::Stmt &s) {
        for (const ir::Expr &e : headOf(s)) {
            if (ir::mayFault(e) && ir::uses(e, loop.var))
                refuse(diagnostic("schedule.unguarded-read",
                                  "below loop " + named(loop) + " " + script::printExpr(e)
                                      + " is computed outside of blocks, which no predicate can keep from "
                                        "reading beyond the loop's end")
                           .at(loop.id)
                           .withHint("choose factors that divide its extent"));
        }
        return s.kind() != ir::StmtKind::Block;
    });
}

/// Requires that the values of blocks below keep within their types beyond the loop's end as well: they are
/// computed there, though a predicate keeps the blocks from running. `body` has them in terms of `domains`
/// and of its loops.
void requireHeldBeyond(const ir::For &loop, const ir::Stmt &body, arith::Domains domains)
{
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        if (const auto *inner = s.as<ir::For>())
            domains.push_back(domainOf(*inner));
        const auto *block = s.as<ir::Block>();
        for (const ir::Expr &value : block ? block->iterValues : std::vector<ir::Expr>()) {
            if (arith::leavesType(value, domains))
                refuse(diagnostic("schedule.too-many-iterations",
                                  "the factors of loop " + named(loop)
                                      + " make more iterations than it has, for " + "which "
                                      + script::printExpr(value) + " in block " + named(*block)
                                      + " is more than " + value.dtype().str() + " holds")
                           .at(loop.id)
                           .at(block->id)
                           .withHint(std::string(smallerFactors)));
        }
        return !block;
    });
}

ArgList split(Edit &edit, const SplitArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    requirePlainLoop(loop);
    const ir::PrimFunc &function = *edit.index(loop.id).function();
    const std::vector<ir::Expr> extents = partExtents(function, loop, args);
    // The old variable in terms of the new ones: ((i_0 * f1 + i_1) * f2 + i_2) …
    arith::Domains domains = domainsAround(edit.index(loop.id), loop.id);
    arith::Analyzer analyzer;
    bindSizes(analyzer, function);
    bindAll(analyzer, domains);
    const ir::DataType type = loop.var->dtype;
    std::vector<ir::Var> vars;
    arith::Domains parts;
    ir::Expr value = ir::constant(0, type);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        vars.emplace_back(loop.var.name() + '_' + std::to_string(i), type);
        parts.push_back({vars.back(), {ir::constant(0, type), extents[i]}});
        value = value * extents[i] + vars.back();
    }
    bindAll(analyzer, parts);
    ir::Stmt body = ir::substitute(loop.body, {{loop.var, value}});
    const ir::Expr inside = ir::lt(value, loop.extent);
    if (!args.disablePredication && !analyzer.canProve(inside)) {
        requireInBlocks(loop);
        requireNoUnguardedReads(loop);
        arith::Domains all = domains;
        all.insert(all.end(), parts.begin(), parts.end());
        requireHeldBeyond(loop, body, std::move(all));
        body = withPredicate(body, inside);
    }
    std::vector<StmtId> ids(extents.size());
    std::ranges::generate(ids, [&] { return edit.newId(); });
    for (std::size_t i = extents.size(); i-- > 0;)
        body =
            ir::serialFor(vars[i], extents[i], body, ids[i], edit.origin(partName(i, ids.size()), loop.id));
    edit.replace(loop.id, simplifyBindings(body, domains, args.preserveUnitIters));
    return ArgList(ids.begin(), ids.end());
}

} // namespace

Primitive splitPrimitive()
{
    return define<SplitArgs>(
        {.name = "split",
         .title = "Split",
         .group = Group::Loops,
         .key = "S",
         .summary = "Turns a loop into several nested ones whose extents multiply to at least its own.",
         .documentation =
             R"(Splits a loop into nested loops, outermost first. One factor may be left open (`None`): it
becomes the smallest that covers the loop. Where the factors do not divide the extent, the blocks below get
a predicate. For machines with scalable vectors a factor may be a formula of their length, as `4 *
T.vscale()`; whether such factors cover a loop of constant length is known where the attribute `target` of
the function names one.

```
for i in range(128):            for i_0, i_1 in T.grid(4, 32):
    A[i] = …                →       A[i_0 * 32 + i_1] = …
```

**Legal** for a loop that begins at 0 and carries neither annotations nor a thread binding, where the factors
make no more iterations than its type counts.)",
         .lemmas = splitLemmas(),
         .results = Results::List},
        {required<&SplitArgs::loop>("loop", "Loop", "The loop to split."),
         required<&SplitArgs::factors>("factors", "Factors",
                                       "Extents of the new loops, outermost first; one may be None.")
             .form(FieldForm::AcceptsFormulas),
         optional<&SplitArgs::preserveUnitIters>(
             "preserve_unit_iters", "Keep loops of one iteration",
             "Whether bindings keep the variables of loops of one iteration.")
             .attribute(),
         optional<&SplitArgs::disablePredication>("disable_predication", "No predicate",
                                                  "Leaves out the predicate where the factors do not divide "
                                                  "the extent; something else must guard the rest.")
             .attribute()},
        split);
}

} // namespace nestwright::schedule
