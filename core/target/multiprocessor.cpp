// SPDX-License-Identifier: Apache-2.0
#include "core/target/multiprocessor.h"

#include <algorithm>
#include <array>

namespace nestwright::target {

namespace {

constexpr std::int64_t KiB = 1024, registerFile = std::int64_t{64} * KiB;

constexpr std::array architectures{
    Multiprocessor{"sm_70", "V100", 64, 32, registerFile, 96 * KiB, 96 * KiB, 0},
    Multiprocessor{"sm_72", "Jetson Xavier", 64, 32, registerFile, 96 * KiB, 96 * KiB, 0},
    Multiprocessor{"sm_75", "T4, RTX 20", 32, 16, registerFile, 64 * KiB, 64 * KiB, 0},
    Multiprocessor{"sm_80", "A100", 64, 32, registerFile, 164 * KiB, 163 * KiB, KiB},
    Multiprocessor{"sm_86", "A10, RTX 30", 48, 16, registerFile, 100 * KiB, 99 * KiB, KiB},
    Multiprocessor{"sm_87", "Jetson Orin", 48, 16, registerFile, 164 * KiB, 163 * KiB, KiB},
    Multiprocessor{"sm_89", "L4, L40, RTX 40", 48, 24, registerFile, 100 * KiB, 99 * KiB, KiB},
    Multiprocessor{"sm_90", "H100, H200", 64, 32, registerFile, 228 * KiB, 227 * KiB, KiB},
    Multiprocessor{"sm_100", "B100, B200", 64, 32, registerFile, 228 * KiB, 227 * KiB, KiB},
    Multiprocessor{"sm_103", "B300", 64, 32, registerFile, 228 * KiB, 227 * KiB, KiB},
    Multiprocessor{"sm_110", "Jetson Thor", 48, 24, registerFile, 228 * KiB, 227 * KiB, KiB},
    Multiprocessor{"sm_120", "RTX 50", 48, 24, registerFile, 100 * KiB, 99 * KiB, KiB},
    Multiprocessor{"sm_121", "DGX Spark", 48, 24, registerFile, 100 * KiB, 99 * KiB, KiB},
};

} // namespace

std::span<const Multiprocessor> multiprocessors() { return architectures; }

const Multiprocessor *multiprocessorOf(std::string_view architecture)
{
    if (architecture.ends_with('a') || architecture.ends_with('f')) // with what later ones do not have
        architecture.remove_suffix(1);
    const auto found = std::ranges::find(architectures, architecture, &Multiprocessor::architecture);
    return found == architectures.end() ? nullptr : &*found;
}

} // namespace nestwright::target
