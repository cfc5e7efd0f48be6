// SPDX-License-Identifier: Apache-2.0
/// From a scheduled module to source text or machine code, whichever the target.
#pragma once

#include "core/backend/device/kernel_resources.h"
#include "core/backend/link/artifact.h"
#include "core/ir/node/function.h"
#include "core/script/print/printer.h"
#include "core/target/target.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

enum class SourceKind : std::uint8_t {
    Lowered,           ///< the module that every backend starts from
    UnoptimizedLlvmIr, ///< as we emit it, before LLVM's own passes
    LlvmIr,            ///< after them
    Asm,               ///< of x86 processors in AT&T syntax
    IntelAsm,          ///< the same in Intel's; other processors have one syntax
    C,
    OpenCl,
    Cuda,
    Ptx, ///< of a virtual NVIDIA GPU
    Sass ///< machine code of a real one
};

/// Text of a target with the lines that each loop and block became; a statement may have several spans.
struct Source {
    std::string text;
    std::vector<script::LineSpan> spans;
    SourceKind kind = SourceKind::C;
    std::vector<script::VarUse> varUses{}; ///< of a lowered module
};

/// Name and target of a source: "lowered", "llvm", "asm", "c", …
struct SourceFormat {
    SourceKind kind;
    std::string_view name;                    ///< as `nestc source --target` and exports name it
    std::string_view title;                   ///< for people: "LLVM IR", "assembly", "C"
    std::string_view extension;               ///< of a file, without the dot
    std::optional<target::TargetKind> target; ///< the kind it is the source of; nothing: of every target
    bool isAssembly = false;                  ///< made for one processor; others are compiled elsewhere
};
std::span<const SourceFormat> sourceFormats();
/// Null when there is none of that name.
const SourceFormat *findSourceFormat(std::string_view name);
const SourceFormat &sourceFormat(SourceKind kind);
/// The text of a kind of target to read first: its assembly, or else its language.
const SourceFormat &usualFormat(target::TargetKind kind);

/// Whether this program can make code for the kind of target at all (it was built with that backend).
bool isBuilt(target::TargetKind kind);
/// Whether it can make the source.
bool isBuilt(const SourceFormat &format);
/// The form of artifacts of the kind.
Format artifactFormat(target::TargetKind kind);
/// Whether kernelResources may know anything of a kind's kernels.
bool tellsResources(target::TargetKind kind);
/// A device that runs the kernels of a target here.
struct DeviceFacts {
    std::string name, driver; ///< "cpu-haswell-…", "OpenCL 3.0 PoCL HSTR: …"
    std::string architecture; ///< "sm_90"; empty where targets do not name it
    bool isGpu = false;
    int computeUnits = 0;
    std::int64_t memoryBytes = 0, sharedBytes = 0; ///< sharedBytes: of a block
    std::int64_t mostThreads = 0;                  ///< in a block
    std::int64_t cacheBytes = 0;                   ///< of the last cache before memory; 0: not known
};
/// The devices for a kind of target, the one that is used first; none where code runs on this processor
/// itself. Asked for once, in a process of its own.
std::vector<DeviceFacts> devices(target::TargetKind kind);

/// Whether kernels of a GPU's target can be run here, on the first of its devices. Errors: "device.none";
/// "device.architecture" (the target's code is for another GPU).
support::Result<void> checkDevice(const target::Target &target);

/// `target` where it has such a source; else the kind of target that has, with its defaults.
target::Target targetOf(const SourceFormat &format, const target::Target &target);

/// Whether code can be made for the target, without making any. Errors: "backend.not-built";
/// "target.option" (there is no such processor, feature or system).
support::Result<void> checkTarget(const target::Target &target);

/// Lowers `scheduled` (blocks or flat form) and gives its text. A text that is only looked at may call
/// anything; for one that is compiled next, `callable` says whose functions besides those of the list.
/// Errors: those of lower::lower; "backend.not-built"; "backend.unsupported" (names the construct); those of
/// checkExternNames, or checkExterns; "cancelled".
support::Result<Source> source(const ir::Module &scheduled, const target::Target &target, SourceKind kind,
                               std::stop_token stop = {}, const ExternLibraries *callable = nullptr);

/// `scheduled` lowered for `target`, the input of its backend, to be read, not run. Errors: those of
/// lower::lower and checkExternNames; "backend.symbolic-size"; "cancelled".
support::Result<Unit> unitOf(const ir::Module &scheduled, const target::Target &target,
                             const std::stop_token &stop = {});

/// Resources of the kernels of a GPU's `target`, as its compiler says. Errors: as `source`;
/// "backend.unsupported" (the target has no kernels, or a compiler that does not say), "cuda.no-compiler".
support::Result<std::vector<KernelResources>>
kernelResources(const ir::Module &scheduled, const target::Target &target, std::stop_token stop = {});

/// The functions of an artifact of `module` with their parameters. Error: that of signatureOf.
support::Result<std::vector<Entry>> entriesOf(const ir::Module &module);

/// Lowers `scheduled` and compiles it to machine code. Errors as `source`; "backend.no-compiler" (C: no
/// `cc`), "backend.compiler" (its messages), those of checkExterns.
support::Result<Artifact> compile(const ir::Module &scheduled, const target::Target &target,
                                  std::stop_token stop = {}, const ExternLibraries &libraries = {});

/// Compiles the kernels of a GPU's `target` as CUDA C++ for this processor (Format::EmulatedDevice), to check
/// them where no device is. Errors as `compile`.
support::Result<Artifact> compileEmulated(const ir::Module &scheduled, const target::Target &target,
                                          std::stop_token stop = {});

} // namespace nestwright::backend
