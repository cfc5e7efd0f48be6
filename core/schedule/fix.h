// SPDX-License-Identifier: Apache-2.0
/// A fix for a refused step: one further step, or another choice of loop.
#pragma once

#include "core/schedule/apply.h"

namespace nestwright::schedule {

/// Steps that are legal one after the other: `first`, where there is one, and then the refused step or one
/// like it.
struct Fix {
    std::optional<Step> first;
    Step then;
    std::string title; ///< "decompose_reduction(Y, k) first", "at loop 'i' instead"
};

/// The first fix that makes `refused` legal, which `state` refuses because of `why`: an init taken out, a
/// block inlined or moved first, loops brought next to each other, an annotation dropped, a reduction made
/// partial by rfactor; or the step at a loop further out, with loops in their order or one factor left open.
/// Each is tried, so the fix is legal.
std::optional<Fix> fixFor(const State &state, const Step &refused, const Diagnostic &why);

} // namespace nestwright::schedule
