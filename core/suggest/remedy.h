// SPDX-License-Identifier: Apache-2.0
/// A step that makes a refused action on a loop legal.
#pragma once

#include "core/suggest/actions.h"

namespace nestwright::suggest {

/// Fills in the remedy of `action`, which is refused for the loop `loop`, where moving that loop innermost
/// helps.
void findRemedy(const LoopNest &nest, StmtId loop, Action &action);

} // namespace nestwright::suggest
