// SPDX-License-Identifier: Apache-2.0
#include "core/target/kinds.h"

#include <algorithm>
#include <array>

namespace nestwright::target {

namespace {

constexpr std::array llvmOptions{TextOption{"-mcpu", &Target::mcpu}, TextOption{"-mtriple", &Target::mtriple},
                                 TextOption{"-mattr", &Target::mattr}};
constexpr std::array cOptions{TextOption{"-mcpu", &Target::mcpu}, TextOption{"-mattr", &Target::mattr}};
constexpr std::array cudaOptions{TextOption{"-arch", &Target::arch}};

constexpr std::array table{
    Kind{TargetKind::Llvm, "llvm", "LLVM", llvmOptions, true, false},
    Kind{TargetKind::C, "c", "C", cOptions, false, false},
    Kind{TargetKind::OpenCl, "opencl", "OpenCL", {}, false, true},
    Kind{TargetKind::Cuda, "cuda", "CUDA", cudaOptions, false, true},
};

} // namespace

std::span<const Kind> kinds() { return table; }

const Kind &kindOf(TargetKind kind) { return *std::ranges::find(table, kind, &Kind::kind); }

const Kind *findKind(std::string_view name)
{
    const auto found = std::ranges::find(table, name, &Kind::name);
    return found == table.end() ? nullptr : &*found;
}

std::string_view kindName(TargetKind kind) { return kindOf(kind).name; }

std::string kindNames()
{
    std::string names;
    for (const Kind &kind : table)
        names += (names.empty() ? "" : &kind == &table.back() ? " or " : ", ") + std::string(kind.name);
    return names;
}

} // namespace nestwright::target
