// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/lists.h"
#include "core/workbench/requests/declarations.h"

#include <algorithm>
#include <array>

namespace nestwright::workbench {

using support::Json;
using support::Result;

namespace {

std::vector<std::string_view> listNames()
{
    std::vector<std::string_view> names;
    for (const List &list : lists())
        names.push_back(list.name);
    return names;
}

constexpr std::array listParameters{
    Parameter{"what", ParameterKind::Text, "the things to list", true, listNames},
    Parameter{"target", ParameterKind::Text, "the target whose machine is described, and recipes are for"}};

Result<Json> listOf(Opener &, const Parameters &parameters)
{
    const auto target = target::parseTarget(parameters.has("target") ? parameters.text("target") : "llvm");
    if (!target)
        return support::fail(target.error());
    return std::ranges::find(lists(), parameters.text("what"), &List::name)->make(*target);
}

} // namespace

constinit const Request listRequest{"list", "List what there is to choose from, or facts about the machine",
                                    listParameters, "a list, as nestc list --json prints it", listOf};

} // namespace nestwright::workbench
