// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/layout/layout_change.h"
#include "core/schedule/layout/layout_map.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/order_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct TransformBlockArgs {
    BlockId block;
    IndexMap indexMap;
};

/// The outermost of the loops around the block. Requires each to hold nothing else and to be the value of one
/// variable.
StmtId requirePlainNest(Edit &edit, const ir::Block &block)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    const std::vector<StmtId> loops = index.loopsOf(block.id);
    if (!ir::isTrue(block.predicate))
        refuse(diagnostic("schedule.predicate", "block " + named(block) + " has a predicate").at(block.id));
    for (const StmtId id : loops) {
        const ir::For &loop = *index.loop(id);
        if (loop.body.as<ir::Block>() != &block && !onlyLoopIn(loop.body))
            refuse(diagnostic("schedule.not-only-child",
                              "loop " + named(loop) + " holds more than block " + named(block))
                       .at(id)
                       .at(block.id));
    }
    for (const ir::Expr &value : block.iterValues) {
        const bool isLoop =
            std::ranges::any_of(loops, [&](StmtId id) { return value.same(index.loop(id)->var); });
        if (!isLoop)
            refuse(
                diagnostic("schedule.not-affine-trivially", "the values of block " + named(block)
                                                                + "'s variables are not its loops themselves")
                    .at(block.id)
                    .withHint("transform the block before its loops are split or fused"));
    }
    if (loops.size() != block.iterVars.size())
        refuse(diagnostic("schedule.not-affine-trivially",
                          "block " + named(block) + " has " + std::to_string(loops.size()) + " loops and "
                              + std::to_string(block.iterVars.size()) + " variables")
                   .at(block.id));
    return loops.empty() ? block.id : loops.front();
}

ir::IterKind iterKindOf(const ir::Block &block, const ir::Expr &index, const ir::Expr &extent)
{
    if (ir::isConstInt(extent, 1))
        return ir::IterKind::Spatial;
    std::optional<ir::IterKind> kind;
    for (const ir::IterVar &iter : block.iterVars) {
        if (!ir::uses(index, iter.var))
            continue;
        if (kind && *kind != iter.kind)
            refuse(
                diagnostic(codes::iterKind, "a new variable would be data-parallel and a reduction at once")
                    .at(block.id)
                    .withHint("map reduction variables apart from the others"));
        kind = iter.kind;
    }
    return kind.value_or(ir::IterKind::Spatial);
}

ArgList transformBlockLayout(Edit &edit, const TransformBlockArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    scopeOf(edit, block.id);
    const StmtId outermost = requirePlainNest(edit, block);
    requireAnyOrder(edit, block.id, edit.index(block.id).loopsOf(block.id));
    const LayoutMap layout = bijectionOn(withSizes(args.indexMap, *edit.index(block.id).function()),
                                         domainsOf(block), "block " + named(block), "v");
    ir::Block changed = block;
    changed.iterVars.clear();
    changed.iterValues.clear();
    std::vector<ir::Var> loops;
    for (std::size_t i = 0; i < layout.indices.size(); ++i) {
        const ir::DataType type = layout.indices[i]->dtype;
        loops.emplace_back("ax" + std::to_string(i), type);
        changed.iterValues.push_back(loops.back());
        changed.iterVars.push_back({.domain = {ir::constant(0, type), layout.extents[i]},
                                    .var = layout.indices[i],
                                    .kind = iterKindOf(block, layout.outputs[i], layout.extents[i])});
    }
    for (std::vector<ir::BufferRegion> *regions : {&changed.reads, &changed.writes}) {
        for (ir::BufferRegion &region : *regions)
            region = ir::substitute(region, layout.inverse);
    }
    for (ir::MatchBuffer &match : changed.matchBuffers)
        match.source = ir::substitute(match.source, layout.inverse);
    changed.init = changed.init ? ir::substitute(changed.init, layout.inverse) : changed.init;
    changed.body = ir::substitute(changed.body, layout.inverse);
    ir::Stmt nest = withSimpleAccesses(ir::make(std::move(changed)));
    std::vector<StmtId> ids(loops.size());
    std::ranges::generate(ids, [&] { return edit.newId(); });
    for (std::size_t i = loops.size(); i-- > 0;)
        nest = ir::serialFor(loops[i], layout.extents[i], nest, ids[i], edit.origin("loop", block.id));
    for (const StmtId old : edit.index(block.id).loopsOf(block.id))
        edit.forward(old, ids.empty() ? block.id : ids.front());
    edit.replace(outermost, nest);
    return {};
}

} // namespace

Primitive transformBlockLayoutPrimitive()
{
    return define<TransformBlockArgs>(
        {.name = "transform_block_layout",
         .title = "Transform block",
         .group = Group::Layout,
         .key = "Shift+L",
         .summary = "Runs a block over other iteration variables, which an index map makes of the old ones.",
         .documentation = R"(The block gets one loop per index that the map gives.

```
for i, j in T.grid(8, 8):       →   for ax0, ax1, ax2 in T.grid(2, 8, 4):      lambda i, j: (j // 4, i, j % 4)
    B[i, j] = …                         B[ax1, ax0 * 4 + ax2] = …
```

**Legal** when the block is alone below loops that are its variables' values, and the map is one to one and
does not mix data-parallel and reduction variables.)",
         .lemmas = transformBlockLayoutLemmas()},
        {required<&TransformBlockArgs::block>("block", "Block", "The block."),
         required<&TransformBlockArgs::indexMap>("index_map", "Index map",
                                                 "From the old variables to the new ones.")
             .attribute()},
        transformBlockLayout);
}

} // namespace nestwright::schedule
