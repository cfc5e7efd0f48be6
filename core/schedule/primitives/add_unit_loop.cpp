// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/typed.h"

namespace nestwright::schedule {

namespace {

struct AddUnitLoopArgs {
    BlockOrLoopId target;
};

ArgList addUnitLoop(Edit &edit, const AddUnitLoopArgs &args)
{
    const StmtId target = args.target.id;
    scopeOf(edit, target);
    const StmtId id = edit.newId();
    edit.replace(target, ir::serialFor(ir::Var("u"), 1, edit.index(target).find(target), id,
                                       edit.origin("outer", target)));
    return {id};
}

} // namespace

Primitive addUnitLoopPrimitive()
{
    return define<AddUnitLoopArgs>(
        {.name = "add_unit_loop",
         .title = "Add loop of one iteration",
         .group = Group::Loops,
         .key = "Shift+U",
         .summary = "Puts a loop of one iteration around a loop or block.",
         .documentation =
             "Gives a place to bind or to move blocks to where there is no loop.\n\n```\nwith C:   →   for u "
             "in range(1):\n                  with C:\n```\n\n**Legal** for every loop and every block but "
             "the root block.",
         .results = Results::Single},
        {required<&AddUnitLoopArgs::target>("block_or_loop", "Block or loop",
                                            "The block or loop that the new loop goes around.")},
        addUnitLoop);
}

} // namespace nestwright::schedule
