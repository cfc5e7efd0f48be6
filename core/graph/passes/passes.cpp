// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/passes.h"

#include "core/graph/equality.h"
#include "core/graph/passes/declarations.h"
#include "core/support/phase.h"

#include <format>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

using target::Context;
using target::Machine;

// NOLINTBEGIN(performance-unnecessary-value-param): the type that all passes of the table have
/// A pass that only looks at the graph before.
template <Function (*pass)(const Function &)> Function reading(Function function, const Context &)
{
    return pass(function);
}
/// One that follows the machine.
template <Function (*pass)(const Function &, const Machine &)>
Function onMachine(Function function, const Context &context)
{
    return pass(function, context.machine);
}
// NOLINTEND(performance-unnecessary-value-param)

/// One that takes the graph.
template <Function (*pass)(Function)> Function taking(Function function, const Context &)
{
    return pass(std::move(function));
}

Function packed(Function function, const Context &context)
{
    return packDense(std::move(function), context.machine);
}

constexpr int onlyRequired = 4; ///< above every level

constexpr GraphPass graphPassTable[] = {
    {"inline-functions", "nodes of the model's own functions in place of calls", 0,
     &reading<inlineFunctions>},
    {"simplify-inference", "batch normalization as multiplication and addition", 2,
     &reading<simplifyInference>},
    {"canonicalize", "one canonical form for equal expressions", 2, &reading<canonicalize>},
    {"fold-constant", "nodes with constant operands are computed", 2, &taking<foldConstant>},
    {"fold-scale-axis", "factors of channels go into the weights of the convolution before or behind them", 2,
     &reading<foldScaleAxis>},
    {"fold-scaled-weights", "the new weights are computed", 2, &taking<foldConstant>},
    {"split-dilated-conv2d",
     "elements of kernels that meet padding alone go; those that mostly do stand alone", 3,
     &reading<splitDilatedConv2d>},
    {"fuse-attention", "softmax between products of queries, keys and values as one operator", 3,
     &reading<fuseAttention>},
    {"combine-parallel-conv2d", "convolutions of one value become one, from three of them on", 3,
     &onMachine<combineParallelConv2d>},
    {"combine-parallel-dense", "products of one value with matrices become one, from three of them on", 3,
     &onMachine<combineParallelDense>},
    {"pack-dense", "weights of products in panels of a few vectors, each in one piece", 3, &packed},
    {"convert-layout", "images with their channels last; runs only where it is required", onlyRequired,
     &reading<convertLayout>},
    {"alter-op-layout", "channels of convolutions, and of operators between them, in blocks of a vector", 3,
     &onMachine<alterOpLayout>},
    {"fold-packed-weights", "weights are brought into that layout", 3, &taking<foldConstant>},
    {"winograd-conv2d", "convolutions of 3×3 as products of transformed tiles, where that is less work", 3,
     &onMachine<winogradConv2d>},
    {"flatten-pointwise", "images of convolutions of single elements as long rows", 3,
     &reading<flattenPointwise>},
    {"eliminate-common-subexpr", "equal nodes are computed once", 3, &reading<eliminateCommonSubexpr>},
    {"fuse-ops", "nodes that follow each other become one kernel", 1, &reading<fuseOps>},
};

} // namespace

std::span<const GraphPass> graphPasses() { return graphPassTable; }

bool PassContext::runs(const GraphPass &pass) const
{
    return (pass.level <= level || required.contains(pass.name)) && !disabled.contains(pass.name);
}

Result<Optimized> optimize(Function function, const PassContext &context)
{
    for (const auto *names : {&context.required, &context.disabled}) {
        for (const std::string &name : *names) {
            if (!support::findPass(graphPasses(), name))
                return fail("graph.unknown-pass", std::format("there is no pass \"{}\"", name));
        }
    }
    support::PassRunner<Function> runner(std::move(function), {context.keepRecords, context.stop});
    for (const GraphPass &pass : graphPassTable) {
        if (!context.runs(pass))
            continue;
        support::tellPhase(std::format("optimising: {}", pass.name));
        const auto transform = [&](Function before) {
            return withoutDeadNodes(pass.run(std::move(before), context.target));
        };
        const auto checked = [&](const Function &after) -> Result<void> {
            if (const std::string wrong = verify(after); !wrong.empty())
                return fail("graph.pass", std::format("the pass {} left a graph that is not well-formed: {}",
                                                      pass.name, wrong));
            return {};
        };
        if (const auto done = runner.run(pass.name, transform, checked); !done)
            return fail(done.error());
    }
    return Optimized{runner.takeProgram(), runner.takeRecords()};
}

} // namespace nestwright::graph
