// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/program.h"

#include "core/graph/program/kernel.h"
#include "core/ir/node/equality.h"
#include "core/support/parallel.h"
#include "core/support/phase.h"

#include <algorithm>
#include <format>
#include <set>
#include <unordered_map>

namespace nestwright::graph {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

bool isEmpty(const Node &node)
{
    for (const TensorType &type : node.types) {
        if (bytesOf(type) > 0)
            return false;
    }
    return true;
}

std::string operatorNames(const Node &node)
{
    std::string names;
    const auto add = [&](const ops::TensorOp &op) {
        names += (names.empty() ? "" : "_") + std::string(op.name.substr(op.name.rfind('.') + 1));
    };
    if (node.kind == NodeKind::Operator)
        add(*node.op);
    else
        for (const Node &inner : node.function->nodes) {
            if (inner.kind == NodeKind::Operator)
                add(*inner.op);
        }
    return names;
}

/// Finds the kernel that a module is, or adds it.
class KernelTable {
public:
    int place(const ir::Module &module, const Node &node, int at)
    {
        std::vector<int> &same = m_byHash[ir::structuralHash(module)];
        for (const int candidate : same) {
            Kernel &kernel = m_kernels[static_cast<std::size_t>(candidate)];
            if (ir::structurallyEqual(kernel.module, module)) {
                kernel.nodes.push_back(at);
                return candidate;
            }
        }
        std::string name = operatorNames(node);
        for (int i = 1; !m_names.insert(name).second; ++i)
            name = std::format("{}_{}", operatorNames(node), i);
        same.push_back(static_cast<int>(m_kernels.size()));
        m_kernels.push_back({std::move(name), module, {at}});
        return same.back();
    }
    std::vector<Kernel> take() { return std::move(m_kernels); }

private:
    std::vector<Kernel> m_kernels;
    std::unordered_map<std::size_t, std::vector<int>> m_byHash;
    std::set<std::string> m_names;
};

/// Whether a kernel can compute the node as it is.
Result<void> checkLowerable(const Function &function, int place)
{
    const Node &node = function.at(place);
    for (const TensorType &type : node.types) {
        if (!type.constantShape()) {
            return fail(diagnostic("graph.symbolic", std::format("the size of \"{}\", {}, is not known",
                                                                 displayName(function, place), type.str()))
                            .withHint("fix the symbolic sizes of the model's inputs"));
        }
    }
    if (node.kind == NodeKind::Call) {
        return fail(
            diagnostic("graph.call", std::format("\"{}\" still calls the function \"{}\" of the model",
                                                 displayName(function, place), node.function->name))
                .withHint("let the pass inline-functions run: it puts its nodes in place"));
    }
    return {};
}

} // namespace

Result<Program> makeProgram(Function function, const target::Machine &machine)
{
    std::vector<int> computed;
    for (int i = 0; i < static_cast<int>(function.nodes.size()); ++i) {
        if (auto checked = checkLowerable(function, i); !checked)
            return fail(checked.error());
        const Node &node = function.at(i);
        if ((node.kind == NodeKind::Operator || node.kind == NodeKind::Group) && !isEmpty(node)
            && !isView(function, i))
            computed.push_back(i);
    }
    std::vector<ir::Module> modules(computed.size());
    const auto lowerOne = [&](std::int64_t place) -> Result<void> {
        const int i = computed[static_cast<std::size_t>(place)];
        support::tellPhase(std::format("lowering node {} of {}", i + 1, function.nodes.size()));
        auto module = kernelOf(function, function.at(i));
        if (!module) {
            support::Diagnostic told = module.error();
            told.message = std::format("\"{}\": {}", displayName(function, i), told.message);
            return fail(std::move(told));
        }
        modules[static_cast<std::size_t>(place)] = std::move(*module);
        return {};
    };
    if (auto lowered = support::inParallel(std::ssize(computed), lowerOne); !lowered)
        return fail(lowered.error());
    Program program;
    program.machine = machine;
    KernelTable table;
    for (std::size_t k = 0; k < computed.size(); ++k)
        program.steps.push_back(
            {computed[k], table.place(modules[k], function.at(computed[k]), computed[k])});
    program.kernels = table.take();
    program.function = std::move(function);
    return program;
}

Result<const Kernel *> findKernel(const Program &program, std::string_view name)
{
    const auto found = std::ranges::find(program.kernels, name, &Kernel::name);
    if (found != program.kernels.end())
        return &*found;
    return fail(diagnostic("model.kernel", std::format("the model has no kernel \"{}\"", name))
                    .withHint("`nestc graph MODEL --print tasks` lists them"));
}

} // namespace nestwright::graph
