// SPDX-License-Identifier: Apache-2.0
/// Facts about the operator nn.attention for the rewriting of graphs.
#pragma once

namespace nestwright::ops {

/// A bias of this or less takes the place of a score, so a key that it hides may hold anything, NaN too. Of
/// scores below 1e22 a sum in float32 leaves nothing either way.
constexpr double hidingBias = -1e30;

} // namespace nestwright::ops
