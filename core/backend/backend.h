// SPDX-License-Identifier: Apache-2.0
/// From a scheduled module to source text or machine code, whichever the target.
#pragma once

#include "core/backend/artifact.h"
#include "core/ir/function.h"
#include "core/lower/target.h"
#include "core/script/printer.h"

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

enum class SourceKind : std::uint8_t { LlvmIr, Asm, C, OpenCl, Cuda, Ptx };

/// Text of a target with the lines that each loop and block became; a statement may have several spans.
struct Source {
    std::string text;
    std::vector<script::LineSpan> spans;
    SourceKind kind = SourceKind::C;
};

/// What a source is called and made with: "llvm", "asm", "c", "opencl", "cuda", "ptx".
struct SourceFormat {
    SourceKind kind;
    std::string_view name;      ///< as `nestc source --target` and exports name it
    std::string_view title;     ///< for people: "LLVM IR", "assembly", "C"
    std::string_view extension; ///< of a file, without the dot
    lower::TargetKind target;   ///< the target it is the source of
};
std::span<const SourceFormat> sourceFormats();
/// Null when there is none of that name.
const SourceFormat *findSourceFormat(std::string_view name);
const SourceFormat &sourceFormat(SourceKind kind);

/// Whether this program can make code for the kind of target at all (it was built with that backend).
bool isBuilt(lower::TargetKind kind);

/// Lowers `scheduled` (blocks or flat form) and gives its text. A text that is only looked at may call what
/// it likes; for one that is compiled next, `callable` says whose functions besides those of the list.
/// Errors: those of lower::lower; "backend.not-built"; "backend.unsupported" (names the construct); those of
/// checkExternNames, or checkExterns; "cancelled".
support::Result<Source> source(const ir::Module &scheduled, const lower::Target &target, SourceKind kind,
                               std::stop_token stop = {}, const ExternLibraries *callable = nullptr);

/// What the functions of an artifact of `module` take. Error: that of signatureOf.
support::Result<std::vector<Entry>> entriesOf(const ir::Module &module);

/// Lowers `scheduled` and compiles it to machine code. Errors as `source`; "backend.no-compiler" (C: no `cc`),
/// "backend.compiler" (its messages), those of checkExterns.
support::Result<Artifact> compile(const ir::Module &scheduled, const lower::Target &target,
                                  std::stop_token stop = {}, const ExternLibraries &libraries = {});

} // namespace nestwright::backend
