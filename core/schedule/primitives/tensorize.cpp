// SPDX-License-Identifier: Apache-2.0
#include "core/ir/buffer_regions.h"
#include "core/schedule/intrin/tensor_intrin.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/schedule/intrin/index_widening.h"
#include "core/schedule/intrin/intrinsic_match.h"
#include "core/schedule/primitives/blockizing.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/typed.h"
#include "core/support/text/near_names.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct TensorizeArgs {
    BlockOrLoopId blockOrLoop;
    std::string intrin;
    bool preserveUnitIters = true;
};

const TensorIntrin &intrinNamed(const State &state, const std::string &name, StmtId at)
{
    if (state.intrins) {
        if (const auto own = state.intrins->find(name); own != state.intrins->end())
            return own->second;
    }
    if (const TensorIntrin *standard = findStandardIntrin(name))
        return *standard;
    std::string hint = support::didYouMean(name, standardIntrinNames());
    if (hint.empty())
        hint = "nestc apply --intrin NAME=FILE brings one from a file";
    refuse(diagnostic("schedule.unknown-intrinsic", "there is no tensor intrinsic \"" + name + "\"")
               .at(at)
               .withHint(std::move(hint)));
}

/// The implementation's root block with buffers and variables of its own, so that it can be used several
/// times.
struct Implementation {
    std::vector<ir::Buffer> buffers; ///< the parameters
    ir::Block block;
};

Implementation freshCopy(const ir::PrimFunc &function)
{
    Implementation copy;
    ir::BufferMap<ir::Buffer> buffers;
    ir::VarMap<ir::Expr> vars;
    const auto fresh = [&](const ir::Expr &e) -> ir::Expr {
        const ir::Var var = ir::Var::from(e);
        if (!e || !e.as<ir::VarNode>())
            return e;
        return vars.try_emplace(var, ir::Var(var.name(), var->dtype)).first->second;
    };
    for (const ir::Param &param : function.params) {
        ir::BufferNode node = *param.buffer.get();
        node.data = ir::Var::from(fresh(node.data));
        std::ranges::transform(node.strides, node.strides.begin(), fresh);
        node.elemOffset = fresh(node.elemOffset);
        copy.buffers.emplace_back(std::move(node));
        buffers[param.buffer] = copy.buffers.back();
    }
    for (const ir::Buffer &buffer : function.root()->allocBuffers) {
        ir::BufferNode node = *buffer.get();
        node.data = ir::Var::from(fresh(node.data));
        buffers[buffer] = ir::Buffer(std::move(node));
    }
    const ir::Stmt body = ir::substitute(ir::substituteBuffers(function.body, buffers), vars);
    copy.block = *ir::withFreshVariables(body).as<ir::Block>();
    return copy;
}

/// Whether the block's regions are of 64-bit integers.
bool isWide(const ir::Block &block)
{
    const auto isWideRegion = [](const ir::BufferRegion &touched) {
        return std::ranges::any_of(touched.region, [](const ir::Range &range) {
            return range.min.dtype() == ir::DataType::int64();
        });
    };
    return std::ranges::any_of(block.reads, isWideRegion) || std::ranges::any_of(block.writes, isWideRegion);
}

void widen(Implementation &implementation)
{
    IndexWidener widener;
    for (ir::Buffer &buffer : implementation.buffers)
        buffer = widener.buffer(buffer);
    implementation.block = *widener.stmt(ir::make(implementation.block)).as<ir::Block>();
}

/// The part of the program's buffer that the parameter matches.
ir::MatchBuffer matchOf(const Implementation &implementation, std::size_t param, const ir::Buffer &described,
                        const IntrinsicMatch &match, StmtId at)
{
    const ir::Buffer &own = implementation.buffers[param];
    const auto buffer = match.buffers.find(described);
    const ir::BufferRegion *region = nullptr;
    for (const auto *regions : {&implementation.block.writes, &implementation.block.reads}) {
        if (const ir::BufferRegion *found = ir::findRegion(*regions, own))
            region = found;
    }
    if (buffer == match.buffers.end() || !region)
        refuse(diagnostic("schedule.intrinsic-mismatch",
                          "the intrinsic declares no region of '" + own.name() + "'")
                   .at(at));
    const std::vector<ir::Expr> &beginning = match.beginning.at(buffer->second);
    const std::size_t surplus = beginning.size() - region->region.size();
    ir::MatchBuffer result{{buffer->second, {}}, own};
    for (std::size_t d = 0; d < beginning.size(); ++d) {
        const ir::DataType type = beginning[d].dtype();
        result.source.region.push_back(
            {beginning[d],
             d < surplus ? ir::constant(1, type) : ir::cast(type, region->region[d - surplus].extent)});
    }
    return result;
}

ArgList tensorize(Edit &edit, const TensorizeArgs &args)
{
    const StmtId target = args.blockOrLoop.id;
    const TensorIntrin &intrin = intrinNamed(edit.before(), args.intrin, target);
    const ir::Block *given = edit.index(target).block(target);
    if (given && !edit.index(target).scopeRoot(target))
        refuse(diagnostic("schedule.root-block", "the whole function cannot be tensorized").at(target));
    ir::Block block = given ? *given : blockizeAt(edit, target, args.preserveUnitIters);
    const IntrinsicMatch match = matchIntrinsic(block, *intrin.description, args.intrin);
    Implementation implementation = freshCopy(*intrin.implementation);
    if (isWide(block))
        widen(implementation);
    for (std::size_t i = 0; i < implementation.buffers.size(); ++i)
        block.matchBuffers.push_back(
            matchOf(implementation, i, intrin.description->params[i].buffer, match, target));
    block.body = implementation.block.body;
    block.allocBuffers.insert(block.allocBuffers.end(), implementation.block.allocBuffers.begin(),
                              implementation.block.allocBuffers.end());
    block.annotations.insert(implementation.block.annotations.begin(),
                             implementation.block.annotations.end());
    edit.replace(target, ir::make(std::move(block)));
    return {};
}

} // namespace

Primitive tensorizePrimitive()
{
    return define<TensorizeArgs>(
        {.name = "tensorize",
         .title = "Tensorize",
         .group = Group::Layout,
         .key = "Shift+T",
         .summary =
             "Puts the implementation of a tensor intrinsic in the place of loops that compute the same.",
         .documentation =
             R"(Compares a block, or a loop with the block below it (which is blockized first), with the
description of a tensor intrinsic, and puts the intrinsic's implementation in its place; its buffers become
views of the program's.

```
for i in range(16):                             with C_o:
    for k in range(4):                              C_1 = T.match_buffer(C[…])
        with C: C[i] += A[k] * B[i, k]      →       C_1[0:16] = vpdpbusd(C_1[0:16], A_1[0:4], B_1[0:16, 0:4])
```

**Legal** when loops, blocks, accesses and expressions are those of the description, and buffers have its
types and storage scopes. The standard intrinsics go by TVM's names (`dot_16x4_vnni`,
`wmma_sync_16x16x16_f16f16f32`, …); `nestc apply --intrin` adds others.)"},
        {required<&TensorizeArgs::blockOrLoop>("block_or_loop", "Block or loop",
                                               "The block or loop that the intrinsic replaces."),
         required<&TensorizeArgs::intrin>("tensor_intrin", "Intrinsic", "The intrinsic's name.")
             .attribute()
             .suggesting(standardIntrinNames()),
         optional<&TensorizeArgs::preserveUnitIters>(
             "preserve_unit_iters", "Keep variables of one value",
             "Whether variables of one value stay in the bindings of the new block.")
             .attribute()},
        tensorize);
}

} // namespace nestwright::schedule
