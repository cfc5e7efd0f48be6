// SPDX-License-Identifier: Apache-2.0
#include "core/ir/shared_memory.h"

#include "core/ir/node/attributes.h"

#include <algorithm>

namespace nestwright::ir {

bool isNoAlias(const PrimFunc &function, std::size_t param)
{
    if (!isNoAlias(function))
        return false;
    const AttrValue *shared = attribute(function.attrs, sharedMemoryKey);
    if (!shared)
        return true;
    const std::vector<AttrValue> *places = shared->asList();
    return places && std::ranges::all_of(*places, [&](const AttrValue &place) {
               return place.asInt() && *place.asInt() != static_cast<std::int64_t>(param);
           });
}

} // namespace nestwright::ir
