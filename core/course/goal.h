// SPDX-License-Identifier: Apache-2.0
/// Goals of lessons: properties of a loop nest, and speed over the program that the lesson starts with.
#pragma once

#include "core/measure/measurement.h"
#include "core/suggest/loop_nest.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestwright::course {

using support::Result;

enum class GoalKind : std::uint8_t {
    Loops,     ///< `loops C >= 5`: the block stands in so many loops
    Tiled,     ///< `tiled C`: two spatial axes have an inner loop each, within an outer loop of both
    Outermost, ///< `outermost C parallel`: the outermost loop of the block has this trait
    Innermost, ///< `innermost C vector >= 8`: the innermost loop has it, and so many iterations
    Loop,      ///< `loop C threadIdx.x >= 32`: some loop of the block has it
    Within,    ///< `within C Y`: the first block is computed in a loop of the second
    Copied,    ///< `copied B >= 3`: a block copies the buffer, into one of so many dimensions
    Present,   ///< `present C_init`: there is such a block
    Absent,    ///< `absent C_init`: there is none
    Measured,  ///< `measured`: the program was measured, and computes the right result
    Speed      ///< `speed 1.5`: so many times as fast as the start; `speed 1.5 threads 2`: on as many threads
};

struct Goal {
    std::string text; ///< for people: "The innermost loop runs as vectors"
    std::string form; ///< as written: "innermost C vector >= 8"
    GoalKind kind = GoalKind::Measured;
    std::string name{};  ///< of a block, or a buffer
    std::string trait{}; ///< of a loop: "parallel", "threadIdx.x", "spatial"; of Within the other block
    double least = 0;    ///< iterations, loops, dimensions or ratio
    int threads = 1;     ///< below that many threads a speed cannot be reached

    /// Whether it is judged by measuring, not by the loops.
    bool isMeasured() const { return kind == GoalKind::Measured || kind == GoalKind::Speed; }
};

/// Reads a goal's form. Error: "course.goal".
Result<Goal> parseGoal(std::string text, std::string_view form);
/// The forms that goals have, with an example each.
std::span<const std::string_view> goalForms();

/// Knowledge of the speed of a program.
struct Speed {
    bool isVerified = false;
    std::optional<measure::Speedup> overStart{}; ///< timed in turns with the start, in one run
    std::string failure{};                       ///< in one sentence, where it could not be measured
    bool isDisturbed = false;                    ///< other programs were at work meanwhile
};

struct GoalStatus {
    bool isReached = false;
    std::string missing{}; ///< what is missing, or what was found where it is reached; one sentence
};

/// `speed`: none where the program was not measured. `threads`: of the target.
GoalStatus check(const Goal &goal, const suggest::LoopNest &nest, const std::optional<Speed> &speed,
                 int threads);

} // namespace nestwright::course
