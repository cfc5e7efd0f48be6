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
    Kind{.kind = TargetKind::Llvm,
         .name = "llvm",
         .title = "LLVM",
         .options = llvmOptions,
         .reassociates = true,
         .isForProcessorHere = true},
    Kind{.kind = TargetKind::C, .name = "c", .title = "C", .options = cOptions},
    Kind{.kind = TargetKind::OpenCl,
         .name = "opencl",
         .title = "OpenCL",
         .options = {},
         .isOfDevices = true,
         .isCompiledWhenLoaded = true},
    Kind{.kind = TargetKind::Cuda,
         .name = "cuda",
         .title = "CUDA",
         .options = cudaOptions,
         .isOfDevices = true,
         .hasShuffles = true},
};

} // namespace

bool Kind::takes(std::string Target::*member) const
{
    return std::ranges::contains(options, member, &TextOption::member);
}

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
