// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/opening/module_names.h"

#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"
#include "core/support/text/near_names.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::workbench {

using session::Variant;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Whether the variant is called so, perhaps among other names: "gemm, best".
bool isCalled(const Variant &variant, std::string_view name)
{
    if (variant.isRoot() && name == unscheduledName)
        return true;
    for (std::string_view names = variant.name; !names.empty();) {
        const std::size_t end = names.find(", ");
        if (names.substr(0, end) == name)
            return true;
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 2);
    }
    return false;
}

/// Whether `name` is the variant's number: "#3", or "3".
bool isNumbered(const Variant &variant, std::string_view name)
{
    return name.substr(name.starts_with('#') ? 1 : 0) == std::to_string(variant.id.value);
}

/// Whether a file of that very name is there. A folder without rights, a link to itself: opening it says so.
bool isThere(const std::string &path)
{
    std::error_code unknown;
    return std::filesystem::exists(path, unknown);
}

} // namespace

std::pair<std::string, std::string> sessionAndVariant(const std::string &module)
{
    const std::string mark = std::string(session::projectExtension) + '#';
    const std::size_t hash = module.find(mark);
    if (hash == std::string::npos || isThere(module))
        return {module, {}};
    const std::string file = module.substr(0, hash + mark.size() - 1), rest = module.substr(file.size() + 1);
    if (!session::isModelProject(file))
        return {file, rest};
    const std::size_t kernel = std::min(rest.find('#'), rest.size());
    return {file + '#' + rest.substr(0, kernel), rest.substr(std::min(kernel + 1, rest.size()))};
}

bool isSession(const std::string &module)
{
    const std::string session = sessionAndVariant(module).first;
    return session.ends_with(session::projectExtension) || session::kernelOfModelProject(session);
}

std::pair<std::string, std::string> fileAndSchedule(const std::string &module)
{
    const std::size_t mark = module.find(".py#");
    if (mark == std::string::npos || isThere(module))
        return {module, {}};
    return {module.substr(0, mark + 3), module.substr(mark + 4)};
}

std::string nameOfSchedule(const std::string &schedule)
{
    return schedule.starts_with(recipePrefix) ? schedule.substr(recipePrefix.size())
                                              : std::filesystem::path(schedule).stem().string();
}

Result<session::VariantId> findVariant(const session::VariantTree &tree, std::string_view name,
                                       const std::string &file)
{
    const auto &all = tree.all();
    auto found = std::ranges::find_if(all, [&](const Variant &each) { return isCalled(each, name); });
    if (found == all.end())
        found = std::ranges::find_if(all, [&](const Variant &each) { return isNumbered(each, name); });
    if (found != all.end())
        return found->ok() ? Result<session::VariantId>(found->id) : fail(found->state.error());
    std::vector<std::string_view> known{unscheduledName};
    for (const Variant &variant : all) {
        if (!variant.name.empty())
            known.push_back(variant.name);
    }
    return fail(diagnostic("open.no-variant", std::format("\"{}\" has no variant named \"{}\"", file, name))
                    .withHint(support::didYouMean(name, known) + "; #N is the one with that number"));
}

} // namespace nestwright::workbench
