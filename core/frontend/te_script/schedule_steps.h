// SPDX-License-Identifier: Apache-2.0
/// Schedule steps as a TE script describes them, before the schedule engine knows loops and blocks by id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nestwright::te {

/// A result of an earlier step: the block or loop number `index` of all results.
struct StepResult {
    int index = 0;
    bool operator==(const StepResult &) const = default;
};

/// None, a constant, a result of an earlier step, or a list of these.
struct StepValue {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, StepResult, std::vector<StepValue>>
        value;

    bool operator==(const StepValue &) const = default;
};

/// One step: a primitive of TensorIR by name, its arguments by TVM's parameter names ("loops" for the
/// variadic ones), and the numbers its results get, in order.
struct StepDescription {
    std::string primitive;
    std::vector<std::pair<std::string, StepValue>> arguments;
    std::vector<int> results;
    int line = 0; ///< of the script, from 1
};

struct ScheduleSteps {
    std::vector<StepDescription> steps;
    std::vector<std::string> resultNames; ///< one per result, unique, valid as Python names
    /// Steps on a tir.Schedule, as the file of the kernel has them, line for line; then `steps` is empty.
    std::string written = {};
    /// The name among several schedules of the file: the turn of the loop that makes it, or its variable.
    std::string name = {};

    /// The line of the file, from 1, that the step comes from.
    int sourceLine(std::size_t step) const;
};

} // namespace nestwright::te
