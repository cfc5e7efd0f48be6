// SPDX-License-Identifier: Apache-2.0
/// The programs that are measured where a module is named: `nestc measure`.
#pragma once

#include "core/workbench/measuring/choice.h"
#include "core/workbench/opening/opener.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::workbench {

struct MeasureQuestion {
    std::string module;                     ///< as Opener takes it
    std::vector<std::string> schedules{};   ///< one program each, in place of those of the module's own
    std::optional<target::Target> target{}; ///< else that of the session, or the processor
    bool runsForeignEdits = false;          ///< edited code that a session's file has, too
};

/// A program with the name that it has in tables.
struct NamedProgram {
    std::string name;
    ir::Module module;
    std::optional<backend::EditedCode> edited{}; ///< compiled in place of the program's own code
};

struct MeasuredPrograms {
    ir::Module reference; ///< the unscheduled program
    target::Target target;
    measure::GivenInputs inputs; ///< that the session has
    std::vector<NamedProgram> programs;
    std::size_t last = 0; ///< place of the program that edited code in a file of its own belongs to
    int foreignEdits = 0; ///< of the session's file, whether they are among the programs or not

    std::vector<std::string> names() const;
    /// Inputs and effort are not filled in.
    measure::MeasureJob job() const;
};

/// Without schedules: of a module its unscheduled program and each schedule of its own file; of a session all
/// that a window on it measures (`unmeasured`), edited code too; of `K.nest#NAME` and `FILE.py#NAME` that one
/// beside the unscheduled program. Edited code that cannot be run is left out with a note. Errors: those of
/// the opener.
support::Result<MeasuredPrograms> measuredPrograms(Opener &opener, const MeasureQuestion &question);

} // namespace nestwright::workbench
