// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_emitter.h"

#include "core/ir/build/intrinsics.h"

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

/// Sums and products of 16-bit floats stay as wide as memory holds them: an instruction of the GPU rounds as
/// one does that works in float, and computes two at once where it has two.
CudaEmitter::Text CudaEmitter::arithmetic(const ir::Binary &node)
{
    const ir::DataType type = node.a.dtype();
    if (!type.isFloating() || type.bits != 16)
        return KernelEmitter::arithmetic(node);
    const std::string operation = node.op == ir::BinaryOp::Add   ? "nw_add_"
                                  : node.op == ir::BinaryOp::Sub ? "nw_sub_"
                                                                 : "nw_mul_";
    const std::string a = inMemory(node.a), b = inMemory(node.b);
    return {helper("nw_from_" + suffix(type)) + '(' + helper(operation + suffix(type)) + '(' + a + ", " + b
                + "))",
            Primary};
}

namespace {

/// Instruction that is a helper's body on GPUs of the architectures that have it (PTX ISA: "cvt", "add",
/// "sub", "mul").
struct HelperInstruction {
    std::string_view helper;
    int leastArchitecture; ///< as __CUDA_ARCH__ counts them
    std::string_view text;
    std::string_view result; ///< its type and the letter of its registers
    std::string_view operands;
};

constexpr std::string_view half = "uint16_t h", two = R"("h"(a), "h"(b))";
constexpr auto instructions = std::to_array<HelperInstruction>({
    {"nw_from_f16", 0, "cvt.f32.f16 %0, %1", "float f", R"("h"(h))"},
    {"nw_to_f16", 0, "cvt.rn.f16.f32 %0, %1", half, R"("f"(value))"},
    {"nw_to_bf16", 800, "cvt.rn.bf16.f32 %0, %1", half, R"("f"(value))"},
    {"nw_add_f16", 0, "add.f16 %0, %1, %2", half, two},
    {"nw_sub_f16", 0, "sub.f16 %0, %1, %2", half, two},
    {"nw_mul_f16", 0, "mul.f16 %0, %1, %2", half, two},
    {"nw_add_bf16", 900, "add.bf16 %0, %1, %2", half, two},
    {"nw_sub_bf16", 900, "sub.bf16 %0, %1, %2", half, two},
    {"nw_mul_bf16", 900, "mul.bf16 %0, %1, %2", half, two},
});

} // namespace

/// Other compilers that read the text, and those for older GPUs, go by the bits of 16-bit floats.
std::string CudaEmitter::definition(std::string_view name, std::string_view text) const
{
    const auto found = std::ranges::find(instructions, name, &HelperInstruction::helper);
    if (found == instructions.end())
        return KernelEmitter::definition(name, text);
    const std::size_t begin = text.find("{\n") + 2, end = text.rfind('}');
    const std::string condition =
        found->leastArchitecture == 0
            ? "#ifdef __CUDA_ARCH__"
            : std::format("#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= {}", found->leastArchitecture);
    const auto [type, letter] =
        std::pair{found->result.substr(0, found->result.rfind(' ')), found->result.back()};
    return std::format("{}{}\n    {} result;\n    asm(\"{};\" : \"={}\"(result) : {});\n    return result;\n"
                       "#else\n{}#endif\n{}",
                       text.substr(0, begin), condition, type, found->text, letter, found->operands,
                       text.substr(begin, end - begin), text.substr(end));
}

} // namespace nestwright::backend
