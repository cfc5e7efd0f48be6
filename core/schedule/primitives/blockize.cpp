// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/schedule/primitives/blockizing.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

namespace nestwright::schedule {

namespace {

struct BlockizeArgs {
    LoopOrBlocks target;
    bool preserveUnitIters = true;
};

ArgList blockize(Edit &edit, const BlockizeArgs &args)
{
    if (args.target.loop) {
        const ir::Block block = blockizeAt(edit, args.target.loop, args.preserveUnitIters);
        edit.replace(args.target.loop, ir::make(block));
        return {block.id};
    }
    BlockizedParts made = blockizeAt(edit, args.target.blocks, args.preserveUnitIters);
    const StmtId id = made.block.id;
    Changes changes;
    for (const StmtId part : made.parts)
        changes[part] = [](const ir::Stmt &) { return ir::Stmt(); };
    changes[made.parts.front()] = [&](const ir::Stmt &) { return ir::make(std::move(made.block)); };
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

} // namespace

Primitive blockizePrimitive()
{
    return define<BlockizeArgs>(
        {.name = "blockize",
         .title = "Blockize",
         .group = Group::Layout,
         .key = "K",
         .summary = "Turns a block and loops around it into one block that holds them.",
         .documentation =
             R"(The loops from the chosen one inwards become the inside of a new block, whose variables stand
for what the loops further out contribute.

```
for i_o, i_i in T.grid(4, 8):          for i_o in range(4):
    with B: vi = i_o * 8 + i_i             with B_o: vi_o = i_o
        B[vi] = A[vi]             →            for i_i in range(8):
                                                   with B: vi_i = i_i
                                                       B[vi_o * 8 + vi_i] = A[vi_o * 8 + vi_i]
```

**Legal** for a loop that holds one block and nothing else, when each variable of the block is a part from
the loops outside, times a number, plus a part from those inside. A list of blocks that stand side by side
becomes one block.)",
         .results = Results::Single},
        {required<&BlockizeArgs::target>("target", "Loop",
                                         "The outermost loop of the new block, or the blocks.")
             .form(FieldForm::AcceptsBlockList),
         optional<&BlockizeArgs::preserveUnitIters>("preserve_unit_iters", "Keep variables of one value",
                                                    "Whether variables of one value stay in the bindings.")
             .attribute()},
        blockize);
}

} // namespace nestwright::schedule
