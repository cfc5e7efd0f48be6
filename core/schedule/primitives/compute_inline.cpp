// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/inliner.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct ComputeInlineArgs {
    BlockId block;
};

/// The buffer that the block writes, when it is only one and its body one store to it.
const ir::BufferStore &inlinedStore(const ir::Block &block)
{
    if (block.writes.size() != 1)
        refuse(diagnostic("schedule.not-inlinable",
                          "block " + named(block) + " writes " + std::to_string(block.writes.size())
                              + " buffers; one that writes a single buffer can be inlined")
                   .at(block.id));
    const ir::BufferStore *store = onlyStore(block);
    if (!store)
        refuse(diagnostic("schedule.not-inlinable",
                          "the body of block " + named(block) + " is not a single store")
                   .at(block.id));
    return *store;
}

ArgList computeInline(Edit &edit, const ComputeInlineArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    requireNoInit(block);
    const ir::BufferStore &store = inlinedStore(block);
    requireStagePipeline(edit, scope);
    requireNotOutput(edit, block.id);
    requireComplete(edit, block.id);
    const ValueOfIndices stored = valueOfIndices(block, store);
    const ir::Buffer buffer = store.buffer;
    const StmtId holder = outermostSoleAncestor(index, block.id);

    const auto consumers = index.consumers(block.id);
    for (StmtId at = block.id;; at = index.parent(at)) {
        edit.forward(at, consumers.empty() ? StmtId{} : consumers.front());
        if (at == holder)
            break;
    }
    edit.setBody(rewriteAt(edit.body(), {{holder, [](const ir::Stmt &) { return ir::Stmt(); }},
                                         {scope, editBlock([&](ir::Block &root) {
                                              std::erase(root.allocBuffers, buffer);
                                              root.body = withLoadsReplaced(
                                                  root.body, buffer, [&](const ir::BufferLoad &load) {
                                                      return stored.at(load.indices);
                                                  });
                                          })}}));
    return {};
}

} // namespace

Primitive computeInlinePrimitive()
{
    return define<ComputeInlineArgs>(
        {.name = "compute_inline",
         .title = "Inline",
         .group = Group::Movement,
         .key = "I",
         .summary = "Computes a block's values where they are used instead of storing them.",
         .documentation =
             R"(Every read of what the block writes becomes the expression that it stores. The block and its
buffer go.

```
for i: B[i] = A[i] * 2
for i: C[i] = B[i] + 1      →       for i: C[i] = A[i] * 2 + 1
```

**Legal** for a complete block of one store that is no output and no reduction, whose store indices tell
which iteration writes there, as different iteration variables do, in a scope where every value is written
before it is read and never overwritten.)"},
        {required<&ComputeInlineArgs::block>("block", "Block", "The block to inline into its consumers.")},
        computeInline);
}

} // namespace nestwright::schedule
