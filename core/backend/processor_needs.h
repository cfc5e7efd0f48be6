// SPDX-License-Identifier: Apache-2.0
/// Extensions that code for a named processor needs, and the question for them which exported code asks
/// before it runs.
#pragma once

#include "core/target/target.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

/// The registers of CPUID's answer.
enum class CpuidRegister : std::uint8_t { Eax, Ebx, Ecx, Edx };

/// An extension beyond what every x86-64 processor has, as CPUID tells of it.
struct Extension {
    std::string_view feature; ///< LLVM's name: "avx512f"
    std::string_view title;   ///< "AVX-512F"
    std::uint32_t leaf = 0, subleaf = 0;
    CpuidRegister answer = CpuidRegister::Ecx;
    int bit = 0;
    /// Bits of XCR0 for the registers that the system must save for it. 0: none beyond the usual ones.
    std::uint32_t state = 0;
};

/// Those that compilers use by themselves, the older ones first.
std::span<const Extension> extensions();

/// The processor of a target and what code for it may use beyond what every processor of its kind has.
struct ProcessorNeeds {
    std::string processor;                     ///< "haswell"; empty: any of its architecture
    std::vector<const Extension *> extensions; ///< of x86-64; none where the code asks for nothing
};

/// Nothing is needed by targets without a processor of their own (C without -mcpu) and by GPUs. Errors:
/// "target.option", as checkTarget.
support::Result<ProcessorNeeds> needsOf(const target::Target &target);

/// The system that code of a target is for.
struct CodeSystem {
    std::string name; ///< "aarch64-unknown-linux-gnu"
    bool isHere = true;
};

/// "haswell: SSE3, …, AVX2, FMA"; empty where nothing is needed.
std::string describe(const ProcessorNeeds &needs);

/// Code of C with a static function "const char *nw_lacking(void)": the title of the first extension that the
/// processor lacks, null where it has all. Alone it runs on every x86-64, with whatever options it is
/// compiled.
std::string lackingSource(const ProcessorNeeds &needs);

/// Options for the system's C compiler that make code for the target's processor; none where it names none.
std::vector<std::string> processorOptions(const target::Target &target);

} // namespace nestwright::backend
