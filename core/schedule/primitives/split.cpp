// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"
#include "core/ir/builder.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/bindings.h"
#include "core/schedule/loop_rules.h"
#include "core/schedule/primitives/all.h"
#include "core/schedule/typed.h"
#include "core/script/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct SplitArgs {
    LoopId loop;
    std::vector<std::optional<std::int64_t>> factors;
    bool preserveUnitIters = true;
    bool disablePredication = false;
};

/// The factors with the one left open worked out so that the parts cover the loop.
std::vector<ir::Expr> extentsOf(const ir::For &loop, const SplitArgs &args)
{
    const auto open = std::ranges::count_if(args.factors, [](const auto &factor) { return !factor; });
    if (args.factors.empty())
        refuse(diagnostic("schedule.factors", "splitting loop " + named(loop) + " needs at least one factor")
                   .at(loop.id));
    if (open > 1)
        refuse(diagnostic("schedule.factors", "at most one factor may be None; found " + std::to_string(open))
                   .at(loop.id)
                   .withHint("give the others as numbers"));
    std::vector<ir::Expr> extents;
    std::int64_t product = 1;
    for (const auto &factor : args.factors) {
        if (factor && *factor < 1)
            refuse(diagnostic("schedule.factor-not-positive", "loop " + named(loop) + " cannot be split by "
                                                                  + std::to_string(*factor)
                                                                  + "; a factor must be 1 or more")
                       .at(loop.id));
        if (factor && __builtin_mul_overflow(product, *factor, &product))
            refuse(diagnostic("schedule.factors", "the product of the factors is too large").at(loop.id));
        extents.push_back(factor ? ir::intImm(*factor, loop.var->dtype) : ir::Expr());
    }
    const ir::Expr covered = ir::intImm(product, loop.var->dtype);
    arith::Analyzer analyzer;
    if (open) {
        *std::ranges::find_if(extents, [](const ir::Expr &e) { return !e; }) =
            analyzer.simplify(ir::floorDiv(loop.extent + covered - ir::intImm(1, loop.var->dtype), covered));
    } else if (!analyzer.canProve(ir::ge(covered, loop.extent))) {
        refuse(diagnostic("schedule.factors-too-small",
                          "the factors of loop " + named(loop) + " make " + std::to_string(product)
                              + " iterations, but it has " + script::printExpr(loop.extent))
                   .at(loop.id)
                   .withHint("leave one factor as None to have it worked out"));
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

ArgList split(Edit &edit, const SplitArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    requirePlainLoop(loop);
    const std::vector<ir::Expr> extents = extentsOf(loop, args);
    // The old variable in terms of the new ones: ((i_0 * f1 + i_1) * f2 + i_2) …
    arith::Domains domains = domainsAround(edit.index(loop.id), loop.id);
    arith::Analyzer analyzer;
    bindSizes(analyzer, *edit.index(loop.id).function());
    bindAll(analyzer, domains);
    const ir::DataType type = loop.var->dtype;
    std::vector<ir::Var> vars;
    ir::Expr value = ir::constant(0, type);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        vars.emplace_back(loop.var.name() + '_' + std::to_string(i), type);
        analyzer.bind(vars.back(), {ir::constant(0, type), extents[i]});
        value = value * extents[i] + vars.back();
    }
    ir::Stmt body = ir::substitute(loop.body, {{loop.var, value}});
    const ir::Expr inside = ir::lt(value, loop.extent);
    if (!args.disablePredication && !analyzer.canProve(inside)) {
        requireInBlocks(loop);
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
             R"(Splits a loop into nested loops, outermost first. One factor may be left open (`None`): it becomes the
smallest that covers the loop. Where the factors do not divide the extent, the blocks below get a predicate.

```
for i in range(128):            for i_0, i_1 in T.grid(4, 32):
    A[i] = …                →       A[i_0 * 32 + i_1] = …
```

**Legal** for a loop that begins at 0 and carries neither annotations nor a thread binding.)",
         .results = Results::List},
        {required<&SplitArgs::loop>("loop", "Loop", "The loop to split."),
         required<&SplitArgs::factors>("factors", "Factors",
                                       "Extents of the new loops, outermost first; one may be None."),
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
