// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/passes.h"

#include "core/graph/passes/all.h"
#include "core/support/errors.h"
#include "core/support/phase.h"
#include "core/support/stop.h"

#include <algorithm>
#include <chrono>
#include <format>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

/// A pass that only looks at the graph before.
// NOLINTNEXTLINE(performance-unnecessary-value-param): the type that all passes of the table have
template <Function (*pass)(const Function &)> Function reading(Function function) { return pass(function); }

constexpr int onlyRequired = 4; ///< above every level

constexpr GraphPass graphPassTable[] = {
    {"inline_functions", "nodes of the model's own functions in place of calls", 0,
     &reading<inlineFunctions>},
    {"simplify_inference", "batch normalization as multiplication and addition", 2,
     &reading<simplifyInference>},
    {"canonicalize", "one form for what can be written in several", 2, &reading<canonicalize>},
    {"fold_constant", "what depends on constants only is computed", 2, &foldConstant},
    {"fold_scale_axis", "factors of channels go into the weights of the convolution before or behind them", 2,
     &reading<foldScaleAxis>},
    {"fold_scaled_weights", "the new weights are computed", 2, &foldConstant},
    {"combine_parallel_conv2d", "convolutions of one value become one, from three of them on", 3,
     &reading<combineParallelConv2d>},
    {"combine_parallel_dense", "products of one value with matrices become one, from three of them on", 3,
     &reading<combineParallelDense>},
    {"convert_layout", "images with their channels last; runs only where it is required", onlyRequired,
     &reading<convertLayout>},
    {"alter_op_layout", "channels of convolutions, and of what stands between them, in blocks of a vector", 3,
     &reading<alterOpLayout>},
    {"fold_packed_weights", "weights are brought into that layout", 3, &foldConstant},
    {"flatten_pointwise", "images of convolutions of single elements as long rows", 3,
     &reading<flattenPointwise>},
    {"eliminate_common_subexpr", "what is computed twice is computed once", 3,
     &reading<eliminateCommonSubexpr>},
    {"fuse_ops", "nodes that follow each other become one kernel", 1, &reading<fuseOps>},
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
            if (std::ranges::find(graphPassTable, name, &GraphPass::name) == std::end(graphPassTable))
                return fail("graph.unknown-pass", std::format("there is no pass \"{}\"", name));
        }
    }
    Optimized result;
    for (const GraphPass &pass : graphPassTable) {
        if (!context.runs(pass))
            continue;
        support::checkStop();
        if (context.stop.stop_requested())
            return fail("cancelled", "stopped");
        support::tellPhase(std::format("optimising: {}", pass.name));
        const auto begin = std::chrono::steady_clock::now();
        Function after;
        const Function before = context.keepRecords ? function : Function();
        try {
            after = withoutDeadNodes(pass.run(std::move(function)));
        } catch (const support::ScheduleError &error) {
            return fail(error.diagnostic());
        }
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
        if (const std::string wrong = verify(after); !wrong.empty())
            return fail("graph.pass", std::format("the pass {} left a graph that is not well-formed: {}",
                                                  pass.name, wrong));
        if (context.keepRecords)
            result.records.push_back(
                {std::string(pass.name), before, after, print(before) == print(after), time.count()});
        function = std::move(after);
    }
    result.function = std::move(function);
    return result;
}

} // namespace nestwright::graph
