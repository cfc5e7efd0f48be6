// SPDX-License-Identifier: Apache-2.0
/// The table of the kinds of target: names, options and words for menus.
#pragma once

#include "core/target/target.h"

#include <span>
#include <string_view>

namespace nestwright::target {

/// An option that holds text: "-mcpu=NAME".
struct TextOption {
    std::string_view name;
    std::string Target::*member;
};

struct Kind {
    TargetKind kind;
    std::string_view name;               ///< as users and files write it: "llvm"
    std::string_view title;              ///< for people: "LLVM"
    std::span<const TextOption> options; ///< beside -num-cores, which all have
    bool reassociates = false;           ///< knows -fast-math=reassoc
    bool isOfDevices = false;            ///< its kernels run on a device, not on the processor
    bool isForProcessorHere = false;     ///< without -mcpu; code of other kinds then is for any processor
    bool hasShuffles = false;            ///< threads of a warp give each other values by instructions
    bool isCompiledWhenLoaded = false;   ///< by the driver of the device

    /// Whether it has the option that sets `member`: &Target::arch.
    bool takes(std::string Target::*member) const;
    /// Whether a target names an architecture, whose limits are known (multiprocessor.h).
    bool hasArchitectures() const { return takes(&Target::arch); }
};

/// The usual one first.
std::span<const Kind> kinds();
const Kind &kindOf(TargetKind kind);
/// Null where there is none of that name.
const Kind *findKind(std::string_view name);
/// "llvm", "c", "opencl" or "cuda".
std::string_view kindName(TargetKind kind);
/// "llvm, c, opencl or cuda".
std::string kindNames();

} // namespace nestwright::target
