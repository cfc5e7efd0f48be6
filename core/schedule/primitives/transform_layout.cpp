// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/schedule/layout/layout_change.h"
#include "core/schedule/layout/layout_plan.h"
#include "core/schedule/primitives/cache_stage.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct TransformLayoutArgs {
    BlockId block;
    BufferRef buffer;
    IndexMap indexMap;
    std::optional<IndexMap> padValue;
    bool assumeInjective = false;
};

void requirePadValue(const ir::Block &block, const ir::Buffer &buffer, const IndexMap &map,
                     const IndexMap &padValue)
{
    if (padValue.outputs.size() != 1)
        refuse(diagnostic("schedule.pad-value", "the padding is given by "
                                                    + std::to_string(padValue.outputs.size())
                                                    + " values instead of one")
                   .at(block.id));
    requireInputs(padValue, map.outputs.size(), "the new layout of '" + buffer.name() + "'");
    const std::vector<ir::Expr> indices(padValue.inputs.begin(), padValue.inputs.end());
    const ir::DataType type = valuesAt(padValue, indices).front().dtype();
    if (!(type == buffer.dtype()))
        refuse(diagnostic("schedule.pad-type", "'" + buffer.name() + "' holds elements of type "
                                                   + buffer.dtype().str() + ", but the padding is of type "
                                                   + type.str())
                   .at(block.id)
                   .withHint("write the padding as a constant of the buffer's type"));
}

/// A map without explicit inverse is turned round by analysis.
LayoutMap layoutOf(const TransformLayoutArgs &args, const ir::Block &block, const ir::Buffer &buffer,
                   const arith::Domains &domain)
{
    const std::string what = "buffer '" + buffer.name() + "'";
    if (args.assumeInjective) {
        LayoutMap layout;
        layout.extents = mappedExtents(args.indexMap, domain, what);
        layout.padding = ir::boolImm(false);
        return layout;
    }
    LayoutMap layout = layoutMapOn(args.indexMap, domain, what, "axis");
    if (!ir::isFalse(layout.padding) && !args.padValue)
        refuse(
            diagnostic("schedule.padding", "the index map " + str(args.indexMap) + " leaves padding in "
                                               + what + " where " + script::printExpr(layout.padding))
                .at(block.id)
                .withHint(
                    "give the value of the padding with pad_value, or choose a map that divides the shape"));
    return layout;
}

ArgList transformLayout(Edit &edit, const TransformLayoutArgs &given)
{
    const ir::Block &block = edit.block(given.block.id);
    TransformLayoutArgs args = given;
    args.indexMap = withSizes(given.indexMap, *edit.index(block.id).function());
    if (given.padValue)
        args.padValue = withSizes(*given.padValue, *edit.index(block.id).function());
    const ir::Buffer buffer = accessAt(block, args.buffer.side, args.buffer.index).buffer;
    const BufferOwner owner = ownerOf(edit, block, buffer);
    if (args.padValue)
        requirePadValue(block, buffer, args.indexMap, *args.padValue);
    arith::Domains domain;
    for (std::size_t d = 0; d < buffer.shape().size(); ++d) {
        const ir::Expr &extent = buffer.shape()[d];
        domain.push_back(
            {ir::Var("d" + std::to_string(d), extent.dtype()), {ir::constant(0, extent.dtype()), extent}});
    }
    const LayoutMap layout = layoutOf(args, block, buffer, domain);
    ir::BufferNode node = *buffer.get();
    node.shape = layout.extents;
    node.strides.clear();
    node.axisSeparators = args.indexMap.axisSeparators;
    const ir::Buffer changed(std::move(node));

    const StmtId scope = owner.isParameter() ? edit.index(block.id).root() : owner.allocator;
    LayoutPlan plan;
    if (args.padValue && !ir::isFalse(layout.padding))
        plan = planLayout(edit, edit.block(scope), buffer, changed, layout, *args.padValue);
    Changes changes;
    for (const auto &[loop, nest] : plan.replacements)
        addChange(changes, loop, [&](const ir::Stmt &) { return nest; });
    if (plan.after)
        addChange(changes, plan.after, [&](const ir::Stmt &s) { return ir::seq({s, plan.epilogue}); });
    addChange(changes, scope,
              [&](const ir::Stmt &s) { return withLayout(s, buffer, changed, args.indexMap); });
    if (plan.prologue)
        addNest(changes, {scope, 0}, plan.prologue);
    edit.setBody(withSeparatedParts(rewriteAt(edit.body(), changes), changed));
    if (owner.isParameter())
        edit.replaceParameter(buffer, changed);
    return {};
}

} // namespace

Primitive transformLayoutPrimitive()
{
    return define<TransformLayoutArgs>(
        {.name = "transform_layout",
         .title = "Transform layout",
         .group = Group::Layout,
         .key = "L",
         .summary = "Lays a buffer out in another way, which an index map gives.",
         .documentation =
             R"(The buffer gets the shape of the map's results, and every access goes through the map.

```
B = T.alloc_buffer((8, 8))      →   B = T.alloc_buffer((2, 8, 4))      lambda i, j: (j // 4, i, j % 4)
B[i, j] = …                         B[j // 4, i, j % 4] = …
```

Where the map does not divide the shape evenly there is padding, and `pad_value` says what it holds: a
number, or a map from the new indices. The block that writes the whole buffer then fills the padding too,
else a new block does. Of a buffer that nothing writes, an input, a new block states the value, which the
caller has to see to. A buffer that callers give changes its shape for them, too.

**Legal** for a buffer that is no part of another, and a map that keeps its elements apart.)",
         .lemmas = transformLayoutLemmas()},
        {required<&TransformLayoutArgs::block>("block", "Block", "A block that accesses the buffer."),
         required<&TransformLayoutArgs::buffer>("buffer", "Buffer", "Which of its buffers.").attribute(),
         required<&TransformLayoutArgs::indexMap>("index_map", "Index map",
                                                  "From the old indices to the new ones."),
         optional<&TransformLayoutArgs::padValue>("pad_value", "Padding",
                                                  "The value of the padding, from the new indices.")
             .attribute(),
         optional<&TransformLayoutArgs::assumeInjective>(
             "assume_injective_transform", "Assume that elements stay apart",
             "Accepts maps that cannot be analysed, and padding that nobody touches.")
             .attribute()},
        transformLayout);
}

} // namespace nestwright::schedule
