// SPDX-License-Identifier: Apache-2.0
/// Code of a program that a person wrote in place of what a backend generated: C, LLVM IR or assembly.
#pragma once

#include "core/backend/backend.h"

namespace nestwright::backend {

struct EditedCode {
    SourceKind kind = SourceKind::C;
    std::string text;
    std::string name;     ///< of the file it lies in, for messages: "matmul.c"
    bool isPeers = false; ///< of others, to be read beside ours: it takes the place of nothing

    bool operator==(const EditedCode &) const = default;
};

/// Whether a person may write such a text: those that this program makes machine code of here.
bool isEditable(SourceKind kind);
/// The kind that a file's extension says (".c", ".ll", ".s"); nothing for others.
std::optional<SourceKind> editableKindOf(std::string_view fileName);

/// Same as `source`, but complete: with attributes, metadata and directives that only a compiler needs. The
/// text says nothing of statements. Errors: "edited.kind", those of `source`.
support::Result<Source> editableSource(const ir::Module &scheduled, const target::Target &target,
                                       SourceKind kind, std::stop_token stop = {});

/// A text with all that is known of it without reading it as code; ready for a process that compiles it.
struct TextUnit {
    EditedCode code;
    target::Target target; ///< of the text's kind, for this machine
    bool allowsFastMath = false;
    std::vector<Entry> entries; ///< the functions that it must have
};

/// The text that takes the place of the code of `scheduled`; nothing of it is compiled. Errors, with line and
/// column: "edited.kind"; "edited.conflict" (one is left in the text); "edited.include" (C: a header that the
/// generated text does not have, or a directive that reads files); those of `source`.
support::Result<TextUnit> textUnit(const ir::Module &scheduled, const target::Target &target, EditedCode code,
                                   std::stop_token stop = {});

/// Compiles a text of any origin: only in a process that may crash and is confined to what a compiler needs
/// (measure::compileEdited). Errors: "edited.compile" (with the place, and the compiler's words; of a peer's
/// text "code.compile"),
/// "backend.no-compiler", "cancelled".
support::Result<Artifact> compileText(const TextUnit &unit, const std::stop_token &stop = {});

/// "edited.compile" at the first error that a compiler printed with its place in `file`; the number of
/// further ones stands behind it.
support::Diagnostic compilerError(std::string_view output, const std::string &file, const EditedCode &code);

} // namespace nestwright::backend
