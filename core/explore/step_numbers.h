// SPDX-License-Identifier: Apache-2.0
/// Numbers among the arguments of a step, and others in their place.
#pragma once

#include "core/schedule/step.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::explore {

/// A whole number among the arguments of a step.
struct StepNumber {
    std::size_t field = 0;                ///< of the primitive
    std::optional<std::size_t> element{}; ///< of a list
    std::string name;                     ///< "factors[1]", "vector_lanes"
    std::int64_t value = 0;
    bool operator==(const StepNumber &) const = default;
};

/// Numbers that a person may want to change: not those of axes, dimensions or buffers.
std::vector<StepNumber> numbersOf(const schedule::Step &step);

schedule::Step withNumber(schedule::Step step, const StepNumber &number, std::int64_t value);

/// The iterations of the first loop that a step names; nothing where it names none, or they are symbolic.
std::optional<std::int64_t> iterationsOf(const schedule::State &before, const schedule::Step &step);

/// Values worth trying: powers of two and their halves between, up to the loop that a step splits, or 16
/// times the number, and what divides the loop; with the number itself, in order. Where that are many,
/// numbers between powers of two only if they divide.
std::vector<std::int64_t> valuesFor(const schedule::State &before, const schedule::Step &step,
                                    const StepNumber &number);

} // namespace nestwright::explore
