// SPDX-License-Identifier: Apache-2.0
/// Inputs of commands: the options that name modules, schedules and targets, and who opens them.
#pragma once

#include "core/backend/link/externs.h"
#include "core/script/dialect.h"
#include "core/script/print/printer.h"
#include "core/target/target.h"
#include "core/workbench/opening/opener.h"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace nestwright::cli {

/// Opens what commands name: prints remarks on standard error, and ends the process where reading takes too
/// long.
workbench::Opener &opener();

/// --schedule, which takes several files (`takesSeveral`) or stands several times, and --recipe, which adds
/// to the same list.
void addSchedules(CLI::App &app, std::vector<std::string> &schedules, const std::string &description,
                  bool takesSeveral);

/// MODULE, --schedule and --target, which most commands share.
struct CommonOptions {
    std::string module;
    std::string schedule;
    std::string target = "llvm";
    std::string dialect = "0.23";
    int columns = script::readableColumns;
    bool splitsGrids = false;
    backend::ExternLibraries externs; ///< external libraries that the module may call

    void addModule(CLI::App &app);
    void addSchedule(CLI::App &app);
    void addTarget(CLI::App &app);
    /// --dialect: the version of TVM in whose form things are written.
    void addDialect(CLI::App &app);
    script::Dialect chosenDialect() const { return script::findDialect(dialect).value(); }
    /// --dialect, and the lines that programs are written in: --columns, --split-grids.
    void addStyle(CLI::App &app);
    script::PrintStyle chosenStyle() const { return {chosenDialect(), columns, splitsGrids}; }
    void addExternLibraries(CLI::App &app);
};

/// A scheduled module and its target.
struct ScheduledFor {
    schedule::State state;
    target::Target target;
};
/// Loads the module and schedule for the target that the options name; the target is checked first since that
/// is quick.
support::Result<ScheduledFor> load(const CommonOptions &options);

} // namespace nestwright::cli
