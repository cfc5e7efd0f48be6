// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/lists.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>

namespace nestwright::cli {

using json = support::Json;

namespace {

/// A line each: domain, operator, operator sets, and why it is not read.
std::string onnxText(const json &list)
{
    const auto line = [](const std::string &domain, const std::string &name, const std::string &versions,
                         const std::string &summary) {
        return std::format("{:<16} {:<34} {:<13} {}\n", domain, name, versions, summary);
    };
    std::string text = line("domain", "operator", "operator sets", "read");
    for (const json &entry : list)
        text += line(entry.at("domain").get<std::string>(), entry.at("name").get<std::string>(),
                     entry.at("versions").get<std::string>(), entry.at("summary").get<std::string>());
    return text;
}

/// Name and summary, a line each.
std::string asText(const json &list)
{
    std::string text;
    for (const json &entry : list)
        text += std::format("{:<24} {}\n", entry.at("name").get<std::string>(),
                            entry.at("summary").get<std::string>());
    return text;
}

} // namespace

std::function<int()> declareList(CLI::App &app)
{
    struct Options {
        std::string what, target = "llvm";
        bool asJson = false;
    };
    auto options = std::make_shared<Options>();
    std::vector<std::string> names;
    for (const workbench::List &list : workbench::lists())
        names.emplace_back(list.name);
    app.add_option("WHAT", options->what,
                   "primitives, ops, recipes, targets, passes, rules, onnx (the operators of "
                   "models that are read) or machine")
        ->required()
        ->check(CLI::IsMember(names));
    app.add_flag("--json", options->asJson, "everything there is to know, as JSON");
    app.add_option("--target", options->target, "whose machine is described, and recipes are for")
        ->capture_default_str();
    return [options] {
        const auto target = target::parseTarget(options->target);
        if (!target)
            return report(target.error());
        const auto list =
            std::ranges::find(workbench::lists(), options->what, &workbench::List::name)->make(*target);
        if (!list)
            return report(list.error());
        return writeOutput({}, options->asJson           ? support::jsonText(*list, 2) + '\n'
                               : options->what == "onnx" ? onnxText(*list)
                                                         : asText(*list));
    };
}

} // namespace nestwright::cli
