// SPDX-License-Identifier: Apache-2.0
/// The primitives that only look.
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/state_index.h"
#include "core/schedule/typed.h"

#include <algorithm>
#include <functional>

namespace nestwright::schedule {

namespace {

ArgList listOf(const std::vector<StmtId> &ids) { return ArgList(ids.begin(), ids.end()); }

struct GetBlockArgs {
    std::string name;
    std::string functionName = "main";
};

/// The function of that name; "main" also finds the only function of a module.
const analysis::FunctionIndex &functionNamed(const State &state, const std::string &name)
{
    if (const analysis::FunctionIndex *index = state.index->function(name))
        return *index;
    if (name == "main" && state.module.functions().size() == 1)
        return *state.index->function(state.module.functions().front().name);
    std::string names;
    for (const ir::Module::Entry &entry : state.module.functions())
        names += (names.empty() ? "'" : ", '") + entry.name + "'";
    refuse(support::diagnostic("schedule.unknown-function", "the module has no function '" + name + "'")
               .withHint("it has " + names));
}

ArgList getBlock(Edit &edit, const GetBlockArgs &args)
{
    Result<StmtId> found = functionNamed(edit.before(), args.functionName).blockByName(args.name);
    if (!found)
        refuse(found.error());
    return {*found};
}

struct BlockArgs {
    BlockId block;
};
struct BlockOrLoopArgs {
    BlockOrLoopId blockOrLoop;
};

ArgList getLoops(Edit &edit, const BlockArgs &args)
{
    edit.block(args.block.id);
    return listOf(edit.index(args.block.id).loopsOf(args.block.id));
}

ArgList getChildBlocks(Edit &edit, const BlockOrLoopArgs &args)
{
    return listOf(edit.index(args.blockOrLoop.id).childBlocks(args.blockOrLoop.id));
}

/// Producers and consumers are asked for within a scope, so the root block has none to offer.
void refuseRoot(Edit &edit, StmtId block)
{
    if (!edit.index(block).scopeRoot(block))
        refuse(support::diagnostic("schedule.root-block", "block " + named(edit.block(block))
                                                              + " is the whole function; it is in no scope")
                   .at(block));
}

ArgList getProducers(Edit &edit, const BlockArgs &args)
{
    refuseRoot(edit, args.block.id);
    return listOf(edit.index(args.block.id).producers(args.block.id));
}

ArgList getConsumers(Edit &edit, const BlockArgs &args)
{
    refuseRoot(edit, args.block.id);
    return listOf(edit.index(args.block.id).consumers(args.block.id));
}

ArgList getOutputBlocks(Edit &edit, const BlockArgs &args)
{
    edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(args.block.id);
    std::vector<StmtId> found;
    // Each block counts in its own scope, as in TVM, and comes before those within it.
    const std::function<void(StmtId)> visit = [&](StmtId scope) {
        const std::vector<StmtId> outputs = index.outputBlocks(scope);
        for (const StmtId child : index.scope(scope).blocks) {
            if (std::ranges::contains(outputs, child))
                found.push_back(child);
            visit(child);
        }
    };
    visit(args.block.id);
    return listOf(found);
}

Primitive query(std::string_view name, std::string_view title, std::string_view summary)
{
    return {.name = name,
            .title = title,
            .group = Group::Query,
            .key = "",
            .summary = summary,
            .documentation = summary,
            .results = Results::List,
            .isQuery = true};
}

} // namespace

Primitive getBlockPrimitive()
{
    Primitive info = query("get_block", "Block by name", "The block of a name.");
    info.results = Results::Single;
    info.latestName = "get_sblock";
    info.latestTraceKind = "GetSBlock";
    return define<GetBlockArgs>(
        std::move(info),
        {required<&GetBlockArgs::name>("name", "Name", "The block's name.").attribute(),
         optional<&GetBlockArgs::functionName>("func_name", "Function", "The function that holds it.")
             .attribute()},
        getBlock);
}

Primitive getLoopsPrimitive()
{
    return define<BlockArgs>(
        query("get_loops", "Loops of a block", "The loops around a block in its scope, outermost first."),
        {required<&BlockArgs::block>("block", "Block", "The block below the loops.")}, getLoops);
}

Primitive getChildBlocksPrimitive()
{
    return define<BlockOrLoopArgs>(
        query("get_child_blocks", "Blocks within",
              "The blocks directly within a loop or block, in the order of the program."),
        {required<&BlockOrLoopArgs::blockOrLoop>("block_or_loop", "Block or loop", "Where to look.")
             .positional()},
        getChildBlocks);
}

Primitive getProducersPrimitive()
{
    return define<BlockArgs>(
        query("get_producers", "Producers", "The blocks that write the buffers a block reads."),
        {required<&BlockArgs::block>("block", "Block", "The block that reads.")}, getProducers);
}

Primitive getConsumersPrimitive()
{
    return define<BlockArgs>(
        query("get_consumers", "Consumers", "The blocks that read the buffers a block writes."),
        {required<&BlockArgs::block>("block", "Block", "The block that writes.")}, getConsumers);
}

Primitive getOutputBlocksPrimitive()
{
    return define<BlockArgs>(
        query("get_output_blocks", "Output blocks",
              "The blocks within a block that write buffers from outside their scope."),
        {required<&BlockArgs::block>("scope_block", "Scope", "The block whose scope is meant.")},
        getOutputBlocks);
}

} // namespace nestwright::schedule
