// SPDX-License-Identifier: Apache-2.0
/// Reads the inputs of commands that run the programs between the steps of a schedule.
#pragma once

#include "app/cli/input.h"
#include "core/measure/measurer.h"
#include "core/support/phase.h"

namespace nestwright::cli {

struct PathOptions : CommonOptions {
    std::vector<std::string> sizes, inputs;
    std::uint64_t seed = 1;
    std::optional<double> tolerance;

    void addModuleAndSchedule(CLI::App &app);
    /// How programs run: --seed, --tolerance, --size, --in, --extern.
    void addRun(CLI::App &app);

    /// A job for the programs; its variants are not filled in.
    support::Result<measure::MeasureJob> job() const;
};

/// Shows phases on a terminal while it lives.
class ShownPhases {
public:
    ShownPhases();
    ~ShownPhases();
    ShownPhases(const ShownPhases &) = delete;
    ShownPhases &operator=(const ShownPhases &) = delete;

private:
    bool m_isShown;
    support::PhaseScope m_scope;
};

} // namespace nestwright::cli
