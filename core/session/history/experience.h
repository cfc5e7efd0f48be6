// SPDX-License-Identifier: Apache-2.0
/// Experience of a session with predictions: what its measurements say of them.
#pragma once

#include "core/explore/findings/finding.h"
#include "core/session/history/variant_tree.h"

namespace nestwright::session {

/// Experience from measurements in a tree: the last measured variants compared with their parents, and
/// programs compared with that of `current`. It keeps no reference to the tree.
explore::Experience experienceOf(const VariantTree &tree, VariantId current, const target::Machine &machine);

} // namespace nestwright::session
