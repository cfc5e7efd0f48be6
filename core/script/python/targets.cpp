// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/targets.h"

#include <algorithm>
#include <format>

namespace nestwright::script::py {

const std::vector<Expr> *targetsOf(const ExprNode &target)
{
    if (const auto *tuple = target.as<Tuple>())
        return &tuple->items;
    const auto *list = target.as<List>();
    return list ? &list->items : nullptr;
}

void appendNames(const ExprNode &target, std::vector<std::string> &names)
{
    if (const auto *name = target.as<Name>())
        names.push_back(name->id);
    if (const auto *starred = target.as<Starred>())
        appendNames(*starred->value, names);
    if (const std::vector<Expr> *targets = targetsOf(target)) {
        for (const Expr &item : *targets)
            appendNames(*item, names);
    }
}

Checked<std::size_t> starredAmong(const std::vector<Expr> &targets, std::size_t count)
{
    const auto isStarred = [](const Expr &target) { return target->as<Starred>() != nullptr; };
    const auto starred = std::ranges::find_if(targets, isStarred);
    const bool hasStarred = starred != targets.end();
    if (hasStarred && std::any_of(starred + 1, targets.end(), isStarred))
        return std::unexpected(Fault{FaultKind::Unpack, "only one of several names may be starred"});
    const std::size_t plain = targets.size() - (hasStarred ? 1 : 0);
    if (hasStarred ? count < plain : count != plain) {
        return std::unexpected(Fault{FaultKind::Unpack, std::format("{} {} {} given {} value{}", plain,
                                                                    plain == 1 ? "name" : "names",
                                                                    hasStarred   ? "and a starred one are"
                                                                    : plain == 1 ? "is"
                                                                                 : "are",
                                                                    count, count == 1 ? "" : "s")});
    }
    return static_cast<std::size_t>(starred - targets.begin());
}

} // namespace nestwright::script::py
