// SPDX-License-Identifier: Apache-2.0
/// Opens modules, schedules and sessions by the names that people give them (module_names.h).
#pragma once

#include "core/explore/step_path.h"
#include "core/schedule/script/reader.h"
#include "core/session/reuse/transfer.h"
#include "core/session/session.h"
#include "core/workbench/opening/note.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::workbench {

/// A program with the name that people know it by.
struct NamedState {
    std::string name;
    schedule::State state;
};

/// A schedule with the lines of its steps, which are 0 where there is no script.
struct WrittenPath {
    explore::StepPath path;
    std::vector<int> lines;
};

/// Whoever opens: told of remarks, and asked to watch over what is read. Either may be empty.
struct OpeningHooks {
    std::function<void(const Note &)> note{};
    /// Called before an input is read, by its name; what it gives lives until the input has been read.
    std::function<std::shared_ptr<void>(const std::string &input)> watch{};
};

/// Opens whatever is named. It prints nothing: remarks go to the hooks, errors are returned. For one thread.
class Opener {
public:
    explicit Opener(OpeningHooks hooks = {}) : m_hooks(std::move(hooks)) {}

    /// Sets the target whose machine's numbers recipes have, unless they are given, and whose kernels models
    /// are made of.
    void setTarget(const target::Target &target) { m_target = target; }

    /// A module ready for scheduling, from a file or an operator. Of a file with schedules of its own the
    /// last is applied, or that which `FILE#NAME` names ("unscheduled" for none); of a session its current
    /// variant is taken, or that which is named. `withNotes`: remarks on the file itself (lines that were
    /// skipped, differences that it prints) are told, too. Errors: those of frontend::openKernel and of the
    /// steps; "open.no-variant", "open.model", "open.not-a-kernel".
    support::Result<schedule::State> loadState(const std::string &module, bool withNotes = false);

    /// The module that `schedule` runs on: that of loadState, but of a session that names no variant the
    /// unscheduled program where a schedule is given.
    support::Result<schedule::State> loadStart(const std::string &module, const std::string &schedule,
                                               bool withNotes = false);

    /// The module that schedules are compared with: the same without schedules of the file's own.
    support::Result<schedule::State> loadUnscheduled(const std::string &module);

    /// The unscheduled module, then the results of each schedule of its own file, or the variants of a
    /// session that have names and its current one; of `FILE#NAME` that one alone. A schedule that fails and
    /// is not the last is a note.
    support::Result<std::vector<NamedState>> loadVariants(const std::string &module);

    /// The state of `loadStart` after the schedule, where one is given.
    support::Result<schedule::State> loadScheduled(const std::string &module, const std::string &schedule);

    /// Runs a schedule: the file of a script, of a trace where its name ends in ".json", or a recipe, as
    /// "recipe:gemm:rows=6".
    support::Result<schedule::ScriptRun> runSchedule(const schedule::State &state,
                                                     const std::string &schedule);

    /// The steps of a schedule as above, on `root`; none where its name is empty. Errors: those of
    /// runSchedule.
    support::Result<explore::StepPath> pathOf(const schedule::State &root, const std::string &schedule);

    /// The steps of the module's own schedule, or to a session's variant, as loadStart takes them, and those
    /// of `schedule` behind them, from the unscheduled program.
    support::Result<explore::StepPath> loadPath(const std::string &module, const std::string &schedule);

    /// The steps of `schedule` with their lines, or those of a session's current variant where none is given.
    /// Errors: "usage.schedule" (there are no steps), those of reading and applying it.
    support::Result<WrittenPath> loadWritten(const std::string &module, const std::string &schedule);

    /// The steps of a schedule that is made on several programs. Errors: those of reading its file; that a
    /// step is not legal shows on each program.
    support::Result<session::TransferSchedule> loadSteps(const std::string &schedule);

    /// Session of a file; of a model that of the named kernel or, with a note, of the one that is open there.
    /// Its current variant is the one that is named. Errors: those of session::loadProject and
    /// session::loadKernelSession; "open.no-variant".
    support::Result<session::Session> openSession(const std::string &module);

    /// The same of any module: of one that is no session, a new one.
    support::Result<session::Session> openProgram(const std::string &module);

    /// Makes a branch of the schedule below the root of the session and its end current; gives that end.
    support::Result<session::VariantId> addBranch(session::Session &session, const std::string &schedule);

    /// Hands a remark to whoever opens.
    void tell(support::Diagnostic remark, std::string difference = {}) const;

private:
    support::Result<frontend::OpenedKernel> openModule(const std::string &module);
    support::Result<schedule::State> loadSession(const std::string &module);
    support::Result<schedule::State> loadRoot(const std::string &session);
    support::Result<std::vector<NamedState>> sessionVariants(const std::string &module);
    support::Result<explore::StepPath> ownPath(const std::string &module, bool isForSchedule);
    void tellComparisons(const frontend::OpenedKernel &kernel, const schedule::State &initial,
                         const std::string &module) const;
    std::shared_ptr<void> watch(const std::string &input) const;

    OpeningHooks m_hooks;
    target::Target m_target;
    bool m_hasToldOpenKernel = false; ///< a note is told once, however often a session is opened
};

} // namespace nestwright::workbench
