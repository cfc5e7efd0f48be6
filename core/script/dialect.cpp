// SPDX-License-Identifier: Apache-2.0
#include "core/script/dialect.h"

#include <algorithm>
#include <utility>

namespace nestwright::script {

namespace {

/// The first name of each dialect is its own.
constexpr std::array<std::pair<std::string_view, Dialect>, 6> names{{
    {"0.23", Dialect::Tvm023},
    {"0.24", Dialect::Tvm024},
    {"0.25", Dialect::Tvm025},
    {"0.26", Dialect::Tvm025},
    {"0.27", Dialect::Tvm027},
    {"latest", Dialect::Latest},
}};

} // namespace

std::string_view dialectName(Dialect dialect)
{
    return std::ranges::find(names, dialect, [](const auto &row) { return row.second; })->first;
}

std::optional<Dialect> findDialect(std::string_view name)
{
    const auto *found = std::ranges::find(names, name, [](const auto &row) { return row.first; });
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> dialectNames()
{
    std::vector<std::string> all;
    for (const auto &[name, dialect] : names)
        all.emplace_back(name);
    return all;
}

} // namespace nestwright::script
