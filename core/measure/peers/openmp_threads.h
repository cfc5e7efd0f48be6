// SPDX-License-Identifier: Apache-2.0
/// The threads of OpenMP's library, made while this process may still place them: in the sandbox a thread
/// places itself only, and those that are made there stay where their maker runs.
#pragma once

#include <filesystem>

namespace nestwright::measure {

/// Loads the system's library that the shared object `file` asks for by name, if any, and has it make as many
/// threads as it is told to (OMP_NUM_THREADS). Nothing of `file` itself is loaded.
void startOpenMpThreads(const std::filesystem::path &file);

/// Like `startOpenMpThreads`, for a library that is loaded already.
void keepOpenMpThreads();

} // namespace nestwright::measure
