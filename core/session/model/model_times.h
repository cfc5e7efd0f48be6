// SPDX-License-Identifier: Apache-2.0
/// Times of a model, of its kernels and of its nodes, with the machine and the date: as bench-model prints
/// them and as sessions on models keep them.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/measure/measurement.h"
#include "core/schedule/state.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <vector>

namespace nestwright::session {

struct ModelTimes {
    /// All calls of a kernel in one run.
    struct Kernel {
        std::string name;
        int nodes = 0; ///< that it computes
        double seconds = 0;
        measure::Throughput work; ///< its bytes are those that must be moved
        std::string schedule{};   ///< scheduleMark of its schedule
    };
    struct Node {
        std::string name, kernel;
        double seconds = 0;
    };

    std::string target;  ///< target::Target::str()
    int threads = 0;     ///< of parallel loops
    std::string machine; ///< support::processorName()
    std::string date;    ///< "2026-11-29T16:40:12Z"
    measure::Interval seconds;
    int runs = 0;
    double otherLoad = 0; ///< as in measure::Measurement
    bool disturbed = false;
    measure::Throughput peak{}; ///< of the machine in a second; 0 where it is not known
    std::vector<Kernel> kernels{};
    std::vector<Node> nodes{}; ///< in the order of the run
};

/// Times that a session keeps, the older ones first; more are dropped from the front.
inline constexpr std::size_t mostModelTimes = 20;
/// Adds times behind those that are there.
void keep(std::vector<ModelTimes> &kept, ModelTimes times);

/// The date and time of now, as ModelTimes::date.
std::string dateOfNow();

/// A mark that distinguishes schedules of one kernel; empty for its default one.
std::string scheduleMark(const ir::Module &unscheduled, const schedule::State &scheduled,
                         const target::Machine &machine);

support::Json toJson(const ModelTimes &times);
/// Error: "session.times" where it cannot be such times.
support::Result<ModelTimes> modelTimesFromJson(const support::Json &value);

} // namespace nestwright::session
