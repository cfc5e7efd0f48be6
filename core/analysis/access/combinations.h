// SPDX-License-Identifier: Apache-2.0
/// Values of several variables, tried one after the other.
#pragma once

#include "core/arith/int_set.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nestwright::analysis {

/// Every combination of the values of some variables, the last one fastest.
class Combinations {
public:
    /// Nothing where an extent is not constant, or there are more than `most`.
    static std::optional<Combinations> of(const arith::Domains &domains, std::int64_t most);

    bool isOver() const { return m_isOver; }
    const std::vector<std::int64_t> &values() const { return m_values; }
    void next();

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> m_ranges;
    std::vector<std::int64_t> m_values;
    bool m_isOver = false;
};

std::vector<ir::Var> variablesOf(const arith::Domains &domains);

} // namespace nestwright::analysis
