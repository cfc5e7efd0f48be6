// SPDX-License-Identifier: Apache-2.0
/// Compiling of the programs that are measured: many at once, each once.
#pragma once

#include "core/backend/edited_code.h"
#include "core/backend/link/externs.h"
#include "core/ir/node/function.h"
#include "core/measure/build/content_store.h"
#include "core/measure/worker/worker_protocol.h"
#include "core/target/target.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::measure {

/// A program to compile, for one of its functions.
struct BuildTask {
    ir::Module module;
    std::string function;
    target::Target target;
    backend::ExternLibraries externs{};          ///< whose functions it may call
    std::optional<backend::EditedCode> edited{}; ///< compiled in its place
    bool isEmulated = false;                     ///< CUDA's text for this processor
};

/// Keeps what it has compiled as long as it lives. For several threads at once.
class KernelBuilder {
public:
    /// Errors: those of requireSound, backend::compile, backend::compileEmulated and compileEdited, and those
    /// of the store.
    support::Result<KernelFile> build(const BuildTask &task, const std::stop_token &stop = {});

    /// Each on its own: as many at once as this machine has threads. A task that fails has its error.
    std::vector<support::Result<KernelFile>> build(std::span<const BuildTask> tasks,
                                                   const std::stop_token &stop = {});

    ContentStore &store() { return m_store; }

private:
    struct Built {
        BuildTask task;
        KernelFile kernel;
    };
    /// `hash`: of the task's program.
    support::Result<KernelFile> build(const BuildTask &task, std::uint64_t hash, const std::stop_token &stop);
    std::optional<KernelFile> known(std::uint64_t hash, const BuildTask &task);

    ContentStore m_store;
    std::mutex m_mutex;                          ///< of m_built
    std::multimap<std::uint64_t, Built> m_built; ///< by the hash of the program
};

} // namespace nestwright::measure
