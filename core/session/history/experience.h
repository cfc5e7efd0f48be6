// SPDX-License-Identifier: Apache-2.0
/// Experience of a session with predictions: what its measurements say of them.
#pragma once

#include "core/explore/findings/finding.h"
#include "core/session/history/variant_tree.h"

namespace nestwright::session {

/// Of the variants measured last, beside those that they come from, and of programs beside that of `current`.
/// Experience of the variants measured in a tree; it keeps no reference to the tree.
explore::Experience experienceOf(const VariantTree &tree, VariantId current, const target::Machine &machine);

} // namespace nestwright::session
