// SPDX-License-Identifier: Apache-2.0
/// Reads the inputs of commands: modules, schedules, targets.
#pragma once

#include "core/backend/link/externs.h"
#include "core/explore/step_path.h"
#include "core/schedule/script/reader.h"
#include "core/script/dialect.h"
#include "core/script/print/printer.h"
#include "core/session/session.h"
#include "core/target/target.h"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace nestwright::cli {

/// A module ready for scheduling, from a file or an operator. Of a file with schedules of its own the last is
/// applied, or that which `FILE#NAME` names ("unscheduled" for none); of a session its current variant is
/// taken, or that which is named (session_input.h). Skipped lines are noted on standard error when `notes`.
support::Result<schedule::State> loadState(const std::string &module, bool notes = false);

/// The module that `schedule` runs on: that of loadState, but of a session that names no variant the
/// unscheduled program where a schedule is given.
support::Result<schedule::State> loadStart(const std::string &module, const std::string &schedule,
                                           bool notes = false);

/// The module that schedules are compared with: the same without schedules of the file's own.
support::Result<schedule::State> loadUnscheduled(const std::string &module);

struct NamedState {
    std::string name;
    schedule::State state;
};
/// The unscheduled module, then the results of each schedule of its own file, or the variants of a session
/// that have names and its current one; of `FILE#NAME` that one alone.
support::Result<std::vector<NamedState>> loadVariants(const std::string &module);

/// The state of `loadStart` after the schedule, where one is given.
support::Result<schedule::State> loadScheduled(const std::string &module, const std::string &schedule);

/// Runs a schedule: the file of a script, of a trace where its name ends in ".json", or a recipe, as
/// "recipe:gemm:rows=6".
support::Result<schedule::ScriptRun> runSchedule(const schedule::State &state, const std::string &schedule);

/// The steps of a schedule as above, on `root`; none where its name is empty. Errors: those of runSchedule.
support::Result<explore::StepPath> pathOf(const schedule::State &root, const std::string &schedule);

/// The steps of the module's own schedule, or to a session's variant, as loadStart takes them, and those of
/// `schedule` behind them, from the unscheduled program.
support::Result<explore::StepPath> loadPath(const std::string &module, const std::string &schedule);

/// Makes a branch of the schedule below the root of the session and its end current; gives that end.
support::Result<session::VariantId> addBranch(session::Session &session, const std::string &schedule);

/// The name of a variant with this schedule: of the file, or the recipe.
std::string nameOfSchedule(const std::string &schedule);

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
