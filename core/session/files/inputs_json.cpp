// SPDX-License-Identifier: Apache-2.0
#include "core/session/files/inputs_json.h"

#include "core/support/text/json.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::session {

using json = support::Json;
using support::diagnostic;

namespace {

bool isArgument(const ir::Module &module, const std::string &name)
{
    const ir::Module::Entry *entry = module.mainEntry();
    return entry && std::ranges::any_of(entry->function->params, [&](const ir::Param &param) {
               return param.buffer && param.buffer.name() == name;
           });
}

/// Empty where it is no path that can be shown and opened.
std::string pathFrom(const json &input, const std::string &fileName)
{
    if (!input.is_object() || !input.contains("path") || !input.at("path").is_string())
        return {};
    const auto path = input.at("path").get<std::string>();
    if (std::ranges::any_of(path, [](char c) { return c >= 0 && c < ' '; }))
        return {};
    namespace fs = std::filesystem;
    const fs::path beside = fs::path(fileName).parent_path() / fs::path(path).filename();
    std::error_code ignored;
    return !fs::exists(path, ignored) && fs::is_regular_file(beside, ignored) ? beside.string() : path;
}

} // namespace

json toJson(const measure::GivenInputs &inputs)
{
    json value = json::object();
    for (const auto &[name, input] : inputs)
        value[name] = {{"path", input.path}, {"content", input.content}};
    return value;
}

measure::GivenInputs inputsFromJson(const json &value, const ir::Module &module, const std::string &fileName,
                                    std::vector<support::Diagnostic> &notes)
{
    measure::GivenInputs inputs;
    if (!value.is_object()) {
        notes.push_back(
            diagnostic("session.input", "the inputs of the kernel are left out: expected an object "
                                        "with a file for each, found "
                                            + std::string(value.type_name())));
        return inputs;
    }
    for (const auto &[name, input] : value.items()) {
        const std::string path = pathFrom(input, fileName);
        if (path.empty() || !isArgument(module, name)) {
            notes.push_back(
                diagnostic("session.input",
                           std::format("the input '{}' is left out: {}", name.substr(0, 60),
                                       path.empty() ? "it names no file" : "the kernel has no such argument"))
                    .withHint("give it again by Inputs of the kernel"));
            continue;
        }
        const auto content = input.find("content");
        const bool isKnown = content != input.end() && content->is_number_unsigned();
        inputs[name] = {path, isKnown ? content->get<std::uint64_t>() : 0};
    }
    return inputs;
}

} // namespace nestwright::session
