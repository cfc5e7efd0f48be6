// SPDX-License-Identifier: Apache-2.0
/// Kernels as files for other programs to link.
#pragma once

#include "core/backend/backend.h"

#include <filesystem>

namespace nestwright::backend {

struct ExportFile {
    std::string name; ///< without folder
    std::string bytes;
};

/// Formats of `nestc export --format`: "object", "shared", and the names of sourceFormats().
std::vector<std::string_view> exportFormats();

/// The files of one export, named from `stem`; the first is the one asked for, then a C header and, beside an
/// object, the runtime's source where it is needed. Errors: "export.format" (lists the formats),
/// "backend.no-compiler" (shared needs a C compiler to link), those of `source` and `compile`: exported code
/// will be run, so it may call functions of `libraries` only, besides those of the list.
support::Result<std::vector<ExportFile>> exportKernel(const ir::Module &scheduled,
                                                      const lower::Target &target, std::string_view format,
                                                      const std::string &stem, std::stop_token stop = {},
                                                      const ExternLibraries &libraries = {});

/// Where the files of one export lie: the first at `path`, whatever name that has; the others lie beside it.
std::vector<std::filesystem::path> placesOf(const std::vector<ExportFile> &files,
                                            const std::filesystem::path &path);

/// Links objects and C sources to a shared library with the system's C compiler; gives its bytes. `inputs`
/// may name each other (an assembler file that takes in data). Errors: "backend.no-compiler",
/// "backend.compiler", "cancelled".
support::Result<std::string> linkShared(const std::vector<ExportFile> &inputs, const std::stop_token &stop);

/// The C declarations of an artifact's functions.
std::string cHeader(const std::vector<Entry> &entries, const std::string &stem);

} // namespace nestwright::backend
