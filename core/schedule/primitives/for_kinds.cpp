// SPDX-License-Identifier: Apache-2.0
/// How a loop runs: parallel, vectorized, unrolled or bound to threads of a device.
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct LoopArgs {
    LoopId loop;
};
struct BindArgs {
    LoopId loop;
    std::string threadAxis;
};

constexpr std::string_view threadAxes[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                           "threadIdx.y", "threadIdx.z", "vthread",    "vthread.x",
                                           "vthread.y",   "vthread.z"};

std::string_view verb(ir::ForKind kind)
{
    switch (kind) {
    case ir::ForKind::Parallel: return "run in parallel";
    case ir::ForKind::Vectorized: return "be vectorized";
    case ir::ForKind::ThreadBinding: return "be bound to threads";
    case ir::ForKind::Serial:
    case ir::ForKind::Unrolled: break;
    }
    std::unreachable();
}

/// Whether runs of the block for the same values of its variables write the same, in whatever order: it does
/// not accumulate.
bool mayRepeat(const ir::Block &block)
{
    const auto isRead = [&](const ir::BufferRegion &write) {
        return ir::hasRegion(block.reads, write.buffer);
    };
    return !block.init && std::ranges::none_of(block.writes, isRead)
           && std::ranges::all_of(block.iterVars,
                                  [](const ir::IterVar &iter) { return iter.kind == ir::IterKind::Spatial; });
}

/// The iterations of the loop may run at the same time as far as the block is concerned.
void requireIndependent(Edit &edit, const ir::For &loop, const ir::Block &block, ir::ForKind kind,
                        std::string_view thread)
{
    if (!mayRepeat(block))
        requireAffineOrCutShort(edit, block.id);
    // Threads of one block of threads can reduce together; nothing else can.
    const bool mayReduce = kind == ir::ForKind::ThreadBinding && thread.starts_with("threadIdx");
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        if (!ir::uses(block.iterValues[i], loop.var) || iter.kind == ir::IterKind::Spatial
            || (mayReduce && iter.kind == ir::IterKind::Reduce))
            continue;
        const bool reduce = iter.kind == ir::IterKind::Reduce;
        refuse(diagnostic(codes::iterKind, "loop " + named(loop) + " cannot " + std::string(verb(kind))
                                               + ": it feeds the " + (reduce ? "reduction" : "opaque")
                                               + " variable '" + iter.var.name() + "' of block "
                                               + named(block))
                   .at(loop.id)
                   .at(block.id)
                   .withHint(reduce ? "reduce in parallel with rfactor, or choose a data-parallel loop"
                                    : "choose a loop that feeds data-parallel variables only"));
    }
}

/// All blocks below, those within blocks too: a block without variables of its own hides nothing.
void requireIndependentBelow(Edit &edit, const ir::For &loop, ir::ForKind kind, std::string_view thread)
{
    requireCompactDataFlow(edit, loop.id);
    const analysis::FunctionIndex &index = edit.index(loop.id);
    for (const StmtId id : index.all()) {
        if (index.block(id) && index.encloses(loop.id, id))
            requireIndependent(edit, loop, *index.block(id), kind, thread);
    }
}

void setKind(Edit &edit, const ir::For &loop, ir::ForKind kind, const std::string &thread)
{
    ir::For changed = loop;
    changed.forKind = kind;
    changed.thread = thread;
    edit.replace(loop.id, ir::make(std::move(changed)));
}

template <ir::ForKind Kind> ArgList runAs(Edit &edit, const LoopArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    if constexpr (Kind != ir::ForKind::Unrolled)
        requireIndependentBelow(edit, loop, Kind, "");
    setKind(edit, loop, Kind, "");
    return {};
}

ArgList bind(Edit &edit, const BindArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    if (std::ranges::find(threadAxes, args.threadAxis) == std::ranges::end(threadAxes)) {
        std::string known;
        for (const std::string_view axis : threadAxes)
            known += (known.empty() ? "" : ", ") + std::string(axis);
        refuse(diagnostic("schedule.thread-axis", "there is no thread axis \"" + args.threadAxis + "\"")
                   .at(loop.id)
                   .withHint("the axes are " + known));
    }
    requireIndependentBelow(edit, loop, ir::ForKind::ThreadBinding, args.threadAxis);
    setKind(edit, loop, ir::ForKind::ThreadBinding, args.threadAxis);
    return {};
}

constexpr std::string_view independence = "\n\n**Legal** when every block below is complete or a reduction "
                                          "that is bound affinely, and the loop feeds only\n"
                                          "data-parallel iteration variables.";

Primitive kindPrimitive(std::string_view name, std::string_view title, std::string_view key,
                        std::string_view summary, std::string_view documentation)
{
    return {.name = name,
            .title = title,
            .group = Group::Annotate,
            .key = key,
            .summary = summary,
            .documentation = documentation};
}

} // namespace

Primitive parallelPrimitive()
{
    static const std::string documentation = "Runs the iterations of a loop on several processor "
                                             "cores.\n\n```\nfor i in range(128):   →   for i in "
                                             "T.parallel(128):\n```"
                                             + std::string(independence)
                                             + " No two iterations may touch an element that one of them "
                                               "writes:\nthis is proved from the indices, so that one which "
                                               "is read from memory (`B[I[i]]`) is refused.";
    return define<LoopArgs>(kindPrimitive("parallel", "Parallel", "P",
                                          "Runs the iterations of a loop on several cores.", documentation),
                            {required<&LoopArgs::loop>("loop", "Loop", "The loop to run in parallel.")},
                            runAs<ir::ForKind::Parallel>);
}

Primitive vectorizePrimitive()
{
    static const std::string documentation = "Runs the iterations of a loop as the lanes of vector "
                                             "instructions.\n\n```\nfor j in range(8):   →   for j in "
                                             "T.vectorized(8):\n```"
                                             + std::string(independence);
    return define<LoopArgs>(kindPrimitive("vectorize", "Vectorize", "V",
                                          "Runs the iterations of a loop as lanes of vector instructions.",
                                          documentation),
                            {required<&LoopArgs::loop>("loop", "Loop", "The loop to vectorize.")},
                            runAs<ir::ForKind::Vectorized>);
}

Primitive unrollPrimitive()
{
    return define<LoopArgs>(
        kindPrimitive("unroll", "Unroll", "U", "Writes the body of a loop out once per iteration.",
                      "Writes the body out once per iteration.\n\n```\nfor k in range(4):   →   for k in "
                      "T.unroll(4):\n```\n\n**Legal** for every loop."),
        {required<&LoopArgs::loop>("loop", "Loop", "The loop to unroll.")}, runAs<ir::ForKind::Unrolled>);
}

Primitive bindPrimitive()
{
    static const std::string documentation = "Spreads the iterations of a loop over an axis of a GPU's "
                                             "threads.\n\n```\nfor i in range(32):   →   for i in "
                                             "T.thread_binding(32, thread=\"threadIdx.x\"):\n```"
                                             + std::string(independence)
                                             + " Reduction variables may be spread over threadIdx axes.";
    return define<BindArgs>(
        kindPrimitive("bind", "Bind to threads", "B",
                      "Spreads the iterations of a loop over threads of a GPU.", documentation),
        {required<&BindArgs::loop>("loop", "Loop", "The loop to bind."),
         required<&BindArgs::threadAxis>("thread_axis", "Thread axis", "The axis, such as \"threadIdx.x\".")
             .attribute()
             .suggesting({std::begin(threadAxes), std::end(threadAxes)})},
        bind);
}

} // namespace nestwright::schedule
