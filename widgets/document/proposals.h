// SPDX-License-Identifier: GPL-3.0-or-later
/// What the selected loops and blocks propose for the fields of a primitive.
#pragma once

#include "widgets/document/actions.h"

namespace nestwright::document {

/// Where a selection lies in a nest.
struct Selected {
    std::vector<StmtId> all; ///< in the order in which they were selected
    int row = -1;            ///< of the last of them; -1: nothing of this nest is selected
    StmtId loop;             ///< it, where it is one
    StmtId block;            ///< it, or the first that it holds
};
Selected selectedIn(const Nest &nest, const std::vector<StmtId> &selection);

/// The part of so many iterations (-1: symbolic) that a person would try first: a usual size of tiles that
/// divides them, else whatever divides them well, else one that leaves a rest.
std::int64_t usualPart(std::int64_t iterations);

/// `nest` and `selected` must outlive it.
class Proposals {
public:
    Proposals(const Nest &nest, const Selected &selected) : m_nest(nest), m_selected(selected) {}

    /// What a form offers for a field; nothing where a value is typed in, and for the `first`, which the selection itself is.
    std::vector<Choice> choicesOf(const schedule::Field &field, bool first) const;
    /// The value that a field begins with, from among its choices where it has any.
    schedule::ArgValue valueOf(const schedule::Field &field, bool first,
                               const std::vector<Choice> &choices) const;
    /// The map that a new one starts from: of the buffer chosen among `args`, else of the block's iteration variables.
    schedule::ArgValue identityMap(const schedule::Primitive &primitive, const schedule::ArgList &args) const;

private:
    const NestRow &at(int row) const { return m_nest.rows[static_cast<std::size_t>(row)]; }
    std::vector<Choice> loopChoices(StmtId except) const;
    std::vector<Choice> blockChoices() const;
    std::vector<Choice> statementChoices() const;
    std::vector<Choice> bufferChoices(const schedule::Field &field) const;
    std::vector<Choice> nestChoices() const;
    void addAnnotations(std::vector<Choice> &choices) const;
    schedule::ArgValue positions() const;
    schedule::ArgValue loopsProposal() const;

    const Nest &m_nest;
    const Selected &m_selected;
};

} // namespace nestwright::document
