// SPDX-License-Identifier: Apache-2.0
#include "core/ir/threads.h"

#include "core/ir/build/intrinsics.h"

#include <array>
#include <utility>

namespace nestwright::ir {

std::optional<ThreadAxis> threadAxisOf(std::string_view name)
{
    using Prefix = std::pair<std::string_view, ThreadRank>;
    constexpr std::array prefixes{Prefix{"blockIdx", ThreadRank::Block},
                                  Prefix{"threadIdx", ThreadRank::Thread},
                                  Prefix{"vthread", ThreadRank::Virtual}};
    constexpr std::string_view dimensions = "xyz";
    for (const auto &[prefix, rank] : prefixes) {
        if (!name.starts_with(prefix))
            continue;
        const std::string_view rest = name.substr(prefix.size());
        if (rest.empty() && rank == ThreadRank::Virtual)
            return ThreadAxis{rank, 0};
        const std::size_t dimension =
            rest.size() == 2 && rest[0] == '.' ? dimensions.find(rest[1]) : dimensions.npos;
        if (dimension != dimensions.npos)
            return ThreadAxis{rank, dimension};
    }
    return std::nullopt;
}

bool isBarrier(const Stmt &s)
{
    const auto *evaluated = s.as<Evaluate>();
    const auto *call = evaluated ? evaluated->value.as<Call>() : nullptr;
    if (!call || call->callee != intrinsics::tvmStorageSync)
        return false;
    const auto *scope = call->args[0].as<StringImm>();
    return !scope || scope->value != "warp";
}

MemoryRank memoryRankOf(std::string_view scope)
{
    if (scope.empty() || scope.starts_with("global"))
        return MemoryRank::Device;
    if (scope.starts_with("shared"))
        return MemoryRank::Block;
    return scope == "warp" ? MemoryRank::Warp : MemoryRank::Thread;
}

} // namespace nestwright::ir
