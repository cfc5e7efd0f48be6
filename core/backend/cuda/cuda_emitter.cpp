// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_emitter.h"

#include "core/ir/intrinsics.h"

#include <algorithm>
#include <array>
#include <format>
#include <utility>

namespace nestwright::backend {

std::vector<std::string> CudaEmitter::prelude(std::string_view text)
{
    std::vector<std::string> lines = integerNames(text);
    if (text.contains("INFINITY"))
        lines.emplace_back("#define INFINITY __int_as_float(0x7f800000)");
    if (text.contains("NULL"))
        lines.emplace_back("#define NULL 0");
    return lines;
}

std::string CudaEmitter::head(const codegen::Kernel &kernel) const
{
    const auto &[x, y, z] = kernel.threads;
    const bool isConstant =
        std::ranges::none_of(kernel.threads, [](std::int64_t extent) { return extent < 0; });
    const bool isBound = isConstant && x * y * z > 1; // one thread may have any number of registers
    return std::string("extern \"C\" __global__")
           + (isBound ? " __launch_bounds__(" + std::to_string(x * y * z) + ')' : "");
}

std::string CudaEmitter::pointer(const std::string &element, bool isWritten, bool isNoAlias) const
{
    return (isWritten ? "" : "const ") + element + " *" + (isNoAlias ? "__restrict__ " : "");
}

std::string CudaEmitter::index(const ir::ThreadAxis &axis) const
{
    return std::string(axis.rank == ir::ThreadRank::Block ? "blockIdx." : "threadIdx.")
           + "xyz"[axis.dimension];
}

CudaEmitter::Text CudaEmitter::call(const ir::Call &node)
{
    using namespace ir::intrinsics;
    if (node.callee == tvmWarpActiveMask)
        return {"__activemask()", Primary};
    constexpr auto exchanges = std::to_array<std::pair<const ir::Intrinsic *, std::string_view>>(
        {{&tvmWarpShuffle, "__shfl_sync("},
         {&tvmWarpShuffleUp, "__shfl_up_sync("},
         {&tvmWarpShuffleDown, "__shfl_down_sync("}});
    for (const auto &[intrinsic, name] : exchanges) {
        if (node.callee == *intrinsic) // the last argument is the size of a warp
            return {std::string(name) + code(node.args[0]) + ", " + code(node.args[1]) + ", "
                        + code(node.args[2]) + ", " + code(node.args[3]) + ')',
                    Primary};
    }
    return KernelEmitter::call(node);
}

/// Half precision is converted by instructions of the GPU (PTX ISA, "cvt"), bfloat16 by those that begin with
/// sm_80; other compilers that read the text, and for older GPUs, go by its bits.
std::string CudaEmitter::definition(std::string_view name, std::string_view text) const
{
    struct Instruction {
        std::string_view name, condition, body;
    };
    constexpr auto instructions = std::to_array<Instruction>({
        {"nw_from_f16", "#ifdef __CUDA_ARCH__\n", R"(    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(h));
    return value;
)"},
        {"nw_to_f16", "#ifdef __CUDA_ARCH__\n", R"(    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(value));
    return h;
)"},
        {"nw_to_bf16", "#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800\n", R"(    uint16_t h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(value));
    return h;
)"},
    });
    const auto found = std::ranges::find(instructions, name, &Instruction::name);
    if (found == instructions.end())
        return KernelEmitter::definition(name, text);
    const std::size_t begin = text.find("{\n") + 2, end = text.rfind('}');
    return std::format("{}{}{}#else\n{}#endif\n{}", text.substr(0, begin), found->condition, found->body,
                       text.substr(begin, end - begin), text.substr(end));
}

} // namespace nestwright::backend
