// SPDX-License-Identifier: Apache-2.0
#include "core/te/create_prim_func.h"

#include "core/arith/analyzer.h"
#include "core/ir/builder.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/te/regions.h"

#include <algorithm>
#include <format>
#include <unordered_set>

namespace nestwright::te {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

using OperationPointer = std::shared_ptr<const Operation>;

/// Producers before consumers, in order of first use from the arguments.
std::vector<OperationPointer> orderedOperations(std::span<const Argument> arguments)
{
    std::vector<OperationPointer> order;
    std::unordered_set<const Operation *> seen;
    const std::function<void(const OperationPointer &)> visit = [&](const OperationPointer &operation) {
        if (!seen.insert(operation.get()).second)
            return;
        for (const Tensor &input : operation->inputs)
            visit(input.operationPointer());
        order.push_back(operation);
    };
    for (const Argument &argument : arguments) {
        if (argument.tensor)
            visit(argument.tensor.operationPointer());
    }
    return order;
}

/// The loops over an operation's axes, and one block's own variables for them.
struct Scope {
    std::vector<Var> loopVars;
    std::vector<IterVar> blockIters;
    std::vector<Expr> storeIndices;
    ir::VarMap<Expr> remap;
};

class Generator {
public:
    explicit Generator(std::span<const Argument> arguments) : m_arguments(arguments) {}

    Result<void> addOperation(const Operation &operation)
    {
        if (!operation.isPlaceholder)
            return addCompute(operation);
        if (!isArgument(operation.outputs[0])) {
            return fail(
                diagnostic(
                    "te.missing-argument",
                    std::format(
                        "the placeholder \"{}\" is read but is not among the arguments of the function",
                        operation.name))
                    .withHint("list it: te.create_prim_func([…, " + operation.name + ", …])"));
        }
        return {};
    }

    ir::Stmt rootBlock()
    {
        ir::Block root;
        root.name = "root";
        root.predicate = ir::boolImm(true);
        root.allocBuffers = std::move(m_allocations);
        root.body = ir::seq(std::move(m_statements));
        return ir::make(std::move(root));
    }

private:
    bool isArgument(const ir::Buffer &buffer) const
    {
        return std::any_of(m_arguments.begin(), m_arguments.end(),
                           [&](const Argument &a) { return a.tensor && a.tensor.buffer() == buffer; });
    }

    std::string freshName(const std::string &base)
    {
        std::string name = base;
        for (int i = 1; !m_names.insert(name).second; ++i)
            name = std::format("{}_{}", base, i);
        return name;
    }

    Result<void> addCompute(const Operation &operation)
    {
        std::vector<IterVar> axes = operation.axes;
        if (operation.reduction)
            axes.insert(axes.end(), operation.reduction->axes.begin(), operation.reduction->axes.end());
        for (const IterVar &axis : axes) {
            for (const IterVar &other : axes) {
                if (ir::uses(axis.domain.min, other.var) || ir::uses(axis.domain.extent, other.var)) {
                    return fail(
                        diagnostic("te.dependent-axis",
                                   std::format("the bounds of axis \"{}\" of \"{}\" depend on axis \"{}\"",
                                               axis.var.name(), operation.name, other.var.name()))
                            .withHint(
                                "reduce over the whole range and guard the value with te.if_then_else"));
                }
            }
        }
        for (const ir::Buffer &output : operation.outputs) {
            if (!isArgument(output))
                m_allocations.push_back(output);
        }
        std::vector<Var> loopVars;
        for (const IterVar &axis : axes)
            loopVars.emplace_back(axis.var.name(), axis.var.dtype());

        std::vector<ir::Stmt> blocks;
        if (operation.reduction) {
            blocks.push_back(reductionBlock(operation, scopeOf(axes, loopVars)));
        } else {
            for (std::size_t i = 0; i < operation.outputs.size(); ++i)
                blocks.push_back(spatialBlock(operation, i, scopeOf(axes, loopVars)));
        }
        ir::Stmt body = ir::seq(std::move(blocks));
        for (std::size_t i = axes.size(); i-- > 0;) {
            const ir::Range domain = m_analyzer.simplify(axes[i].domain);
            ir::For loop;
            loop.var = loopVars[i];
            loop.min = domain.min;
            loop.extent = domain.extent;
            loop.body = std::move(body);
            body = ir::make(std::move(loop));
        }
        m_statements.push_back(std::move(body));
        return {};
    }

    Scope scopeOf(const std::vector<IterVar> &axes, const std::vector<Var> &loopVars)
    {
        Scope scope{loopVars, {}, {}, {}};
        for (const IterVar &axis : axes) {
            const Var var("v_" + axis.var.name(), axis.var.dtype());
            scope.blockIters.push_back({m_analyzer.simplify(axis.domain), var, axis.kind});
            scope.remap.emplace(axis.var, var);
            if (axis.kind == ir::IterKind::Spatial)
                scope.storeIndices.push_back(var);
        }
        return scope;
    }

    ir::Block emptyBlock(const Operation &operation, const std::string &name, const Scope &scope)
    {
        ir::Block block;
        block.name = freshName(name);
        block.predicate = ir::boolImm(true);
        block.annotations = operation.attrs;
        block.iterVars = scope.blockIters;
        block.iterValues.assign(scope.loopVars.begin(), scope.loopVars.end());
        if (block.iterVars.empty()) {
            // A block needs an instance to bind, even where there is nothing to iterate over.
            block.iterVars.push_back({{ir::intImm(0), ir::intImm(1)}, Var("vi"), ir::IterKind::Spatial});
            block.iterValues.push_back(ir::intImm(0));
        }
        return block;
    }

    ir::Stmt spatialBlock(const Operation &operation, std::size_t output, const Scope &scope)
    {
        ir::Block block = emptyBlock(operation, operation.outputs[output].name(), scope);
        const Expr value = m_analyzer.simplify(ir::substitute(operation.values[output], scope.remap));
        block.body = ir::store(operation.outputs[output], value, scope.storeIndices);
        fillRegions(block, m_analyzer);
        return ir::make(std::move(block));
    }

    ir::Stmt reductionBlock(const Operation &operation, const Scope &scope)
    {
        const Reduction &reduction = *operation.reduction;
        const Combiner &combiner = *reduction.combiner;
        ir::Block block = emptyBlock(operation, operation.name, scope);
        std::vector<ir::Stmt> init;
        ir::VarMap<Expr> operands;
        for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
            const Expr identity = reduction.init.empty() ? combiner.identity[i] : reduction.init[i];
            init.push_back(
                ir::store(operation.outputs[i], ir::substitute(identity, scope.remap), scope.storeIndices));
            Expr value = m_analyzer.simplify(ir::substitute(reduction.sources[i], scope.remap));
            if (reduction.condition) {
                const Expr condition = m_analyzer.simplify(ir::substitute(reduction.condition, scope.remap));
                value = ifThenElse(condition, value, combiner.identity[i]);
            }
            operands.emplace(combiner.lhs[i], ir::load(operation.outputs[i], scope.storeIndices));
            operands.emplace(combiner.rhs[i], value);
        }
        block.init = ir::seq(std::move(init));
        block.body = combined(operation, combiner, operands, scope);
        fillRegions(block, m_analyzer);
        return ir::make(std::move(block));
    }

    /// Stores the combined values; of several, all are computed before the first is stored.
    ir::Stmt combined(const Operation &operation, const Combiner &combiner, const ir::VarMap<Expr> &operands,
                      const Scope &scope)
    {
        const std::size_t count = operation.outputs.size();
        if (count == 1)
            return ir::store(operation.outputs[0], ir::substitute(combiner.result[0], operands),
                             scope.storeIndices);
        std::vector<Var> vars;
        std::vector<ir::Stmt> stores;
        for (const ir::Buffer &output : operation.outputs) {
            vars.emplace_back("v_" + output.name(), output.dtype());
            stores.push_back(ir::store(output, vars.back(), scope.storeIndices));
        }
        ir::Stmt body = ir::seq(std::move(stores));
        for (std::size_t i = count; i-- > 0;) {
            ir::LetStmt let;
            let.var = vars[i];
            let.value = ir::substitute(combiner.result[i], operands);
            let.body = std::move(body);
            body = ir::make(std::move(let));
        }
        return body;
    }

    std::span<const Argument> m_arguments;
    arith::Analyzer m_analyzer;
    std::vector<ir::Buffer> m_allocations;
    std::vector<ir::Stmt> m_statements;
    std::unordered_set<std::string> m_names;
};

Result<void> checkArguments(std::span<const Argument> arguments)
{
    if (arguments.empty()) {
        return fail(diagnostic("te.no-arguments", "a function needs at least one tensor as its argument")
                        .withHint("list the inputs, then the outputs: te.create_prim_func([A, B, C])"));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool same = arguments[i].tensor ? arguments[i].tensor == arguments[j].tensor
                                                  : arguments[i].scalar == arguments[j].scalar;
            if (same) {
                const std::string name =
                    arguments[i].tensor ? arguments[i].tensor.name() : arguments[i].scalar.name();
                return fail("te.duplicate-argument",
                            std::format("\"{}\" is listed twice among the arguments", name));
            }
        }
    }
    return {};
}

} // namespace

Result<ir::Function> createPrimFunc(std::span<const Argument> arguments, const std::string &name)
{
    if (auto fine = checkArguments(arguments); !fine)
        return fail(fine.error());
    Generator generator(arguments);
    for (const OperationPointer &operation : orderedOperations(arguments)) {
        if (auto added = generator.addOperation(*operation); !added)
            return fail(added.error());
    }
    ir::PrimFunc function;
    for (const Argument &argument : arguments) {
        if (argument.tensor)
            function.params.push_back(
                {Var(argument.tensor.name() + "_handle", DataType::handle()), argument.tensor.buffer()});
        else
            function.params.push_back({argument.scalar, {}});
    }
    function.attrs.emplace("global_symbol", ir::AttrValue(name));
    function.attrs.emplace("tir.noalias", ir::AttrValue(ir::boolImm(true)));
    function.body = generator.rootBlock();
    return std::make_shared<const ir::PrimFunc>(std::move(function));
}

Result<ir::Module> createModule(std::span<const Argument> arguments, const std::string &name)
{
    Result<ir::Function> function = createPrimFunc(arguments, name);
    if (!function)
        return fail(function.error());
    ir::IdCounter ids;
    return ir::assignIds(ir::Module({{name, *function}}), ids);
}

} // namespace nestwright::te
