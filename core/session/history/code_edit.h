// SPDX-License-Identifier: Apache-2.0
/// Generated code that a person edited: a variant whose program is that of its parent, and whose code is
/// text.
#pragma once

#include "core/backend/edited_code.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/schedule/state.h"

#include <stop_token>
#include <string>

namespace nestwright::session {

struct CodeEdit {
    backend::SourceKind kind = backend::SourceKind::C;
    std::string base; ///< as it was generated when the text was edited, or carried along last
    std::string text;
    bool isForeign = false; ///< a file has it, and nobody has agreed to run it yet

    /// Whether the same text is compiled.
    bool isSame(const CodeEdit &other) const { return kind == other.kind && text == other.text; }
    /// Places at which the edit and a new schedule contradict each other.
    int conflicts() const;
};

/// "edited C"
std::string badgeOf(const CodeEdit &edit);
/// "+3 -1 lines", "2 conflicts"
std::string summaryOf(const CodeEdit &edit);

/// The code of a program as it is generated, ready to be edited. Errors: those of backend::editableSource.
support::Result<CodeEdit> beginEdit(const schedule::State &state, const target::Target &target,
                                    backend::SourceKind kind, const std::stop_token &stop = {});

/// The edit on the code of another schedule's program, by three-way comparison with the code that it was made
/// on; what does not go together stands in the text with both sides. Errors: as above.
support::Result<CodeEdit> carried(const CodeEdit &edit, const schedule::State &onto,
                                  const target::Target &target, const std::stop_token &stop = {});

/// The text to be compiled. Errors: "edited.foreign"; "edited.conflict".
support::Result<backend::EditedCode> runnable(const CodeEdit &edit);

/// Question before the edits of a file are run here.
std::string foreignEditsText(int count, const measure::Sandbox &sandbox);

/// "on this system nothing keeps it from files": what the sandbox lacks to hold a stranger's code, or what it
/// consists of where it lacks nothing.
std::string sandboxText(const measure::Sandbox &sandbox);

} // namespace nestwright::session
