// SPDX-License-Identifier: Apache-2.0
/// How long programs are timed.
#pragma once

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

} // namespace nestwright::cli
