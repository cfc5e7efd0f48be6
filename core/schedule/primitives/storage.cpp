// SPDX-License-Identifier: Apache-2.0
/// set_scope and storage_align: where and how a buffer that the function allocates lies in memory.
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/node/attributes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/storage_scope.h"
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

/// Moves a buffer into other memory, with matches of its parts and views of the same memory.
class MemoryChange : public ir::Rewriter {
public:
    MemoryChange(const ir::Buffer &buffer, const std::string &scope) : m_scope(scope) { change(buffer); }

    ir::Expr expr(const ir::Expr &e) override
    {
        if (!e.as<ir::VarNode>())
            return children(e);
        const auto found = m_pointers.find(ir::Var::from(e));
        return found == m_pointers.end() ? e : ir::Expr(found->second);
    }
    ir::Buffer buffer(const ir::Buffer &b) override
    {
        const auto known = m_buffers.find(b);
        if (known != m_buffers.end())
            return known->second;
        const auto view = m_pointers.find(b->data);
        if (view == m_pointers.end())
            return b;
        ir::BufferNode node = *b.get();
        node.data = view->second;
        node.scope = m_scope;
        return m_buffers[b] = ir::Buffer(std::move(node));
    }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::MatchBuffer &match : block->matchBuffers) {
                if (m_buffers.contains(match.source.buffer))
                    change(match.buffer);
            }
        }
        return children(s);
    }

private:
    void change(const ir::Buffer &buffer)
    {
        ir::BufferNode node = *buffer.get();
        node.name += '_' + m_scope;
        node.data = ir::Var(node.name, buffer->data->dtype);
        node.scope = m_scope;
        m_pointers[buffer->data] = node.data;
        m_buffers[buffer] = ir::Buffer(std::move(node));
    }

    std::string m_scope;
    ir::BufferMap<ir::Buffer> m_buffers;
    ir::VarMap<ir::Var> m_pointers;
};

ArgList setScope(Edit &edit, const SetScopeArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    requireStorageScope(args.storageScope, block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Write, args.buffer.index).buffer;
    const StmtId allocator = allocatorOf(edit, block, buffer);
    const std::string scope = args.storageScope.empty() ? "global" : args.storageScope;
    if (buffer->scope == scope)
        return {};
    MemoryChange change(buffer, scope);
    edit.setBody(rewriteAt(edit.body(), {{allocator, [&](const ir::Stmt &s) { return change.stmt(s); }}}));
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

/// Whether an entry of the annotation is [buffer, axis, factor, offset].
bool isAlignment(const ir::AttrValue &value)
{
    const std::vector<ir::AttrValue> *numbers = value.asList();
    return numbers && numbers->size() == 4
           && std::ranges::all_of(*numbers, [](const ir::AttrValue &number) { return number.asInt(); });
}

/// The list of [buffer, axis, factor, offset] that lowering reads.
ArgList storageAlign(Edit &edit, const StorageAlignArgs &args)
{
    const std::string key(ir::dimAlignKey);
    const ir::Block &block = edit.block(args.block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Write, args.buffer.index).buffer;
    requireAlignment(block, buffer, args);
    allocatorOf(edit, block, buffer);
    const std::int64_t axis =
        args.axis < 0 ? args.axis + static_cast<std::int64_t>(buffer.shape().size()) : args.axis;
    std::vector<ir::AttrValue> entries;
    if (const ir::AttrValue *found = ir::attribute(block.annotations, key)) {
        const std::vector<ir::AttrValue> *list = found->asList();
        if (!list || !std::ranges::all_of(*list, isAlignment))
            refuse(diagnostic("schedule.annotation",
                              "the annotation \"buffer_dim_align\" of block " + named(block)
                                  + " is no list of four integers each: buffer, axis, factor and offset")
                       .at(block.id)
                       .withHint("take it off with unannotate"));
        entries = *list;
    }
    std::vector<ir::AttrValue> entry{args.buffer.index, axis, args.factor, args.offset};
    const auto sameAxis = [&](const ir::AttrValue &value) {
        const std::vector<ir::AttrValue> &numbers = *value.asList();
        return *numbers[0].asInt() == args.buffer.index && *numbers[1].asInt() == axis;
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
             R"(The stride of the axis becomes `k * factor + offset`, which keeps threads off each other's
memory banks.

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
