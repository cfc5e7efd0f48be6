// SPDX-License-Identifier: Apache-2.0
/// Targets: the machine and the backend that code is made for.
#pragma once

#include "core/support/errors/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright::target {

enum class TargetKind : std::uint8_t { Llvm, C, OpenCl, Cuda };

/// Written "llvm", "llvm -mcpu=skylake-avx512 -mtriple=x86_64-linux-gnu", "c", "opencl", "cuda -arch=sm_90";
/// `-num-cores=N` limits the threads of parallel loops.
struct Target {
    TargetKind kind = TargetKind::Llvm;
    std::string mcpu;         ///< empty: the processor of this machine
    std::string mtriple;      ///< empty: this machine's
    std::string mattr;        ///< "+avx2,-fma"; empty: the processor's own
    std::string arch;         ///< of a GPU, "sm_90"
    int threads = 0;          ///< of parallel loops; 0: all cores
    bool reassociate = false; ///< `-fast-math=reassoc`: sums may be reordered

    bool isGpu() const;
    /// The text that parseTarget reads.
    std::string str() const;

    bool operator==(const Target &) const = default;
};

/// Errors: "target.unknown" (no such kind), "target.option" (an option the kind does not know, or a bad
/// value).
support::Result<Target> parseTarget(std::string_view text);

/// The architecture of NVIDIA's GPUs that `target` is for; where it names none, what all compilers since CUDA
/// 11 know and all GPUs since Ampere run.
std::string architectureOf(const Target &target);

} // namespace nestwright::target
