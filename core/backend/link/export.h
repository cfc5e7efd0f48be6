// SPDX-License-Identifier: Apache-2.0
/// Kernels as files for other programs to link.
#pragma once

#include "core/backend/link/compiled_files.h"
#include "core/backend/link/exported_code.h"
#include "core/backend/processor_needs.h"

#include <filesystem>

namespace nestwright::backend {

/// Formats of `nestc export --format`: "object", "shared", and the names of sourceFormats().
std::vector<std::string_view> exportFormats();

/// The target that `format` is made for: `target` where the format is of its kind, else the format's kind for
/// the processor that `target` names. Errors: "target.option" (a processor for a format of GPUs, an
/// architecture of GPUs for others), those of checkTarget.
support::Result<target::Target> exportTarget(std::string_view format, const target::Target &target);

/// The files of one export, named from `stem`; the first is the one asked for, then a C header and, beside an
/// object, the runtime's source where it is needed. Machine code asks whether the processor has what it needs
/// (processor_needs.h), which the header says. Errors:
/// "export.format" (lists the formats), "export.other-machine" (shared: nothing here links for it),
/// "backend.no-compiler" (shared needs a C compiler to link), those of exportTarget, `source` and `compile`:
/// exported code will be run, so it may call functions of `libraries` only, besides those of the list.
support::Result<std::vector<ExportFile>> exportKernel(const ir::Module &scheduled,
                                                      const target::Target &target, std::string_view format,
                                                      const std::string &stem, std::stop_token stop = {},
                                                      const ExternLibraries &libraries = {},
                                                      Asks asks = Asks::Functions);

/// Paths of the files of one export: the first is `path`, whatever its name; the others lie beside it.
std::vector<std::filesystem::path> placesOf(const std::vector<ExportFile> &files,
                                            const std::filesystem::path &path);

/// Links objects and C sources to a shared library with the system's C compiler; gives its bytes. `inputs`
/// may name each other (an assembler file that takes in data). Errors: "backend.no-compiler",
/// "backend.compiler", "cancelled".
support::Result<std::string> linkShared(const std::vector<ExportFile> &inputs, const std::stop_token &stop);

/// Whether the C compiler here links machine code for the target. Error: "export.other-machine".
support::Result<void> checkLinks(const target::Target &target);

} // namespace nestwright::backend
