// SPDX-License-Identifier: Apache-2.0
/// Values of some variables that conditions leave, whatever the others are.
#pragma once

#include "core/analysis/access/integer_code.h"
#include "core/arith/int_set.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nestwright::analysis {

/// Conditions made ready to be asked for many values of some variables. A condition with loops beside them
/// (`rounds`) is met where some round meets it and those it shares loops with; loops that no condition shares
/// with another one are tried apart from these, so that their values do not multiply. Conditions that are
/// more than arithmetic on these variables may hold, and are left out.
class ElementFilter {
public:
    /// Nothing where there are more than `most` combinations to try.
    static std::optional<ElementFilter> of(const std::vector<ir::Expr> &conditions,
                                           const arith::Domains &asked, const arith::Domains &rounds,
                                           std::int64_t most, arith::Analyzer &analyzer);

    /// `values`: one for each of the variables asked for.
    bool allows(std::span<const std::int64_t> values);

private:
    /// Conditions that share rounds, with a table of the asked variables' values for which they hold.
    struct Table {
        std::vector<std::size_t> places; ///< of its variables among those asked for
        std::vector<std::int64_t> mins, extents;
        std::vector<bool> holds;

        std::size_t at(std::span<const std::int64_t> values) const;
    };

    bool add(const std::vector<ir::Expr> &conditions, const arith::Domains &asked,
             const arith::Domains &rounds, std::int64_t most);

    std::vector<IntegerCode> m_direct; ///< conditions without rounds
    std::vector<Table> m_tables;
};

} // namespace nestwright::analysis
