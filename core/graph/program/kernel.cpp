// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/kernel.h"

#include "core/ir/build/builder.h"
#include "core/ir/exact_integers.h"
#include "core/support/errors/errors.h"
#include "core/te/create_prim_func.h"

#include <format>

namespace nestwright::graph {

namespace {

/// The tensor expressions of a group's nodes, in one builder.
support::Result<ir::Module> fusedKernel(const Function &group)
{
    te::Builder builder(true);
    std::vector<te::Argument> arguments;
    std::vector<ops::Tensors> tensors(group.nodes.size());
    const auto tensorOf = [&](Value value) {
        return tensors[static_cast<std::size_t>(value.node)].at(static_cast<std::size_t>(value.output));
    };
    try {
        for (std::size_t i = 0; i < group.nodes.size(); ++i) {
            const Node &node = group.nodes[i];
            if (node.kind == NodeKind::Input) {
                tensors[i] = {
                    builder.placeholder(node.types[0].shape, node.types[0].dtype, std::format("p{}", i))};
                arguments.emplace_back(tensors[i][0]);
                continue;
            }
            if (node.isConstant()) { // of one element: it becomes part of its readers
                const ir::DataType type = node.data->dtype();
                const ir::Expr value = type.isIntegral() ? ir::intImm(ir::integerAt(*node.data, 0), type)
                                                         : ir::constant(node.data->at(0), type);
                tensors[i] = {
                    builder.compute({}, {}, [&](const auto &) { return te::Body(value); }, "constant")};
                continue;
            }
            ops::Tensors inputs;
            for (const Value input : node.inputs)
                inputs.push_back(tensorOf(input));
            const std::vector<TensorType> types = group.inputTypes(node);
            NW_ASSERT(node.op && node.op->compute, "a fused node has no tensor expression");
            tensors[i] = node.op->compute(builder, {*node.op, node.attributes, types}, inputs);
        }
        for (const Value output : group.outputs)
            arguments.emplace_back(tensorOf(output));
        return te::createModule(arguments);
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace

support::Result<ir::Module> kernelOf(const Function &function, const Node &node)
{
    if (node.kind == NodeKind::Group)
        return fusedKernel(*node.function);
    NW_ASSERT(node.kind == NodeKind::Operator, "only operators and groups are computed");
    const std::vector<TensorType> inputs = function.inputTypes(node);
    return ops::moduleOf({*node.op, node.attributes, inputs}, node.types);
}

} // namespace nestwright::graph
