// SPDX-License-Identifier: Apache-2.0
/// A model as files for other programs: a shared library, or C sources.
#pragma once

#include "core/backend/link/export.h"
#include "core/graph/program/compile.h"

namespace nestwright::graph {

/// The files of one export, named from `stem` (which begins the names of its functions too); the first is the
/// one asked for.
///   shared   STEM.so with the weights inside, and STEM.h; its creation asks whether the processor has what
///   the target's code needs
///   c        STEM.c with STEM_kernels.c, STEM.h and STEM.weights: C11 that stands alone, with OpenMP in
///   parallel
/// The functions take and give DLPack tensors; a model's memory is taken when it is created, all at once.
/// Errors: "export.format", those of WeightFiles::check, scheduleKernels, backend::exportKernel and
/// linkShared.
support::Result<std::vector<backend::ExportFile>>
exportModel(Program program, const target::Target &target, std::string_view format, const std::string &stem,
            const Schedules &schedules = {}, std::stop_token stop = {});

/// `name` as the beginning of C names: characters that no identifier may hold become underscores.
std::string symbolStem(std::string_view name);

} // namespace nestwright::graph
