// SPDX-License-Identifier: Apache-2.0
/// Values proposed for the fields of a primitive from the selected loops and blocks.
#pragma once

#include "core/schedule/primitive.h"
#include "core/suggest/selection.h"

#include <string>
#include <vector>

namespace nestwright::suggest {

/// A value that a field of a form may take.
struct Choice {
    schedule::ArgValue value;
    std::string label;
};

/// The factor that a person would try first for a loop of so many iterations (none: symbolic): a usual tile
/// size that divides them, else whatever divides them well, else one that leaves a remainder.
std::int64_t usualFactor(std::optional<std::int64_t> iterations);

/// `nest` and `selection` must outlive it.
class Proposals {
public:
    Proposals(const LoopNest &nest, const Selection &selection) : m_nest(nest), m_selection(selection) {}

    /// The choices that a form offers for a field; nothing where a value is typed in, and for the `first`,
    /// which is the selection.
    std::vector<Choice> choicesOf(const schedule::Field &field, bool first) const;
    /// The value that a field begins with, from among its choices where it has any.
    schedule::ArgValue valueOf(const schedule::Field &field, bool first,
                               const std::vector<Choice> &choices) const;
    /// The identity map of the buffer chosen among `args`, else of the block's iteration variables.
    schedule::ArgValue identityMap(const schedule::Primitive &primitive, const schedule::ArgList &args) const;

private:
    std::vector<Choice> loopChoices(StmtId except) const;
    std::vector<Choice> blockChoices() const;
    std::vector<Choice> statementChoices() const;
    std::vector<Choice> bufferChoices(const schedule::Field &field) const;
    std::vector<Choice> nestChoices() const;
    void addAnnotations(std::vector<Choice> &choices) const;
    schedule::ArgValue positions() const;
    schedule::ArgValue loopsProposal() const;

    const LoopNest &m_nest;
    const Selection &m_selection;
};

} // namespace nestwright::suggest
