// SPDX-License-Identifier: Apache-2.0
/// Primitives filled in for the selected loops and blocks, each checked.
#pragma once

#include "core/schedule/fix.h"
#include "core/suggest/proposals.h"

#include <stop_token>

namespace nestwright::suggest {

/// One primitive, filled in for a selection as far as that goes by itself.
struct Action {
    const schedule::Primitive *primitive = nullptr;
    std::string title;                          ///< "Fuse with ki", "Cache read A"
    schedule::Args args;                        ///< one per field; None where there is nothing to propose
    std::vector<std::vector<Choice>> choices;   ///< per field; empty where it is typed in
    std::optional<support::Diagnostic> refused; ///< why it is not legal as filled in
    bool needsTyping = false; ///< something must be typed in first: it is not checked before
    bool direct = false;      ///< needs no form: a click does it

    bool legal() const { return !refused; }
    schedule::Step step() const { return {primitive, args}; }
};

/// A fix that makes the refused `action` legal (schedule/fix.h); none for one that is legal, or that was not
/// filled in far enough to be checked.
std::optional<schedule::Fix> fixFor(const LoopNest &nest, const Action &action);

/// Whether the selection itself stands for the field: it does for the first, unless that gives an order.
bool isSubject(const schedule::Primitive &primitive, std::size_t field);

/// All primitives that change the program, in the order of menus. Checks each with its proposed arguments.
std::vector<Action> actionsFor(const LoopNest &nest, const std::vector<StmtId> &selected,
                               const std::stop_token &stop);

} // namespace nestwright::suggest
