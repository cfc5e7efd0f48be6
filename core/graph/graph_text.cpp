// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.h"

#include "core/ir/exact_integers.h"

#include <algorithm>
#include <format>
#include <map>
#include <set>

namespace nestwright::graph {

namespace {

std::string identifier(std::string name)
{
    std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
    return name;
}

/// `name`, with a number behind it where that is used already.
std::string madeUnique(const std::string &name, std::set<std::string> &used)
{
    std::string unique = name;
    for (int i = 1; !used.insert(unique).second; ++i)
        unique = std::format("{}_{}", name, i);
    return unique;
}

using FunctionNames = std::map<const Function *, std::string>;

/// Writes one function; names are made unique, nodes without a name of their own are numbered.
class Printer {
public:
    Printer(const Function &function, const FunctionNames &called, std::string indent = {})
        : m_function(function)
        , m_called(called)
        , m_indent(std::move(indent))
    {
    }

    std::string text(std::string_view head)
    {
        std::string parameters, body;
        for (const Node &node : m_function.nodes) {
            m_names.push_back(nameOf(node));
            if (node.kind == NodeKind::Input)
                parameters += std::format("{}{}: {}", parameters.empty() ? "" : ", ", m_names.back(),
                                          node.types[0].str());
            else if (std::string line = lineOf(node); !line.empty())
                body += std::format("{}  {} = {};\n", m_indent, m_names.back(), line);
        }
        std::string results, types;
        for (const Value output : m_function.outputs) {
            results += (results.empty() ? "" : ", ") + valueText(output);
            types += (types.empty() ? "" : ", ") + m_function.typeOf(output).str();
        }
        const bool tuple = m_function.outputs.size() != 1;
        return std::format("{}({}) -> {} {{\n{}{}  {}\n{}}}", head, parameters,
                           tuple ? "(" + types + ")" : types, body, m_indent,
                           tuple ? "(" + results + ")" : results, m_indent);
    }

private:
    std::string nameOf(const Node &node)
    {
        const bool hasOwn = node.kind == NodeKind::Input || node.kind == NodeKind::Constant;
        std::string name = hasOwn ? identifier(node.name) : std::string();
        if (name.empty())
            name = std::to_string(m_count++);
        return "%" + madeUnique(name, m_used);
    }

    std::string valueText(Value value) const
    {
        const Node &node = m_function.at(value);
        if (isLiteral(node))
            return node.data->dtype() == ir::DataType::int64()
                       ? std::format("{}", ir::integerAt(*node.data, 0))
                       : std::format("{}", node.data->at(0));
        const std::string &name = m_names[static_cast<std::size_t>(value.node)];
        return node.types.size() == 1 ? name : std::format("{}.{}", name, value.output);
    }

    static bool isLiteral(const Node &node) { return node.isConstant() && node.data->shape().empty(); }

    std::string lineOf(const Node &node)
    {
        if (node.isConstant())
            return isLiteral(node) ? std::string() : std::format("const({})", node.types[0].str());
        std::string arguments;
        for (const Value input : node.inputs)
            arguments += (arguments.empty() ? "" : ", ") + valueText(input);
        if (node.kind == NodeKind::Group)
            return Printer(*node.function, m_called, m_indent + "  ").text("fn") + "(" + arguments + ")";
        std::string types;
        for (const TensorType &type : node.types)
            types += (types.empty() ? "" : ", ") + type.str();
        if (node.kind == NodeKind::Call)
            return std::format("@{}({}) /* {} */", m_called.at(node.function.get()), arguments, types);
        for (const ops::AttributeField &field : node.op->attributes) {
            const ops::AttributeValue &value = node.attributes.find(field.name)->second;
            if (value != field.defaultValue)
                arguments +=
                    std::format("{}{}={}", arguments.empty() ? "" : ", ", field.name, ops::str(value));
        }
        return std::format("{}({}) /* {} */", node.op->name, arguments, types);
    }

    const Function &m_function;
    const FunctionNames &m_called;
    std::string m_indent;
    std::vector<std::string> m_names; ///< by place
    std::set<std::string> m_used;
    int m_count = 0;
};

} // namespace

namespace {

/// Each function that is called once, behind those that it calls.
void findCalled(const Function &function, std::vector<const Function *> &order, FunctionNames &names,
                std::set<std::string> &used)
{
    for (const Node &node : function.nodes) {
        if (node.kind != NodeKind::Call || names.contains(node.function.get()))
            continue;
        names[node.function.get()] = madeUnique(identifier(node.function->name), used);
        findCalled(*node.function, order, names, used);
        order.push_back(node.function.get());
    }
}

} // namespace

std::string print(const Function &function)
{
    std::vector<const Function *> order;
    FunctionNames names;
    std::set<std::string> used{function.name};
    findCalled(function, order, names, used);
    std::string text;
    for (const Function *called : order)
        text += Printer(*called, names).text("def @" + names.at(called)) + "\n";
    return text + Printer(function, names).text("def @" + function.name) + "\n";
}

} // namespace nestwright::graph
