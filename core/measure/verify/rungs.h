// SPDX-License-Identifier: Apache-2.0
/// The ladder of trust: the ways in which a scheduled program is checked, each nearer to the target's device.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/target/target.h"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::measure {

class Measurer;
struct MeasureJob;

enum class Rung : std::uint8_t {
    Interpreter, ///< with races and memory that nobody wrote; for a GPU what its threads run, with barriers
    Compiled,    ///< the target's own code on this processor
    Llvm,        ///< LLVM's code on this processor
    C,           ///< the C compiler's code on this processor
    OpenCl,      ///< on the first OpenCL device
    CudaText,    ///< compiled as C++, threads and barriers on this processor
    Nvrtc,       ///< compiled to machine code of GPUs, not run
    Device,      ///< on the first of NVIDIA's GPUs here
};

struct RungFacts {
    Rung rung;
    std::string_view name;    ///< as `nestc verify --how` takes it: "cuda-text"
    std::string_view title;   ///< "CUDA text"
    std::string_view summary; ///< how it is checked
    /// Target kind of the code that it runs, whatever the target; nothing: the target's own kind, or none.
    std::optional<target::TargetKind> kind{};
};
const RungFacts &factsOf(Rung rung);
/// Rungs that `target` has, the quickest first: the interpreter, which finds most and takes longest, is last.
std::vector<Rung> rungsOf(const target::Target &target);
/// The rung taken by default: the target's own, where it can run here.
Rung usualRung(const target::Target &target);

/// Result of checking on one rung.
struct RungResult {
    enum class Outcome : std::uint8_t {
        Holds,
        Fails,
        NotHere, ///< a tool or device that it needs is missing, or it would take hours
    };
    Rung rung = Rung::Interpreter;
    Outcome outcome = Outcome::NotHere;
    std::optional<support::Diagnostic> reason; ///< set exactly when it does not hold
    std::string found;                         ///< what was seen where it holds; may be empty
    double seconds = 0;                        ///< that it took
};

/// The same schedule on a kernel of smaller sizes.
struct SmallerProgram {
    ir::Module reference, scheduled;
    std::string sizes; ///< "1024 → 64"
};

/// Checks `job.variants.front()` against `job.reference` on each of `rungs`, and says of each as it is done.
/// The interpreter runs `smaller` in their place, where there is one.
/// Error: "cancelled", those of the job as a whole (Measurer::measure), but for those of programs that are
/// wrong whatever they give (requireSound).
support::Result<std::vector<RungResult>> climb(Measurer &measurer, const MeasureJob &job,
                                               std::span<const Rung> rungs,
                                               const std::function<void(const RungResult &)> &done = {},
                                               std::stop_token stop = {},
                                               const SmallerProgram *smaller = nullptr);

} // namespace nestwright::measure
