// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend.h"

#include <algorithm>
#include <array>

namespace nestwright::backend {

using target::Target;
using target::TargetKind;

namespace {

/// In the order in which programs list them.
constexpr std::array formats{
    SourceFormat{SourceKind::Lowered, "lowered", "lowered TVMScript", "py", {}},
    SourceFormat{SourceKind::UnoptimizedLlvmIr, "llvm-unoptimized", "LLVM IR before LLVM's passes", "ll",
                 TargetKind::Llvm},
    SourceFormat{SourceKind::LlvmIr, "llvm", "LLVM IR", "ll", TargetKind::Llvm},
    SourceFormat{SourceKind::Asm, "asm", "assembly", "s", TargetKind::Llvm, true},
    SourceFormat{SourceKind::IntelAsm, "asm-intel", "assembly in Intel syntax", "s", TargetKind::Llvm, true},
    SourceFormat{SourceKind::C, "c", "C", "c", TargetKind::C},
    SourceFormat{SourceKind::OpenCl, "opencl", "OpenCL C", "cl", TargetKind::OpenCl},
    SourceFormat{SourceKind::Cuda, "cuda", "CUDA", "cu", TargetKind::Cuda},
    SourceFormat{SourceKind::Ptx, "ptx", "PTX", "ptx", TargetKind::Cuda},
    SourceFormat{SourceKind::Sass, "sass", "SASS", "sass", TargetKind::Cuda},
};

} // namespace

std::span<const SourceFormat> sourceFormats() { return formats; }

const SourceFormat *findSourceFormat(std::string_view name)
{
    const auto found = std::ranges::find(formats, name, &SourceFormat::name);
    return found == formats.end() ? nullptr : &*found;
}

const SourceFormat &sourceFormat(SourceKind kind)
{
    return *std::ranges::find(formats, kind, &SourceFormat::kind);
}

const SourceFormat &usualFormat(TargetKind kind)
{
    const auto isOf = [&](const SourceFormat &each) { return each.target == kind; };
    const auto assembly = std::ranges::find_if(
        formats, [&](const SourceFormat &each) { return isOf(each) && each.isAssembly; });
    return assembly != formats.end() ? *assembly : *std::ranges::find_if(formats, isOf);
}

Target targetOf(const SourceFormat &format, const Target &target)
{
    if (!format.target || *format.target == target.kind)
        return target;
    Target other;
    other.kind = *format.target;
    return other;
}

} // namespace nestwright::backend
