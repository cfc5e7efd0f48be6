// SPDX-License-Identifier: Apache-2.0
/// Loops and blocks followed from one variant to another, along the path between them in the tree.
#pragma once

#include "core/session/history/variant_tree.h"

#include <vector>

namespace nestwright::session {

/// The counterparts in `to` of loops and blocks of `from`, each once and in their order. On the way to the
/// root a loop becomes the one it was made of; those that are gone are left out. Neither variant was refused.
std::vector<support::StmtId> counterparts(const VariantTree &tree, const std::vector<support::StmtId> &ids,
                                          VariantId from, VariantId to);

/// The counterpart of one; none where it is gone.
support::StmtId counterpart(const VariantTree &tree, support::StmtId id, VariantId from, VariantId to);

} // namespace nestwright::session
