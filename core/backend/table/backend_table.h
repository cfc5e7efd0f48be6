// SPDX-License-Identifier: Apache-2.0
/// The table of backends, a row for each that this program was built with.
///
/// A row is made in the folder of its backend; CMake lists the rows (`nw_backend` of core/CMakeLists.txt).
/// Members that a backend has nothing for are null.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/edited_code.h"
#include "core/backend/link/exported_code.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/backend/listing/loop_code.h"
#include "core/backend/listing/machine_code.h"
#include "core/backend/processor_needs.h"
#include "core/backend/vector_unit.h"
#include "core/support/text/json_fwd.h"

namespace nestwright::backend {

/// A form of artifact, and what brings it into this process's memory.
struct Loader {
    Format format = Format::Object;
    support::Result<std::unique_ptr<LoadedKernel>> (*load)(const Artifact &artifact) = nullptr;
};

/// Code that is linked elsewhere.
struct Exports {
    /// Assembly whose functions ask for the processor first (processor_needs.h).
    support::Result<Source> (*askingSource)(const Unit &unit, const target::Target &target, SourceKind kind,
                                            std::stop_token stop) = nullptr;
    /// A relocatable object, made of `fileName` where it goes through a file; null: `compile` gives it.
    support::Result<Artifact> (*object)(const Unit &unit, const target::Target &target, Asks asks,
                                        const std::string &fileName, std::stop_token stop) = nullptr;
};

/// Devices that are not this processor, and programs of others that are asked in a process of their own.
struct Devices {
    /// Describes them, one at least; this process then has their driver.
    support::Result<std::vector<DeviceFacts>> (*list)() = nullptr;
    support::Result<std::vector<KernelResources>> (*resources)(const Unit &unit, const target::Target &target,
                                                               std::stop_token stop) = nullptr;
    /// Answers a question of askDriver with "compiler": the name of the kind.
    support::Json (*answer)(const support::Json &question) = nullptr;
    /// Compiles kernels for this processor (Format::EmulatedDevice).
    support::Result<Artifact> (*emulated)(const Unit &unit, const target::Target &target,
                                          std::stop_token stop) = nullptr;
};

/// Texts that a person may write in place of those that were generated.
struct EditedTexts {
    std::span<const SourceKind> kinds; ///< of several with one extension the usual one first
    /// With all that a compiler needs; null: as the backend's `source`.
    support::Result<Source> (*source)(const Unit &unit, const target::Target &target, SourceKind kind,
                                      const std::stop_token &stop) = nullptr;
    /// Whether a text that is not compiled yet keeps to what `generated` does.
    support::Result<void> (*check)(const EditedCode &code, const Source &generated) = nullptr;
    support::Result<Artifact> (*compile)(const TextUnit &unit, const std::stop_token &stop) = nullptr;
};

/// Knowledge of processors by their names, for the targets of all kinds that take -mcpu.
struct ProcessorNames {
    support::Result<void> (*check)(const target::Target &target) = nullptr;           ///< "target.option"
    support::Result<ProcessorNeeds> (*needs)(const target::Target &target) = nullptr; ///< as needsOf
    support::Result<CodeSystem> (*system)(const target::Target &target) = nullptr;    ///< "target.option"
};

/// A reader of machine code, whoever made it; functions as those of machine_code.h.
struct CodeReader {
    support::Result<MachineCode> (*functions)(std::string_view file, const std::string &fileName,
                                              const std::string &name,
                                              const target::Target &target) = nullptr;
    support::Result<std::vector<std::string>> (*names)(std::string_view file, const std::string &fileName,
                                                       const target::Target &target,
                                                       std::size_t most) = nullptr;
    support::Result<Disassembly> (*disassemble)(const MachineCode &code, const target::Target &target,
                                                const std::stop_token &stop) = nullptr;
};

/// A source of another backend, made by this one where the compiler of that one is missing.
struct Substitute {
    SourceKind kind = SourceKind::Lowered;
    std::string_view missing; ///< the code of that backend's error
    support::Result<Source> (*source)(const Unit &unit, const target::Target &target,
                                      std::stop_token stop) = nullptr;
};

struct Backend {
    target::TargetKind kind = target::TargetKind::Llvm;
    support::Result<Source> (*source)(const Unit &unit, const target::Target &target, SourceKind kind,
                                      std::stop_token stop) = nullptr;
    support::Result<Artifact> (*compile)(const Unit &unit, const target::Target &target,
                                         std::stop_token stop) = nullptr;
    std::string (*version)() = nullptr; ///< as toolVersion
    /// Null: whatever can be written can be made code for.
    support::Result<void> (*check)(const target::Target &target) = nullptr;
    std::span<const Loader> loaders; ///< the first is of what `compile` gives
    support::Result<std::vector<LoopCode>> (*loops)(const Unit &unit, const target::Target &target,
                                                    std::stop_token stop) = nullptr;
    std::optional<VectorUnit> (*vectors)(const target::Target &target) = nullptr;
    Exports exports{};
    Devices devices{};
    EditedTexts edited{};
    ProcessorNames processors{};
    CodeReader reader{};
    Substitute substitute{};
};

/// The rows.
std::span<const Backend *const> backends();
/// Null where this program was built without it.
const Backend *backendOf(target::TargetKind kind);
/// Error: "backend.not-built".
support::Result<const Backend *> findBackend(target::TargetKind kind);

/// The first row for which `has` is true; null where there is none.
template <class Has> const Backend *firstBackend(const Has &has)
{
    for (const Backend *each : backends()) {
        if (has(*each))
            return each;
    }
    return nullptr;
}

} // namespace nestwright::backend
