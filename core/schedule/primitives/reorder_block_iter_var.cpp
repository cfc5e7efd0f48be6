// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct ReorderIterArgs {
    BlockId block;
    std::vector<std::int64_t> order;
};

ArgList reorderBlockIterVar(Edit &edit, const ReorderIterArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    std::vector<std::int64_t> sorted = args.order;
    std::ranges::sort(sorted);
    bool isPermutation = sorted.size() == block.iterVars.size();
    for (std::size_t i = 0; isPermutation && i < sorted.size(); ++i)
        isPermutation = sorted[i] == static_cast<std::int64_t>(i);
    if (!isPermutation)
        refuse(diagnostic("schedule.not-a-permutation", "the new order must name each of the "
                                                            + std::to_string(block.iterVars.size())
                                                            + " iteration variables of block " + named(block)
                                                            + " once, by its position from 0")
                   .at(block.id));
    ir::Block changed = block;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto from = static_cast<std::size_t>(args.order[i]);
        changed.iterVars[i] = block.iterVars[from];
        changed.iterValues[i] = block.iterValues[from];
    }
    edit.replace(block.id, ir::make(std::move(changed)));
    return {};
}

} // namespace

Primitive reorderBlockIterVarPrimitive()
{
    return define<ReorderIterArgs>(
        {.name = "reorder_block_iter_var",
         .title = "Reorder iteration variables",
         .group = Group::Layout,
         .key = "Shift+V",
         .summary = "Puts the iteration variables of a block into another order.",
         .documentation =
             "Changes how the block is described, not when it runs.\n\n```\nvi, vj, vk = "
             "T.axis.remap(\"SSR\", [i, j, k])   →   vk, vi, vj = T.axis.remap(\"RSS\", [k, i, j])\n```"},
        {required<&ReorderIterArgs::block>("block", "Block", "The block."),
         required<&ReorderIterArgs::order>("new_order", "New order",
                                           "The old position of each variable, in the new order.")},
        reorderBlockIterVar);
}

} // namespace nestwright::schedule
