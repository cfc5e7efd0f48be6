// SPDX-License-Identifier: Apache-2.0
#include "core/ir/shared_memory.h"

#include <algorithm>

namespace nestwright::ir {

bool isNoAlias(const PrimFunc &function, std::size_t param)
{
    const auto promise = function.attrs.find("tir.noalias");
    if (promise != function.attrs.end() && promise->second.asInt() && *promise->second.asInt() == 0)
        return false;
    const auto shared = function.attrs.find(std::string(sharedMemoryKey));
    if (shared == function.attrs.end())
        return true;
    const std::vector<AttrValue> *places = shared->second.asList();
    return places && std::ranges::all_of(*places, [&](const AttrValue &place) {
               return place.asInt() && *place.asInt() != static_cast<std::int64_t>(param);
           });
}

} // namespace nestwright::ir
