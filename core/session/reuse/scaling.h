// SPDX-License-Identifier: Apache-2.0
/// One schedule with one, two, four … threads: how much faster it becomes, how fast it could be, and what
/// keeps it from that.
#pragma once

#include "core/measure/measurer.h"
#include "core/support/text/json_fwd.h"
#include "core/target/target.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::session {

struct ScalingRequest {
    std::string kernel, schedule; ///< names, for people
    ir::Module reference;         ///< the unscheduled program
    /// The scheduled program for a target with so many threads, which may be another one for each number.
    std::function<support::Result<ir::Module>(const target::Target &)> program;
    target::Target target;      ///< of a processor; its threads do not count
    std::vector<int> threads{}; ///< each at least 1; empty: scalingThreads
    int repetitions = 5;
    double secondsPerRepetition = 0.1;
    double secondsPerVariant = 2;
};

/// With a number of threads.
struct ScalingRow {
    int threads = 1;
    std::optional<measure::Measurement> measured{};
    std::optional<support::Diagnostic> why{}; ///< why there is no time
    double roof = 0;      ///< operations or bytes per second that the machine reaches; 0: not known
    double imbalance = 1; ///< work of the busiest thread over the mean
    double serial = 0;    ///< share of the work that one thread does alone, 0 … 1
    std::string limit{};  ///< what keeps it from the ideal, for people; empty where nothing does
};

struct ScalingTable {
    std::string kernel, schedule;
    target::Target target;
    bool isOfBytes = false; ///< rates are bytes per second: the kernel has no floating-point operations
    std::vector<ScalingRow> rows;

    /// Operations or bytes per second; 0: not measured.
    double rate(const ScalingRow &row) const;
    /// Times as fast as the first row; nothing where one of the two was not measured.
    std::optional<double> speedup(const ScalingRow &row) const;
    /// The rate of the first row, times the threads that this one has for each of its; 0: not measured.
    double ideal(const ScalingRow &row) const;
};

/// 1, 2, 4, … and all threads that can run at the same time.
std::vector<int> scalingThreads(int all);

/// The table after each row, and how much is done, 0 … 1.
using ScalingSink = std::function<void(const ScalingTable &, double)>;

/// Measures each number of threads by itself, and the machine's peaks for it. Errors: "scaling.target" (a
/// device's threads are not chosen), "cancelled"; those of a number of threads stand in its row.
support::Result<ScalingTable> measureScaling(const ScalingRequest &request, measure::Measurer &measurer,
                                             const ScalingSink &told, std::stop_token stop = {});

std::string printedTable(const ScalingTable &table);
std::string csvOf(const ScalingTable &table);
support::Json toJson(const ScalingTable &table);
/// "GFLOPS" or "GB/s".
std::string_view rateUnit(const ScalingTable &table);

} // namespace nestwright::session
