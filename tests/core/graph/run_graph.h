// SPDX-License-Identifier: Apache-2.0
/// Running graphs in tests.
#pragma once

#include "core/graph/builder.h"
#include "core/graph/evaluate.h"
#include "core/graph/passes/passes.h"
#include "core/graph/program/compile.h"

#include <QtTest>

#include <format>
#include <string>
#include <vector>

namespace nestwright::tests {

/// The outputs by the reference interpreter, node by node.
inline support::Result<std::vector<ir::NdArray>> interpreted(const graph::Function &function,
                                                             const std::vector<ir::NdArray> &inputs)
{
    std::vector<std::vector<graph::Data>> results;
    std::size_t nextInput = 0;
    for (const graph::Node &node : function.nodes) {
        if (node.kind == graph::NodeKind::Input) {
            results.push_back({std::make_shared<const ir::NdArray>(inputs.at(nextInput++))});
            continue;
        }
        if (node.isConstant()) {
            results.push_back({node.data});
            continue;
        }
        std::vector<graph::Data> arguments;
        for (const graph::Value input : node.inputs)
            arguments.push_back(
                results[static_cast<std::size_t>(input.node)][static_cast<std::size_t>(input.output)]);
        auto given = graph::evaluate(function, node, arguments, 1'000'000'000);
        if (!given)
            return support::fail(given.error());
        results.push_back(std::move(*given));
    }
    std::vector<ir::NdArray> outputs;
    for (const graph::Value output : function.outputs)
        outputs.push_back(
            *results[static_cast<std::size_t>(output.node)][static_cast<std::size_t>(output.output)]);
    return outputs;
}

/// The outputs by compiled kernels with their default schedules.
inline support::Result<std::vector<ir::NdArray>>
compiled(graph::Function function, const std::vector<ir::NdArray> &inputs,
         const target::Machine &machine = target::tunedMachine())
{
    auto program = graph::makeProgram(std::move(function), machine);
    if (!program)
        return support::fail(program.error());
    auto executor = graph::makeExecutor(std::move(*program), {});
    if (!executor)
        return support::fail(executor.error());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (const auto set = executor->setInput(i, inputs[i]); !set)
            return support::fail(set.error());
    }
    if (const auto done = executor->run(); !done)
        return support::fail(done.error());
    return executor->outputs();
}

/// One seeded array per input of the function.
inline std::vector<ir::NdArray> randomInputs(const graph::Function &function, std::uint64_t seed)
{
    std::vector<ir::NdArray> inputs;
    for (const int place : function.inputs()) {
        const graph::TensorType &type = function.at(place).types[0];
        inputs.emplace_back(type.dtype, *type.constantShape());
        inputs.back().fillRandom(seed + inputs.size());
    }
    return inputs;
}

/// The difference between two sets of outputs; empty when there is none.
inline std::string difference(const std::vector<ir::NdArray> &expected,
                              const std::vector<ir::NdArray> &actual)
{
    if (expected.size() != actual.size())
        return "another number of outputs";
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (expected[i].shape() != actual[i].shape() || expected[i].dtype() != actual[i].dtype())
            return std::format("output {} has another type", i);
        const ir::Deviation worst = ir::compare(expected[i], actual[i], 1e-3, 1e-4);
        if (!worst.withinTolerance)
            return std::format("element {} of output {} is {} instead of {}", worst.index, i, worst.actual,
                               worst.expected);
    }
    return {};
}

} // namespace nestwright::tests
