// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/script_function.h"

#include "core/ops/table/shapes.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"

#include <format>
#include <sstream>

namespace nestwright::ops {

namespace {

std::string parameter(const std::string &name, const TensorType &type)
{
    std::string sizes;
    for (const std::int64_t size : constantSizes(type.shape, "every size"))
        sizes += std::to_string(size) + ", ";
    return std::format("{}: T.Buffer(({}), \"{}\")", name, sizes, type.dtype.str());
}

} // namespace

ir::Function scriptFunction(const CallSite &site, std::span<const TensorType> results,
                            const std::string &body)
{
    std::string parameters;
    for (std::size_t i = 0; i < site.inputs.size(); ++i)
        parameters += parameter(std::format("p{}", i), site.input(i)) + ", ";
    for (std::size_t i = 0; i < results.size(); ++i)
        parameters += parameter(std::format("r{}", i), results[i]) + ", ";
    const std::string text =
        std::format("@T.prim_func\ndef main({}):\n"
                    "    T.func_attr({{\"global_symbol\": \"main\", \"tir.noalias\": True}})\n{}",
                    parameters, body);
    const auto module = script::parseTvmScript(text, std::string(site.op.name));
    NW_ASSERT(module, module ? std::string() : module.error().message + "\n" + text);
    return module->mainEntry()->function;
}

std::string scriptBlock(const std::string &name, const std::vector<ScriptAxis> &axes,
                        const std::string &reads, const std::string &writes, const std::string &statements)
{
    std::string text, indent = "    ";
    for (const ScriptAxis &axis : axes) {
        text += std::format("{}for l_{} in range({}):\n", indent, axis.name, axis.extent);
        indent += "    ";
    }
    text += std::format("{}with T.block(\"{}\"):\n", indent, name);
    indent += "    ";
    for (const ScriptAxis &axis : axes)
        text += std::format("{}{} = T.axis.{}({}, l_{})\n", indent, axis.name,
                            axis.kind == 's' ? "spatial" : "opaque", axis.extent, axis.name);
    text += std::format("{}T.reads({})\n{}T.writes({})\n", indent, reads, indent, writes);
    std::istringstream lines(statements);
    for (std::string line; std::getline(lines, line);)
        text += indent + line + "\n";
    return text;
}

std::string scriptElement(std::string_view buffer, const std::vector<std::string> &indices)
{
    std::string list;
    for (const std::string &index : indices)
        list += (list.empty() ? "" : ", ") + index;
    return std::format("{}[{}]", buffer, indices.empty() ? "()" : list);
}

} // namespace nestwright::ops
