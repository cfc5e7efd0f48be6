// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/passes.h"

#include "core/graph/equality.h"
#include "core/graph/passes/declarations.h"
#include "core/support/phase.h"

#include <format>
#include <type_traits>
#include <utility>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

/// A pass with the type that all have in the table; it follows the machine where it takes one.
template <auto pass> Function run(Function function, const target::Context &context)
{
    if constexpr (std::is_invocable_v<decltype(pass), Function, const target::Machine &>)
        return pass(std::move(function), context.machine);
    else
        return pass(std::move(function));
}

constexpr int onlyRequired = 4; ///< above every level

constexpr GraphPass graphPassTable[] = {
    {"inline-functions", "nodes of the model's own functions in place of calls", 0, &run<inlineFunctions>},
    {"simplify-inference", "batch normalization as multiplication and addition", 2, &run<simplifyInference>},
    {"canonicalize", "one canonical form for equal expressions", 2, &run<canonicalize>},
    {"fold-constant", "nodes with constant operands are computed", 2, &run<foldConstant>},
    {"fold-scale-axis", "factors of channels go into the weights of the convolution before or behind them", 2,
     &run<foldScaleAxis>},
    {"fold-scaled-weights", "the new weights are computed", 2, &run<foldConstant>},
    {"split-dilated-conv2d",
     "elements of kernels that meet padding alone go; those that mostly do stand alone", 3,
     &run<splitDilatedConv2d>},
    {"fuse-attention", "softmax between products of queries, keys and values as one operator", 3,
     &run<fuseAttention>},
    {"combine-parallel-conv2d", "convolutions of one value become one, from three of them on", 3,
     &run<combineParallelConv2d>},
    {"combine-parallel-dense", "products of one value with matrices become one, from three of them on", 3,
     &run<combineParallelDense>},
    {"pack-dense", "weights of products in panels of a few vectors, each in one piece", 3, &run<packDense>},
    {"convert-layout", "images with their channels last; runs only where it is required", onlyRequired,
     &run<convertLayout>},
    {"alter-op-layout", "channels of convolutions, and of operators between them, in blocks of a vector", 3,
     &run<alterOpLayout>},
    {"fold-packed-weights", "weights are brought into that layout", 3, &run<foldConstant>},
    {"winograd-conv2d", "convolutions of 3×3 as products of transformed tiles, where that is less work", 3,
     &run<winogradConv2d>},
    {"flatten-pointwise", "images of convolutions of single elements as long rows", 3,
     &run<flattenPointwise>},
    {"eliminate-common-subexpr", "equal nodes are computed once", 3, &run<eliminateCommonSubexpr>},
    {"fuse-ops", "nodes that follow each other become one kernel", 1, &run<fuseOps>},
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
