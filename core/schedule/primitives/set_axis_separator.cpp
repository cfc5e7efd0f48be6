// SPDX-License-Identifier: Apache-2.0
/// set_axis_separator: which dimensions of a buffer are flattened together for memories with several address
/// dimensions.
#include "core/schedule/layout/layout_change.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct SeparatorArgs {
    BlockId block;
    BufferRef buffer;
    std::vector<std::int64_t> separators;
};

ArgList setAxisSeparator(Edit &edit, const SeparatorArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const ir::Buffer buffer = accessAt(block, args.buffer.side, args.buffer.index).buffer;
    const auto rank = static_cast<std::int64_t>(buffer.shape().size());
    const bool inside =
        std::ranges::all_of(args.separators, [&](std::int64_t at) { return at >= 0 && at <= rank; });
    if (!inside || !std::ranges::is_sorted(args.separators))
        refuse(diagnostic("schedule.axis-separators", "separators of '" + buffer.name()
                                                          + "' stand between its " + std::to_string(rank)
                                                          + " dimensions, in rising order")
                   .at(block.id)
                   .withHint("give positions from 0 to " + std::to_string(rank)));
    const BufferOwner owner = ownerOf(edit, block, buffer);
    ir::BufferNode node = *buffer.get();
    node.axisSeparators.assign(args.separators.begin(), args.separators.end());
    if (node.axisSeparators == buffer->axisSeparators)
        return {};
    const ir::Buffer separated(std::move(node));
    replaceBuffer(edit, owner, buffer, separated);
    edit.setBody(withSeparatedParts(edit.body(), separated));
    return {};
}

} // namespace

Primitive setAxisSeparatorPrimitive()
{
    return define<SeparatorArgs>(
        {.name = "set_axis_separator",
         .title = "Separate axes",
         .group = Group::Layout,
         .key = "Shift+H",
         .summary =
             "Says where the dimensions of a buffer are divided into the address dimensions of its memory.",
         .documentation =
             R"(Dimensions between two separators are flattened into one address dimension.

```
B = T.alloc_buffer((128, 64))   →   B = T.alloc_buffer((128, 64), axis_separators=[1])
```

**Legal** for every buffer that is not a part of another; positions are in rising order.)"},
        {required<&SeparatorArgs::block>("block", "Block", "A block that reads or writes the buffer."),
         required<&SeparatorArgs::buffer>("buffer", "Buffer", "The buffer whose dimensions are divided.")
             .attribute(),
         required<&SeparatorArgs::separators>("axis_separators", "Separators",
                                              "Positions before which a new address dimension begins.")
             .attribute()},
        setAxisSeparator);
}

} // namespace nestwright::schedule
