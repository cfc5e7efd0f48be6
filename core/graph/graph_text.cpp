// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.h"

#include <algorithm>
#include <format>
#include <set>

namespace nestwright::graph {

namespace {

/// Writes one function; names are made unique, nodes without a name of their own are numbered.
class Printer {
public:
    explicit Printer(const Function &function, std::string indent = {})
        : m_function(function)
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
        std::string name =
            node.kind == NodeKind::Operator || node.kind == NodeKind::Group ? std::string() : node.name;
        std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
        if (name.empty())
            name = std::to_string(m_count++);
        std::string unique = name;
        for (int i = 1; !m_used.insert(unique).second; ++i)
            unique = std::format("{}_{}", name, i);
        return "%" + unique;
    }

    std::string valueText(Value value) const
    {
        const Node &node = m_function.at(value);
        if (isLiteral(node))
            return std::format("{}", node.data->at(0));
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
            return Printer(*node.function, m_indent + "  ").text("fn") + "(" + arguments + ")";
        for (const ops::AttributeField &field : node.op->attributes) {
            const ops::AttributeValue &value = node.attributes.find(field.name)->second;
            if (value != field.defaultValue)
                arguments +=
                    std::format("{}{}={}", arguments.empty() ? "" : ", ", field.name, ops::str(value));
        }
        std::string types;
        for (const TensorType &type : node.types)
            types += (types.empty() ? "" : ", ") + type.str();
        return std::format("{}({}) /* {} */", node.op->name, arguments, types);
    }

    const Function &m_function;
    std::string m_indent;
    std::vector<std::string> m_names; ///< by place
    std::set<std::string> m_used;
    int m_count = 0;
};

} // namespace

std::string print(const Function &function) { return Printer(function).text("def @" + function.name) + "\n"; }

} // namespace nestwright::graph
