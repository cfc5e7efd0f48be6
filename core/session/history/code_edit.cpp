// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/code_edit.h"

#include "core/session/codes.h"
#include "core/support/text/line_difference.h"
#include "core/support/text/three_way_merge.h"

#include <format>
#include <ranges>

namespace nestwright::session {

using support::diagnostic;
using support::fail;
using support::Result;

int CodeEdit::conflicts() const { return support::conflictsIn(text); }

std::string badgeOf(const CodeEdit &edit)
{
    switch (edit.kind) {
    case backend::SourceKind::UnoptimizedLlvmIr: return "edited LLVM IR";
    case backend::SourceKind::IntelAsm: return "edited assembly";
    default: return "edited " + std::string(backend::sourceFormat(edit.kind).title);
    }
}

std::string summaryOf(const CodeEdit &edit)
{
    if (const int conflicts = edit.conflicts())
        return std::format("{} {}", conflicts, conflicts == 1 ? "conflict" : "conflicts");
    const std::string difference = support::lineDifference(edit.base, edit.text);
    int added = 0, removed = 0;
    for (const auto line : std::views::split(difference, '\n')) {
        added += !line.empty() && *line.begin() == '+';
        removed += !line.empty() && *line.begin() == '-';
    }
    return std::format("+{} \u2212{} lines", added, removed);
}

Result<CodeEdit> beginEdit(const schedule::State &state, const target::Target &target,
                           backend::SourceKind kind, const std::stop_token &stop)
{
    auto source = backend::editableSource(state.module, target, kind, stop);
    if (!source)
        return fail(source.error());
    return CodeEdit{.kind = kind, .base = source->text, .text = source->text};
}

Result<CodeEdit> carried(const CodeEdit &edit, const schedule::State &onto, const target::Target &target,
                         const std::stop_token &stop)
{
    auto generated = backend::editableSource(onto.module, target, edit.kind, stop);
    if (!generated)
        return fail(generated.error());
    support::MergedText merged =
        support::mergeTexts(edit.base, edit.text, generated->text, {"the edit", "the new schedule"});
    return CodeEdit{.kind = edit.kind,
                    .base = std::move(generated->text),
                    .text = std::move(merged.text),
                    .isForeign = edit.isForeign};
}

Result<backend::EditedCode> runnable(const CodeEdit &edit)
{
    if (edit.isForeign)
        return fail(
            diagnostic(codes::foreignEdit, "the code was edited by hand and comes from a file")
                .withHint("agree to run it, in the window or by --run-edited, if you trust the file"));
    backend::EditedCode code{edit.kind, edit.text, badgeOf(edit)};
    if (const auto line = support::conflictAt(edit.text))
        return fail(
            diagnostic("edited.conflict",
                       std::format("{} of the edit with the new schedule {} not settled",
                                   edit.conflicts() == 1 ? std::string("a conflict")
                                                         : std::format("{} conflicts", edit.conflicts()),
                                   edit.conflicts() == 1 ? "is" : "are"))
                .at(code.name, *line, 1)
                .withHint("edit the code: keep one side of each, and delete the lines of marks"));
    return code;
}

std::string sandboxText(const measure::Sandbox &sandbox)
{
    if (!sandbox.systemCalls)
        return "on this system nothing keeps it from other processes: seccomp is missing";
    if (!sandbox.files)
        return "on this system nothing keeps it from reading files as it is loaded: Landlock is missing";
    std::string parts;
    for (const measure::SandboxPart &part : measure::partsOf(sandbox)) {
        if (part.isApplied)
            parts += (parts.empty() ? "" : ", ") + part.description;
    }
    return "it runs in a sandbox: " + parts;
}

std::string foreignEditsText(int count, const measure::Sandbox &sandbox)
{
    return std::format("This session holds hand-edited code of {} {}, which Nestwright did not make; {}.",
                       count, count == 1 ? "variant" : "variants", sandboxText(sandbox));
}

} // namespace nestwright::session
