// SPDX-License-Identifier: Apache-2.0
/// set_scope and storage_align: where and how a buffer that the function allocates lies in memory.
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"
#include "core/schedule/primitives/all.h"
#include "core/schedule/storage_scope.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct SetScopeArgs {
    BlockId block;
    BufferIndex buffer;
    std::string storageScope;
};
struct StorageAlignArgs {
    BlockId block;
    BufferIndex buffer;
    std::int64_t axis = 0, factor = 1, offset = 0;
};

ArgList setScope(Edit &edit, const SetScopeArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    requireStorageScope(args.storageScope, block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Write, args.buffer.index).buffer;
    const StmtId allocator = allocatorOf(edit, block, buffer);
    if (buffer->scope == args.storageScope)
        return {};
    ir::BufferNode node = *buffer.get();
    node.name += '_' + args.storageScope;
    node.data = ir::Var(node.name, ir::DataType::handle());
    node.scope = args.storageScope;
    const ir::Buffer changed(std::move(node));
    edit.setBody(rewriteAt(edit.body(), {{allocator, [&](const ir::Stmt &s) {
                                              return ir::substituteBuffers(s, {{buffer, changed}});
                                          }}}));
    return {};
}

void requireAlignment(const ir::Block &block, const ir::Buffer &buffer, const StorageAlignArgs &args)
{
    const auto rank = static_cast<std::int64_t>(buffer.shape().size());
    if (args.axis < -rank || args.axis >= rank)
        refuse(diagnostic("schedule.axis", "'" + buffer.name() + "' has " + std::to_string(rank)
                                               + " dimensions; there is no axis " + std::to_string(args.axis))
                   .at(block.id));
    if (args.factor < 1)
        refuse(
            diagnostic("schedule.factor-not-positive",
                       "the factor of an alignment must be 1 or more, found " + std::to_string(args.factor))
                .at(block.id));
}

/// The list of [buffer, axis, factor, offset] that lowering reads.
ArgList storageAlign(Edit &edit, const StorageAlignArgs &args)
{
    constexpr const char *key = "buffer_dim_align";
    const ir::Block &block = edit.block(args.block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Write, args.buffer.index).buffer;
    requireAlignment(block, buffer, args);
    allocatorOf(edit, block, buffer);
    const std::int64_t axis =
        args.axis < 0 ? args.axis + static_cast<std::int64_t>(buffer.shape().size()) : args.axis;
    std::vector<ir::AttrValue> entries;
    if (const auto found = block.annotations.find(key);
        found != block.annotations.end() && found->second.asList())
        entries = *found->second.asList();
    std::vector<ir::AttrValue> entry{args.buffer.index, axis, args.factor, args.offset};
    const auto sameAxis = [&](const ir::AttrValue &value) {
        const std::vector<ir::AttrValue> *numbers = value.asList();
        return numbers && numbers->size() == 4 && (*numbers)[0].asInt()
               && *(*numbers)[0].asInt() == args.buffer.index && (*numbers)[1].asInt()
               && *(*numbers)[1].asInt() == axis;
    };
    const auto known = std::ranges::find_if(entries, sameAxis);
    if (known == entries.end())
        entries.emplace_back(std::move(entry));
    else
        *known = ir::AttrValue(std::move(entry));
    ir::Block changed = block;
    changed.annotations[key] = ir::AttrValue(std::move(entries));
    edit.replace(block.id, ir::make(std::move(changed)));
    return {};
}

} // namespace

Primitive setScopePrimitive()
{
    return define<SetScopeArgs>(
        {.name = "set_scope",
         .title = "Set memory",
         .group = Group::Annotate,
         .key = "O",
         .summary = "Puts a buffer that a block writes into another memory.",
         .documentation =
             "The buffer is allocated in that memory, and its name says so.\n\n```\nB = "
             "T.alloc_buffer((128,))   →   B_shared = T.alloc_buffer((128,), scope=\"shared\")\n```\n\n"
             "**Legal** for a buffer that the function allocates."},
        {required<&SetScopeArgs::block>("block", "Block", "The block that writes the buffer."),
         required<&SetScopeArgs::buffer>("buffer_index", "Buffer", "Which of the buffers it writes.")
             .attribute()
             .of(BufferSide::Write),
         required<&SetScopeArgs::storageScope>("storage_scope", "Memory", "Where the buffer shall lie.")
             .attribute()
             .suggesting({storageScopes().begin(), storageScopes().end()})},
        setScope);
}

Primitive storageAlignPrimitive()
{
    return define<StorageAlignArgs>(
        {.name = "storage_align",
         .title = "Align storage",
         .group = Group::Annotate,
         .key = "Shift+O",
         .summary =
             "Spaces the rows of a buffer so that each begins at a multiple of a factor plus an offset.",
         .documentation =
             R"(The stride of the axis becomes `k * factor + offset`, which keeps threads off each other's memory banks.

```
with T.block("B"):   →   with T.block("B"):
                             T.block_attr({"buffer_dim_align": [[0, 0, 32, 8]]})
```

The four numbers are the buffer's index, the axis, the factor and the offset; lowering reads them.

**Legal** for a buffer that the function allocates.)"},
        {required<&StorageAlignArgs::block>("block", "Block", "The block that writes the buffer."),
         required<&StorageAlignArgs::buffer>("buffer_index", "Buffer", "Which of the buffers it writes.")
             .attribute()
             .of(BufferSide::Write),
         required<&StorageAlignArgs::axis>("axis", "Axis",
                                           "Dimension of the buffer; negative counts from the last.")
             .attribute(),
         required<&StorageAlignArgs::factor>("factor", "Factor", "In elements.").attribute(),
         required<&StorageAlignArgs::offset>("offset", "Offset", "In elements.").attribute()},
        storageAlign);
}

} // namespace nestwright::schedule
