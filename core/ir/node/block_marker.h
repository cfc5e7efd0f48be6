// SPDX-License-Identifier: Apache-2.0
/// The attribute that names a statement's block in a flat program.
#pragma once

#include "core/ir/build/builder.h"
#include "core/ir/node/stmt.h"

#include <string_view>

namespace nestwright::ir {

inline constexpr std::string_view blockMarker = "nw.block";

/// The block that `node` marks; none where it is another attribute.
inline StmtId markedBlock(const AttrStmt &node)
{
    const std::int64_t *id = node.key == blockMarker ? asInt(node.value) : nullptr;
    return id ? StmtId{static_cast<std::uint32_t>(*id)} : StmtId{};
}

} // namespace nestwright::ir
