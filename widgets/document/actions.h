// SPDX-License-Identifier: GPL-3.0-or-later
/// What each primitive could do with the selected loops and blocks, and why not where it could not.
#pragma once

#include "core/schedule/primitive.h"
#include "widgets/document/nest.h"

#include <QString>

#include <optional>
#include <stop_token>
#include <vector>

namespace nestwright::document {

/// A value that a field of a form may take.
struct Choice {
    schedule::ArgValue value;
    QString label;
};

/// One primitive, filled in for a selection as far as that goes by itself.
struct Action {
    const schedule::Primitive *primitive = nullptr;
    QString title;                              ///< "Fuse with ki", "Cache read A"
    schedule::Args args;                        ///< one per field; None where there is nothing to propose
    std::vector<std::vector<Choice>> choices;   ///< per field: what a form offers; empty where it is typed in
    std::optional<support::Diagnostic> refused; ///< why it is not legal as filled in
    bool needsTyping = false;             ///< something must be typed in first: it is not checked before
    bool direct = false;                  ///< needs no form: a click does it
    std::optional<schedule::Step> remedy; ///< a step after which it becomes legal
    QString remedyTitle;                  ///< "Reorder ii innermost"

    bool legal() const { return !refused; }
    schedule::Step step() const { return {primitive, args}; }
};

/// All primitives that change the program, in the order of the action strip. Checks each with its proposed arguments.
std::vector<Action> actionsFor(const Nest &nest, const std::vector<StmtId> &selection,
                               const std::stop_token &stop);

/// Loops that enclose each other with nothing between them, outermost first, of which `row` is one.
std::vector<int> perfectNest(const Nest &nest, int row);

} // namespace nestwright::document
