// SPDX-License-Identifier: Apache-2.0
#include "core/te/create_prim_func.h"

#include "core/analysis/access/complete_regions.h"
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <format>
#include <ranges>
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

/// The loops of one level of an operation and a block's variables for them. An axis whose bounds depend on
/// other axes runs one level further in, where those are variables of a block; all that run further out are
/// bound again there.
struct LoopScope {
    std::vector<std::pair<Var, ir::Range>> loops;
    std::vector<IterVar> blockIters;
    std::vector<Expr> iterValues;
    std::vector<Expr> storeIndices;
    ir::VarMap<Expr> remap; ///< axes to block variables
};

/// Number of axes that each axis' bounds depend on, one through the other; none depends on itself.
std::vector<std::size_t> levelsOf(const std::vector<IterVar> &axes)
{
    std::vector<std::size_t> levels(axes.size(), 0);
    for (std::size_t round = 0; round < axes.size(); ++round) {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            for (std::size_t j = 0; j < axes.size(); ++j) {
                const ir::Range &domain = axes[i].domain;
                if (i != j && (ir::uses(domain.min, axes[j].var) || ir::uses(domain.extent, axes[j].var)))
                    levels[i] = std::max(levels[i], levels[j] + 1);
            }
        }
    }
    return levels;
}

class Generator {
public:
    explicit Generator(std::span<const Argument> arguments) : m_arguments(arguments) {}

    Result<void> addOperation(const Operation &operation)
    {
        if (!operation.isPlaceholder) {
            addCompute(operation);
            return {};
        }
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

    void addCompute(const Operation &operation)
    {
        std::vector<IterVar> axes = operation.axes;
        if (operation.reduction)
            axes.insert(axes.end(), operation.reduction->axes.begin(), operation.reduction->axes.end());
        for (const ir::Buffer &output : operation.outputs) {
            if (!isArgument(output))
                m_allocations.push_back(output);
        }
        const std::vector<LoopScope> scopes = scopesOf(axes);
        ir::Stmt body;
        if (operation.reduction) {
            body = reduction(operation, scopes);
        } else {
            std::vector<ir::Stmt> blocks;
            for (std::size_t i = 0; i < operation.outputs.size(); ++i)
                blocks.push_back(spatialBlock(operation, i, withOwnVariables(axes, scopes.back())));
            body = ir::seq(std::move(blocks));
        }
        m_statements.push_back(inLoops(scopes.front(), std::move(body)));
    }

    std::vector<LoopScope> scopesOf(const std::vector<IterVar> &axes)
    {
        const std::vector<std::size_t> levels = levelsOf(axes);
        const std::size_t count = axes.empty() ? 1 : *std::max_element(levels.begin(), levels.end()) + 1;
        std::vector<LoopScope> scopes;
        for (std::size_t level = 0; level < count; ++level) {
            LoopScope scope;
            for (std::size_t i = 0; i < axes.size(); ++i) {
                const IterVar &axis = axes[i];
                const Var var("v_" + axis.var.name(), axis.var.dtype());
                if (levels[i] > level)
                    continue;
                if (levels[i] == level) {
                    const Var loop(axis.var.name(), axis.var.dtype());
                    const ir::Range domain = m_analyzer.simplify(
                        level == 0 ? axis.domain : ir::substitute(axis.domain, scopes.back().remap));
                    scope.loops.emplace_back(loop, domain);
                    scope.blockIters.push_back({domain, var, axis.kind});
                    scope.iterValues.push_back(loop);
                } else {
                    const Expr outer = scopes.back().remap.at(axis.var);
                    scope.blockIters.push_back({{outer, ir::intImm(1, axis.var.dtype())}, var, axis.kind});
                    scope.iterValues.push_back(outer);
                }
                scope.remap.emplace(axis.var, var);
                if (axis.kind == ir::IterKind::Spatial)
                    scope.storeIndices.push_back(var);
            }
            scopes.push_back(std::move(scope));
        }
        return scopes;
    }

    /// The same loops for another block, whose variables are its own.
    static LoopScope withOwnVariables(const std::vector<IterVar> &axes, LoopScope scope)
    {
        scope.storeIndices.clear();
        scope.remap.clear();
        for (std::size_t i = 0; i < axes.size(); ++i) {
            scope.blockIters[i].var = Var(scope.blockIters[i].var.name(), scope.blockIters[i].var.dtype());
            scope.storeIndices.push_back(scope.blockIters[i].var);
            scope.remap.emplace(axes[i].var, scope.blockIters[i].var);
        }
        return scope;
    }

    static ir::Stmt inLoops(const LoopScope &scope, ir::Stmt body)
    {
        for (const auto &[var, range] : std::views::reverse(scope.loops)) {
            ir::For node;
            node.var = var;
            node.min = range.min;
            node.extent = range.extent;
            node.body = std::move(body);
            body = ir::make(std::move(node));
        }
        return body;
    }

    ir::Block emptyBlock(const Operation &operation, const std::string &name, const LoopScope &scope)
    {
        ir::Block block;
        block.name = freshName(name);
        block.predicate = ir::boolImm(true);
        block.annotations = operation.attrs;
        block.iterVars = scope.blockIters;
        block.iterValues = scope.iterValues;
        if (block.iterVars.empty()) {
            // A block needs an instance to bind, even where there is nothing to iterate over.
            block.iterVars.push_back({{ir::intImm(0), ir::intImm(1)}, Var("vi"), ir::IterKind::Spatial});
            block.iterValues.push_back(ir::intImm(0));
        }
        return block;
    }

    /// Gives `block` its regions, from its init and body.
    static void declareAccesses(ir::Block &block)
    {
        analysis::AccessRegions found = analysis::accessRegions(block, {}, analysis::IndexBounds::Exact);
        block.reads = std::move(found.reads);
        block.writes = std::move(found.writes);
    }

    ir::Stmt spatialBlock(const Operation &operation, std::size_t output, const LoopScope &scope)
    {
        ir::Block block = emptyBlock(operation, operation.outputs[output].name(), scope);
        const Expr value = m_analyzer.simplify(ir::substitute(operation.values[output], scope.remap));
        block.body = ir::store(operation.outputs[output], value, scope.storeIndices);
        declareAccesses(block);
        return ir::make(std::move(block));
    }

    /// The block that combines, in one block around it for each further level. The outermost one that has
    /// reduction variables initialises.
    ir::Stmt reduction(const Operation &operation, const std::vector<LoopScope> &scopes)
    {
        const auto initialising = std::find_if(scopes.begin(), scopes.end(), [](const LoopScope &scope) {
            return std::any_of(scope.blockIters.begin(), scope.blockIters.end(),
                               [](const IterVar &iter) { return iter.kind == ir::IterKind::Reduce; });
        });
        ir::Block block = combiningBlock(operation, scopes.back());
        if (initialising == scopes.end() - 1)
            block.init = initialValues(operation, scopes.back());
        declareAccesses(block);
        for (std::size_t level = scopes.size() - 1; level > 0; --level) {
            const LoopScope &inner = scopes[level], &scope = scopes[level - 1];
            ir::Block outer = emptyBlock(operation, std::format("{}_l{}", operation.name, level), scope);
            if (initialising == scopes.begin() + static_cast<std::ptrdiff_t>(level) - 1)
                outer.init = initialValues(operation, scope);
            outer.body = inLoops(inner, ir::make(std::move(block)));
            declareAccesses(outer);
            block = std::move(outer);
        }
        return ir::make(std::move(block));
    }

    ir::Stmt initialValues(const Operation &operation, const LoopScope &scope)
    {
        const Reduction &reduction = *operation.reduction;
        std::vector<ir::Stmt> init;
        for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
            const Expr identity =
                reduction.init.empty() ? reduction.combiner->identity[i] : reduction.init[i];
            init.push_back(
                ir::store(operation.outputs[i], ir::substitute(identity, scope.remap), scope.storeIndices));
        }
        return ir::seq(std::move(init));
    }

    /// The block that combines a reduction's terms, without init and regions.
    ir::Block combiningBlock(const Operation &operation, const LoopScope &scope)
    {
        const Reduction &reduction = *operation.reduction;
        const Combiner &combiner = *reduction.combiner;
        ir::Block block = emptyBlock(operation, operation.name, scope);
        ir::VarMap<Expr> operands;
        for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
            Expr value = m_analyzer.simplify(ir::substitute(reduction.sources[i], scope.remap));
            if (reduction.condition) {
                const Expr condition = m_analyzer.simplify(ir::substitute(reduction.condition, scope.remap));
                value = ifThenElse(condition, value, combiner.identity[i]);
            }
            operands.emplace(combiner.lhs[i], ir::load(operation.outputs[i], scope.storeIndices));
            operands.emplace(combiner.rhs[i], value);
        }
        block.body = combined(operation, combiner, operands, scope);
        return block;
    }

    /// Stores the combined values; of several, all are computed before the first is stored.
    ir::Stmt combined(const Operation &operation, const Combiner &combiner, const ir::VarMap<Expr> &operands,
                      const LoopScope &scope)
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
    function.attrs.emplace(ir::globalSymbolKey, ir::AttrValue(name));
    function.attrs.emplace(ir::noAliasKey, ir::AttrValue(ir::boolImm(true)));
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
