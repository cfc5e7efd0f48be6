// SPDX-License-Identifier: Apache-2.0
/// Schedules that are named once and made on several programs.
#pragma once

#include "core/session/reuse/transfer.h"

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace nestwright::cli {

/// --repetitions, --seconds and --budget of commands that time many programs.
struct EffortOptions {
    int repetitions = 5;
    double seconds = 0.1, budget = 2;

    void addTo(CLI::App &app);
    /// `request`: session::TransferRequest or session::LikeKernelsRequest.
    void applyTo(auto &request) const
    {
        request.repetitions = repetitions;
        request.secondsPerRepetition = seconds;
        request.secondsPerVariant = budget;
    }
};

/// The steps of a schedule that is named as runSchedule takes it. Errors: those of reading its file; that a
/// step is not legal shows on each program.
support::Result<session::TransferSchedule> namedSchedule(const std::string &schedule);

} // namespace nestwright::cli
