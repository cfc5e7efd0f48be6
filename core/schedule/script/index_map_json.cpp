// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/index_map_json.h"

#include "core/ir/build/builder.h"
#include "core/schedule/edit.h"
#include "core/support/text/json.h"
#include "core/support/text/json_nesting.h"

#include <algorithm>
#include <array>
#include <map>

namespace nestwright::schedule {

namespace {

using Json = support::OrderedJson;
using script::Dialect;
using support::diagnostic;

constexpr std::array<std::pair<std::string_view, ir::BinaryOp>, 17> operatorNames{{
    {"Add", ir::BinaryOp::Add},
    {"Sub", ir::BinaryOp::Sub},
    {"Mul", ir::BinaryOp::Mul},
    {"Div", ir::BinaryOp::Div},
    {"Mod", ir::BinaryOp::Mod},
    {"FloorDiv", ir::BinaryOp::FloorDiv},
    {"FloorMod", ir::BinaryOp::FloorMod},
    {"Min", ir::BinaryOp::Min},
    {"Max", ir::BinaryOp::Max},
    {"EQ", ir::BinaryOp::EQ},
    {"NE", ir::BinaryOp::NE},
    {"LT", ir::BinaryOp::LT},
    {"LE", ir::BinaryOp::LE},
    {"GT", ir::BinaryOp::GT},
    {"GE", ir::BinaryOp::GE},
    {"And", ir::BinaryOp::And},
    {"Or", ir::BinaryOp::Or},
}};

/// A node that the graph cannot hold.
struct NotWritable {};

class GraphWriter {
public:
    explicit GraphWriter(Dialect dialect) : m_dialect(dialect) { add("None", {}); }

    std::string write(const IndexMap &map)
    {
        Json inputs = Json::array(), outputs = Json::array();
        for (const ir::Var &input : map.inputs)
            inputs.push_back(variable(input));
        const int initial = add("ffi.Array", std::move(inputs));
        for (const ir::Expr &output : map.outputs)
            outputs.push_back(expr(output));
        const int final = add("ffi.Array", std::move(outputs));
        const int root =
            add(programs() + "IndexMap",
                {{"initial_indices", initial}, {"final_indices", final}, {"inverse_index_map", none}});
        return Json{{"root_index", root},
                    {"nodes", std::move(m_nodes)},
                    {"metadata", {{"tvm_version", std::string(script::dialectName(m_dialect)) + ".0"}}}}
            .dump();
    }

private:
    static constexpr int none = 0;

    std::string programs() const { return script::usesTirx(m_dialect) ? "tirx." : "tir."; }
    bool hasTypeNodes() const { return m_dialect >= Dialect::Tvm027; }

    int add(std::string type, Json data)
    {
        Json node{{"type", std::move(type)}};
        if (!data.is_null())
            node["data"] = std::move(data);
        m_nodes.push_back(std::move(node));
        return static_cast<int>(m_nodes.size()) - 1;
    }

    int typeNode(ir::DataType type)
    {
        const auto [known, isNew] = m_types.try_emplace(type.str(), 0);
        if (isNew)
            known->second = add("ir.PrimType", {{"span", none}, {"dtype", type.str()}});
        return known->second;
    }

    /// A node of an expression; from 0.27 on its type is a node of its own.
    int addTyped(const std::string &type, ir::DataType dtype, const Json &more)
    {
        Json data{{"span", none}};
        if (hasTypeNodes())
            data["ty"] = typeNode(dtype);
        else
            data["dtype"] = dtype.str();
        data.update(more);
        return add(type, std::move(data));
    }

    int variable(const ir::Var &var)
    {
        if (const auto known = m_variables.find(var); known != m_variables.end())
            return known->second;
        Json data{{"name", add("ffi.String", var.name())}};
        if (!hasTypeNodes())
            data["type_annotation"] = typeNode(var->dtype);
        const int node = addTyped(hasTypeNodes() ? "ir.Var" : programs() + "Var", var->dtype, data);
        m_variables.emplace(var, node);
        return node;
    }

    int expr(const ir::Expr &e)
    {
        const std::string family = hasTypeNodes() ? "prim." : programs();
        if (const ir::Var var = ir::Var::from(e))
            return variable(var);
        if (const auto *number = e.as<ir::IntImm>()) {
            const bool isNode = hasTypeNodes();
            return addTyped("ir.IntImm", e.dtype(),
                            {{"value", isNode ? Json(add("int", number->value)) : Json(number->value)}});
        }
        if (const auto *number = e.as<ir::FloatImm>())
            return addTyped("ir.FloatImm", e.dtype(), {{"value", number->written.value_or(number->value)}});
        if (const auto *node = e.as<ir::Cast>())
            return addTyped(family + "Cast", e.dtype(), {{"value", expr(node->value)}});
        if (const auto *node = e.as<ir::Binary>()) {
            const auto op =
                std::ranges::find(operatorNames, node->op, [](const auto &row) { return row.second; });
            const int a = expr(node->a), b = expr(node->b);
            return addTyped(family + std::string(op->first), e.dtype(), {{"a", a}, {"b", b}});
        }
        throw NotWritable();
    }

    Dialect m_dialect;
    Json m_nodes = Json::array();
    std::map<std::string, int> m_types;
    ir::VarMap<int> m_variables;
};

class GraphReader {
public:
    using Find = std::function<const ArgValue *(const std::string &)>;

    GraphReader(const Json &graph, const Find &find) : m_graph(graph), m_find(find) {}

    IndexMap read(bool isRanges)
    {
        const Json &root = node(member(m_graph, "root_index"));
        if (kind(root) != "IndexMap")
            refuse(bad("the graph holds a '" + kind(root) + "' instead of an index map"));
        IndexMap map;
        map.ranges = isRanges;
        for (const Json &input : list(member(data(root), "initial_indices")))
            map.inputs.push_back(indexVariable(input));
        for (const Json &output : list(member(data(root), "final_indices")))
            map.outputs.push_back(expr(output, 0));
        map.sampled = std::move(m_sampled);
        return map;
    }

private:
    static constexpr int depthLimit = 500;
    static constexpr int sizeLimit = 10'000;

    static Diagnostic bad(const std::string &message)
    {
        return diagnostic("schedule.trace", "an index map cannot be read: " + message);
    }

    static const Json &member(const Json &object, const char *key)
    {
        if (!object.is_object() || !object.contains(key))
            refuse(bad(std::string("\"") + key + "\" is missing"));
        return object[key];
    }

    const Json &node(const Json &reference) const
    {
        const Json &nodes = member(m_graph, "nodes");
        if (!nodes.is_array() || !reference.is_number_unsigned()
            || reference.get<std::size_t>() >= nodes.size())
            refuse(bad("there is no node " + reference.dump()));
        return nodes[reference.get<std::size_t>()];
    }

    /// "FloorDiv" of "tirx.FloorDiv": the packages changed between versions.
    static std::string kind(const Json &node)
    {
        const Json &type = member(node, "type");
        if (!type.is_string())
            refuse(bad("the type of a node is no string"));
        const std::string name = type;
        return name.substr(name.rfind('.') + 1);
    }

    static const Json &data(const Json &node) { return member(node, "data"); }

    const Json &list(const Json &reference) const
    {
        const Json &items = data(node(reference));
        if (!items.is_array())
            refuse(bad("node " + reference.dump() + " is no list"));
        return items;
    }

    std::string text(const Json &value) const
    {
        const Json &found = value.is_number_unsigned() ? data(node(value)) : value;
        if (!found.is_string())
            refuse(bad("a name is no string"));
        return found;
    }

    ir::DataType typeOf(const Json &fields) const
    {
        const Json &named =
            fields.contains("ty") ? member(data(node(fields["ty"])), "dtype") : member(fields, "dtype");
        const auto type = ir::DataType::parse(text(named));
        if (!type)
            refuse(bad("there is no type " + named.dump()));
        return *type;
    }

    ir::Var indexVariable(const Json &reference)
    {
        const Json &found = node(reference);
        if (kind(found) != "Var")
            refuse(bad("an index is a '" + kind(found) + "' instead of a variable"));
        const auto [known, isNew] = m_variables.try_emplace(reference.get<std::size_t>());
        if (isNew)
            known->second = ir::Var(text(member(data(found), "name")), typeOf(data(found)));
        return known->second;
    }

    /// A variable that is no index: a sampled number, or a size of the function.
    ir::Expr variable(const Json &reference)
    {
        const bool isKnown = m_variables.contains(reference.get<std::size_t>());
        ir::Var var = indexVariable(reference);
        const ArgValue *sampled = isKnown ? nullptr : m_find(var.name());
        const auto *number = sampled ? sampled->as<std::int64_t>() : nullptr;
        if (number)
            m_sampled.push_back({var, *number, sampled->result});
        return var;
    }

    ir::Expr expr(const Json &reference, int depth)
    {
        if (depth > depthLimit)
            refuse(bad("expressions are nested more than " + std::to_string(depthLimit) + " deep"));
        // Nodes may be shared, so a short text can stand for an expression without end.
        if (++m_nodesRead > sizeLimit)
            refuse(bad("it has more than " + std::to_string(sizeLimit) + " parts"));
        const Json &found = node(reference);
        const std::string name = kind(found);
        if (name == "Var")
            return variable(reference);
        const Json &fields = data(found);
        if (name == "IntImm")
            return ir::intImm(integer(fields), typeOf(fields));
        if (name == "FloatImm" && member(fields, "value").is_number())
            return ir::writtenFloat(fields["value"].get<double>(), typeOf(fields));
        if (name == "Cast")
            return ir::cast(typeOf(fields), expr(member(fields, "value"), depth + 1));
        const auto op = std::ranges::find(operatorNames, name, [](const auto &row) { return row.first; });
        if (op == operatorNames.end())
            refuse(bad("'" + name + "' is not understood"));
        const ir::Expr a = expr(member(fields, "a"), depth + 1), b = expr(member(fields, "b"), depth + 1);
        if (ir::isDivision(op->second) && ir::isConstInt(b, 0))
            refuse(bad("division by zero"));
        return ir::binary(op->second, a, b);
    }

    /// From 0.27 on numbers are nodes of their own.
    std::int64_t integer(const Json &fields) const
    {
        const Json &value = member(fields, "value");
        const Json &number = fields.contains("ty") && value.is_number_unsigned() ? data(node(value)) : value;
        if (!number.is_number_integer() && !number.is_boolean())
            refuse(bad(number.dump() + " is no integer"));
        return number.is_boolean() ? number.get<bool>() : number.get<std::int64_t>();
    }

    const Json &m_graph;
    const Find &m_find;
    int m_nodesRead = 0;
    std::map<std::size_t, ir::Var> m_variables; ///< by node
    std::vector<SampledIndex> m_sampled;
};

} // namespace

std::string writeIndexMapJson(const IndexMap &map, Dialect dialect)
{
    try {
        return GraphWriter(dialect).write(map);
    } catch (const NotWritable &) {
        return {};
    }
}

bool isIndexMapJson(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

Result<IndexMap> readIndexMapJson(std::string_view text, bool isRanges,
                                  const std::function<const ArgValue *(const std::string &)> &find)
{
    const Json graph = support::jsonTooDeepAt(text) ? Json() : Json::parse(text, nullptr, false);
    if (!graph.is_object())
        return support::fail(diagnostic("schedule.trace", "an index map cannot be read: it is no JSON"));
    try {
        return GraphReader(graph, find).read(isRanges);
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    } catch (const Json::exception &) {
        return support::fail(diagnostic(
            "schedule.trace",
            "an index map cannot be read: it holds a number that does not belong where it stands"));
    }
}

} // namespace nestwright::schedule
