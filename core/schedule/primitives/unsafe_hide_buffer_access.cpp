// SPDX-License-Identifier: Apache-2.0
/// unsafe_hide_buffer_access: a block no longer says that it reads or writes a buffer.
#include "core/ir/build/builder.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

struct HideArgs {
    BlockId block;
    std::string side;
    std::vector<std::int64_t> buffers;
};

ArgList hide(Edit &edit, const HideArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const BufferSide side = args.side == "read" ? BufferSide::Read : BufferSide::Write;
    for (const std::int64_t index : args.buffers)
        accessAt(block, side, index);
    ir::Block changed = block;
    std::vector<ir::BufferRegion> &regions = side == BufferSide::Read ? changed.reads : changed.writes;
    std::vector<ir::BufferRegion> kept;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        if (!std::ranges::contains(args.buffers, static_cast<std::int64_t>(i)))
            kept.push_back(regions[i]);
    }
    regions = std::move(kept);
    edit.replace(block.id, ir::make(std::move(changed)));
    return {};
}

} // namespace

Primitive unsafeHideBufferAccessPrimitive()
{
    return define<HideArgs>(
        {.name = "unsafe_hide_buffer_access",
         .title = "Hide access (unsafe)",
         .group = Group::Annotate,
         .key = "H",
         .summary = "Removes buffers from the declared reads or writes of a block.",
         .documentation =
             R"(The block does what it did, but regions no longer say so: steps that cover, copy or move by
regions leave the buffer out.

```
T.reads(A[vi], B[vi])         T.reads(A[vi])
T.writes(C[vi])          →    T.writes(C[vi])
C[vi] = A[vi] + B[vi]         C[vi] = A[vi] + B[vi]
```

**Warning:** after a write is hidden, later steps may move the block behind what reads the buffer. That the
program still computes the same is for you to know.

**Legal** for every buffer that the block names.)",
         .isUnsafe = true},
        {required<&HideArgs::block>("block", "Block", "The block that touches the buffers."),
         required<&HideArgs::side>("buf_type", "Side", "Whether reads or writes are hidden.")
             .oneOf({"read", "write"}),
         required<&HideArgs::buffers>("buf_index_array", "Buffers",
                                      "Positions among the block's reads or writes.")},
        hide);
}

} // namespace nestwright::schedule
