// SPDX-License-Identifier: Apache-2.0
/// Targets of assignments, and how several of them share the items of one value.
#pragma once

#include "core/script/python/fault.h"

namespace nestwright::script::py {

/// The targets within `a, b` or `[a, b]`; null for another target.
const std::vector<Expr> *targetsOf(const ExprNode &target);

/// Appends the names that `target` gives values to.
void appendNames(const ExprNode &target, std::vector<std::string> &names);

/// The place of the starred target, or the number of targets where none is; refuses where `count` values do
/// not suit them.
Checked<std::size_t> starredAmong(const std::vector<Expr> &targets, std::size_t count);

/// Gives each target its value: `give(const Expr &, Value)`. A starred one gets the list of all values that
/// are left, which `list` makes of a vector.
template <class Value, class MakeList, class Give>
Checked<void> unpack(const std::vector<Expr> &targets, const std::vector<Value> &values, MakeList list,
                     Give give)
{
    const Checked<std::size_t> starred = starredAmong(targets, values.size());
    if (!starred)
        return std::unexpected(starred.error());
    auto next = values.begin();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (i != *starred) {
            give(targets[i], *next++);
            continue;
        }
        const auto end = next + static_cast<std::ptrdiff_t>(values.size() + 1 - targets.size());
        give(targets[i]->as<Starred>()->value, list(std::vector<Value>(next, end)));
        next = end;
    }
    return {};
}

} // namespace nestwright::script::py
