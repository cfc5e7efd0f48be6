// SPDX-License-Identifier: Apache-2.0
/// Lambdas of schedule scripts: index maps.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/schedule/script/values.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::schedule {

namespace {

bool isSequence(const py::Expr &e) { return e->as<py::Tuple>() || e->as<py::List>(); }

const std::vector<py::Expr> &itemsOf(const py::Expr &sequence)
{
    const auto *tuple = sequence->as<py::Tuple>();
    return tuple ? tuple->items : sequence->as<py::List>()->items;
}

} // namespace

/// The inverse is found anew where it is needed, and the type of an index is that of its dimension.
const py::Lambda *ScriptValues::mapOfCall(const py::Call &node) const
{
    const std::string callee = py::dottedName(node.callee);
    if (!callee.ends_with("IndexMap.from_func") && callee != "T.index_map")
        return nullptr;
    const auto named = std::ranges::find(node.keywords, "mapping_function", &py::Keyword::name);
    const py::Lambda *map = !node.args.empty()             ? node.args.front()->as<py::Lambda>()
                            : named != node.keywords.end() ? named->value->as<py::Lambda>()
                                                           : nullptr;
    if (!map)
        fail(node.at, "script.value", "'" + callee + "' needs an index map as a lambda",
             "for example lambda i, j: (j, i)");
    for (const py::Keyword &keyword : node.keywords) {
        constexpr std::array known = {"mapping_function", "ndim", "inverse_index_map", "index_dtype"};
        if (std::ranges::find(known, keyword.name) == known.end())
            fail(node.at, "script.argument", "'" + callee + "' has no parameter '" + keyword.name + '\'');
    }
    return map;
}

/// A pair of begin and end, or one index, which is the range of it alone.
void ScriptValues::addRange(IndexMap &map, const py::Expr &item, const std::map<std::string, ir::Var> &vars)
{
    if (!isSequence(item)) {
        const IndexMap point = IndexMap{.inputs = {}, .outputs = {indexExpr(item, vars)}}.withRanges();
        map.outputs.insert(map.outputs.end(), point.outputs.begin(), point.outputs.end());
        return;
    }
    const std::vector<py::Expr> &ends = itemsOf(item);
    if (ends.size() != 2)
        fail(item->at, "script.value",
             "a range is a pair of its begin and end, found " + std::to_string(ends.size()) + " values");
    for (const py::Expr &end : ends)
        map.outputs.push_back(indexExpr(end, vars));
}

IndexMap ScriptValues::indexMap(const py::Lambda &node)
{
    IndexMap map;
    m_sampled.clear();
    std::map<std::string, ir::Var> vars;
    for (const py::Param &param : node.params) {
        if (param.kind == py::Param::Kind::VarArgs && map.rest < 0)
            map.rest = static_cast<int>(map.inputs.size());
        else if (param.kind != py::Param::Kind::Plain)
            fail(param.at, "script.unsupported", "an index map names its indices, as in lambda i, *others");
        map.inputs.emplace_back(param.name);
        vars[param.name] = map.inputs.back();
    }
    const std::vector<py::Expr> items = isSequence(node.body) ? itemsOf(node.body) : std::vector{node.body};
    map.ranges = std::ranges::any_of(items, isSequence);
    if (map.ranges && map.rest >= 0)
        fail(node.at, "script.unsupported", "a lambda that gives ranges names each of its indices");
    for (const py::Expr &item : items) {
        if (map.ranges) {
            addRange(map, item, vars);
            continue;
        }
        const auto *starred = item->as<py::Starred>();
        const auto *name = starred ? starred->value->as<py::Name>() : nullptr;
        const bool isRest =
            name && map.rest >= 0 && vars[name->id] == map.inputs[static_cast<std::size_t>(map.rest)];
        if (starred && !isRest)
            fail(item->at, "script.unsupported", "'*' is for the indices that the lambda takes with '*'");
        if (py::dottedName(item).ends_with("AXIS_SEPARATOR"))
            map.axisSeparators.push_back(static_cast<int>(map.outputs.size()));
        else
            map.outputs.push_back(isRest ? ir::Expr(vars[name->id]) : indexExpr(item, vars));
    }
    map.sampled = std::exchange(m_sampled, {});
    return map;
}

ir::Expr ScriptValues::indexCall(const py::Call &node, const std::map<std::string, ir::Var> &vars)
{
    if (const ir::Expr constant = typedConstant(node))
        return constant;
    const std::string callee = py::dottedName(node.callee);
    const std::string name = callee.substr(callee.rfind('.') + 1);
    const auto *text = !node.args.empty() ? node.args.front()->as<py::StringLiteral>() : nullptr;
    if (name == "Cast" && node.args.size() == 2 && text) {
        if (const auto type = ir::DataType::parse(text->value))
            return ir::cast(*type, indexExpr(node.args[1], vars));
    }
    std::vector<ir::Expr> args;
    for (const py::Expr &arg : node.args)
        args.push_back(indexExpr(arg, vars));
    static const std::map<std::string_view, ir::BinaryOp> operators = {
        {"min", ir::BinaryOp::Min},           {"max", ir::BinaryOp::Max},
        {"floordiv", ir::BinaryOp::FloorDiv}, {"floormod", ir::BinaryOp::FloorMod},
        {"indexdiv", ir::BinaryOp::FloorDiv}, {"indexmod", ir::BinaryOp::FloorMod},
    };
    if (const auto op = operators.find(name); op != operators.end() && args.size() == 2)
        return ir::binary(op->second, args[0], args[1]);
    if (name == "if_then_else" && args.size() == 3)
        return ir::call(args[1].dtype(), ir::intrinsics::ifThenElse, args);
    fail(node.at, "script.unsupported", "an index map cannot call '" + callee + "'",
         "it may use + - * // %, min, max, if_then_else, Cast and constants like T.float32(0)");
}

ir::Expr ScriptValues::namedIndex(const std::string &name, std::int64_t number, std::uint32_t result)
{
    if (result == 0)
        return {number};
    const auto known = std::ranges::find(m_sampled, result, &SampledIndex::result);
    if (known != m_sampled.end())
        return known->var;
    m_sampled.push_back({ir::Var(name), number, result});
    return m_sampled.back().var;
}

ir::Expr ScriptValues::indexExpr(const py::Expr &e, const std::map<std::string, ir::Var> &vars)
{
    if (const auto *node = e->as<py::Name>(); node && vars.contains(node->id))
        return vars.at(node->id);
    if (const auto *node = e->as<py::Name>(); node && !knows(node->id))
        return ir::Var(node->id); // a size of the function, which is known where the map is used
    if (const auto *node = e->as<py::Call>())
        return indexCall(*node, vars);
    if (const auto *node = e->as<py::Binary>()) {
        const ir::Expr a = indexExpr(node->left, vars), b = indexExpr(node->right, vars);
        switch (node->op) {
        case py::BinaryOp::Add: return a + b;
        case py::BinaryOp::Sub: return a - b;
        case py::BinaryOp::Mul: return a * b;
        case py::BinaryOp::FloorDiv: return ir::floorDiv(a, b);
        case py::BinaryOp::Mod: return ir::floorMod(a, b);
        default: fail(e->at, "script.unsupported", "an index map may use + - * // and %");
        }
    }
    if (const auto *node = e->as<py::Unary>(); node && node->op == py::UnaryOp::Minus)
        return -indexExpr(node->operand, vars);
    const ArgValue value = evaluate(e);
    if (const double *real = value.as<double>())
        return ir::writtenFloat(*real, ir::DataType::float32());
    const std::int64_t *number = value.as<std::int64_t>();
    if (!number)
        fail(e->at, "script.value",
             "an index map calculates with indices and integers, found " + std::string(kindOf(value)));
    const auto *named = e->as<py::Name>();
    return namedIndex(named ? named->id : "v", *number, value.result);
}

} // namespace nestwright::schedule
