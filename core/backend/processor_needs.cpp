// SPDX-License-Identifier: Apache-2.0
#include "core/backend/processor_needs.h"

#include "core/backend/table/backend_table.h"
#include "core/target/kinds.h"

#include <array>
#include <format>
#include <sstream>

namespace nestwright::backend {

using support::fail;
using support::Result;
using target::Target;

namespace {

constexpr auto eax = CpuidRegister::Eax, ebx = CpuidRegister::Ebx, ecx = CpuidRegister::Ecx,
               edx = CpuidRegister::Edx;
/// Bits of XCR0: registers of 256 bits (with those of 128); masks and registers of 512; tiles.
constexpr std::uint32_t ymm = 0x6, zmm = 0xe6, tiles = 0x60000;

/// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID; AMD64 Architecture
/// Programmer's Manual, volume 3, appendix E (leaf 0x80000001).
constexpr std::array table{
    Extension{"sse3", "SSE3", 1, 0, ecx, 0},
    Extension{"ssse3", "SSSE3", 1, 0, ecx, 9},
    Extension{"sse4.1", "SSE4.1", 1, 0, ecx, 19},
    Extension{"sse4.2", "SSE4.2", 1, 0, ecx, 20},
    Extension{"sse4a", "SSE4a", 0x80000001, 0, ecx, 6},
    Extension{"popcnt", "POPCNT", 1, 0, ecx, 23},
    Extension{"movbe", "MOVBE", 1, 0, ecx, 22},
    Extension{"lzcnt", "LZCNT", 0x80000001, 0, ecx, 5},
    Extension{"tbm", "TBM", 0x80000001, 0, ecx, 21},
    Extension{"bmi", "BMI1", 7, 0, ebx, 3},
    Extension{"bmi2", "BMI2", 7, 0, ebx, 8},
    Extension{"avx", "AVX", 1, 0, ecx, 28, ymm},
    Extension{"xop", "XOP", 0x80000001, 0, ecx, 11, ymm},
    Extension{"fma4", "FMA4", 0x80000001, 0, ecx, 16, ymm},
    Extension{"f16c", "F16C", 1, 0, ecx, 29, ymm},
    Extension{"fma", "FMA", 1, 0, ecx, 12, ymm},
    Extension{"avx2", "AVX2", 7, 0, ebx, 5, ymm},
    Extension{"gfni", "GFNI", 7, 0, ecx, 8},
    Extension{"avxvnni", "AVX-VNNI", 7, 1, eax, 4, ymm},
    Extension{"avxifma", "AVX-IFMA", 7, 1, eax, 23, ymm},
    Extension{"avxvnniint8", "AVX-VNNI-INT8", 7, 1, edx, 4, ymm},
    Extension{"avxneconvert", "AVX-NE-CONVERT", 7, 1, edx, 5, ymm},
    Extension{"avxvnniint16", "AVX-VNNI-INT16", 7, 1, edx, 10, ymm},
    Extension{"avx512f", "AVX-512F", 7, 0, ebx, 16, zmm},
    Extension{"avx512cd", "AVX-512CD", 7, 0, ebx, 28, zmm},
    Extension{"avx512bw", "AVX-512BW", 7, 0, ebx, 30, zmm},
    Extension{"avx512dq", "AVX-512DQ", 7, 0, ebx, 17, zmm},
    Extension{"avx512vl", "AVX-512VL", 7, 0, ebx, 31, zmm},
    Extension{"avx512ifma", "AVX-512IFMA", 7, 0, ebx, 21, zmm},
    Extension{"avx512vbmi", "AVX-512VBMI", 7, 0, ecx, 1, zmm},
    Extension{"avx512vbmi2", "AVX-512VBMI2", 7, 0, ecx, 6, zmm},
    Extension{"avx512vnni", "AVX-512VNNI", 7, 0, ecx, 11, zmm},
    Extension{"avx512bitalg", "AVX-512BITALG", 7, 0, ecx, 12, zmm},
    Extension{"avx512vpopcntdq", "AVX-512VPOPCNTDQ", 7, 0, ecx, 14, zmm},
    Extension{"avx512vp2intersect", "AVX-512VP2INTERSECT", 7, 0, edx, 8, zmm},
    Extension{"avx512bf16", "AVX-512BF16", 7, 1, eax, 5, zmm},
    Extension{"avx512fp16", "AVX-512FP16", 7, 0, edx, 23, zmm},
    Extension{"amx-tile", "AMX-TILE", 7, 0, edx, 24, tiles},
    Extension{"amx-int8", "AMX-INT8", 7, 0, edx, 25, tiles},
    Extension{"amx-bf16", "AMX-BF16", 7, 0, edx, 22, tiles},
};

} // namespace

std::span<const Extension> extensions() { return table; }

Result<ProcessorNeeds> needsOf(const Target &target)
{
    const bool isForAny = !target::kindOf(target.kind).isForProcessorHere && target.mcpu.empty();
    if (target.isGpu() || (isForAny && target.mattr.empty()))
        return ProcessorNeeds{};
    const Backend *names = firstBackend([](const Backend &each) { return each.processors.needs; });
    if (!names)
        return ProcessorNeeds{.processor = target.mcpu, .extensions = {}};
    Target named = target;
    if (isForAny) // its compiler knows no processor, only what that has beside
        named.mcpu = "generic";
    return names->processors.needs(named);
}

std::string describe(const ProcessorNeeds &needs)
{
    if (needs.processor.empty())
        return {};
    std::string text = needs.processor;
    for (std::size_t i = 0; i < needs.extensions.size(); ++i)
        text += (i == 0 ? ": " : ", ") + std::string(needs.extensions[i]->title);
    return text;
}

std::string lackingSource(const ProcessorNeeds &needs)
{
    std::string rows;
    for (const Extension *each : needs.extensions)
        rows += std::format("        {{\"{}\", {:#x}, {}, {}, {}, {:#x}}},\n", each->title, each->leaf,
                            each->subleaf, static_cast<int>(each->answer), each->bit, each->state);
    if (rows.empty())
        return "static const char *nw_lacking(void) { return 0; }\n";
    return R"(#include <cpuid.h>

/* The first extension that the processor lacks of those that the code was made with; null where it has all.
 * For any processor itself, whatever the rest of the file is compiled for. */
__attribute__((target("arch=x86-64"), noinline)) static const char *nw_lacking(void)
{
    static const struct {
        const char *title;
        unsigned leaf, subleaf, answer, bit, state;
    } needs[] = {
)" + rows + R"(    };
    unsigned known[4], saved = 0, high = 0, i;
    if (__get_cpuid(1, &known[0], &known[1], &known[2], &known[3]) && (known[2] >> 27 & 1))
        __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    (void)high;
    for (i = 0; i < sizeof needs / sizeof *needs; ++i) {
        if (!__get_cpuid_count(needs[i].leaf, needs[i].subleaf, &known[0], &known[1], &known[2], &known[3])
            || !(known[needs[i].answer] >> needs[i].bit & 1) || (saved & needs[i].state) != needs[i].state)
            return needs[i].title;
    }
    return 0;
}
)";
}

std::vector<std::string> processorOptions(const Target &target)
{
    if (target.mcpu.empty() && target.mattr.empty())
        return {};
#if defined(__x86_64__) || defined(__i386__)
    std::vector<std::string> options;
    if (!target.mcpu.empty())
        options.push_back("-march=" + target.mcpu);
    std::istringstream features(target.mattr);
    for (std::string feature; std::getline(features, feature, ',');) {
        if (!feature.empty())
            options.push_back((feature.front() == '-' ? "-mno-" : "-m") + feature.substr(1));
    }
    return options;
#else
    std::string processor = "-mcpu=" + (target.mcpu.empty() ? "generic" : target.mcpu);
    std::istringstream features(target.mattr);
    for (std::string feature; std::getline(features, feature, ',');) {
        if (!feature.empty())
            processor += (feature.front() == '-' ? "+no" : "+") + feature.substr(1);
    }
    return {processor};
#endif
}

} // namespace nestwright::backend
