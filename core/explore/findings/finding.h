// SPDX-License-Identifier: Apache-2.0
/// Findings: faults of a schedule that cost time, each with the neighbouring schedule that is without it.
#pragma once

#include "core/explore/step_path.h"
#include "core/target/machine.h"
#include "core/target/target.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::explore {

using ir::StmtId;

enum class Fault : std::uint8_t {
    ReductionInnermost, ///< iterations of the innermost loop wait for each other
    ScalarLoop,         ///< one element at a time is computed
    LongStride,         ///< the innermost loop jumps from one cache line to another
    Gather,             ///< elements of a vector lie apart
    NarrowVector,       ///< the machine has wider ones
    ScalarRemainder,    ///< a split leaves a part that is guarded in each iteration
    IdleThreads,
    Imbalance,       ///< of the iterations that threads share
    FalseSharing,    ///< threads write into the same cache lines
    LoopAllocation,  ///< of a large array in a parallel loop
    Recomputation,   ///< of what was computed before
    LateStage,       ///< an array passes through memory between two nests
    Spills,          ///< of registers in the inner loop
    SumsInMemory,    ///< they are not kept in registers
    UnpackedOperand, ///< is read across its rows
    OtherMachine,    ///< its numbers are those of one
    DeviceThreads,   ///< too few, or in too few blocks
    BankConflicts    ///< of shared memory
};

/// "reduction-innermost".
std::string_view nameOf(Fault fault);
/// One sentence on what it is and why it costs time.
std::string_view explanationOf(Fault fault);

/// A schedule that comes from another by few steps.
struct Variation {
    std::string title; ///< "Split j by 32 instead of 5, vectorize it"
    StepPath path;
};

struct Finding {
    Fault fault = Fault::ScalarLoop;
    StmtId at;         ///< the loop or block that it is about
    std::string title; ///< "Only one of 2 threads works on C"
    Variation remedy;
    double gain = 1;    ///< how many times as fast the remedy is predicted to be, as experience corrects it
    double rawGain = 1; ///< as predicted from the loops alone

    /// Number of the last state that the remedy has in common with the schedule.
    std::size_t branchesAt(const StepPath &path) const { return commonStates(path, remedy.path) - 1; }
};

/// Remedies that are predicted to gain less are no findings.
inline constexpr double leastGain = 1.08;

/// Experience from measuring, with predictions and with schedules near the one that findings are of; and from
/// recipes.
struct Experience {
    int compared = 0;   ///< steps from one measured program to another that were predicted too, the last ones
    double tooGood = 1; ///< so many times as fast as measured they were predicted, on average
    double strength = 1; ///< the power of a predicted gain that was measured of it
    /// Measured speedup of a program over the schedule, where both were measured.
    std::function<std::optional<double>(const schedule::State &)> measuredGain{};
    /// The schedule as what it was made by makes it for the machine at hand; nothing where that is not known,
    /// or makes the same.
    std::function<std::optional<Variation>(const StepPath &)> refitted{};

    double corrected(double gain) const;
};
/// "the last 3 were 1.30 times too good"; empty where they were right, or none was measured.
std::string describe(const Experience &experience);

/// The faults of the schedule at the end of `path`, the one with the largest gain first, each kind once. A
/// fault counts only with a remedy: a legal schedule without the fault that is predicted to be faster,
/// whatever other faults it has instead, so that no remedy undoes another. Remedies that were measured to be
/// slower do not count. For a device few rules exist so far. Errors: "cancelled"; machine code that cannot be
/// made is done without.
support::Result<std::vector<Finding>> findingsOf(const StepPath &path, const target::Target &target,
                                                 const target::Machine &machine,
                                                 const std::stop_token &stop = {},
                                                 const Experience &experience = {});

} // namespace nestwright::explore
