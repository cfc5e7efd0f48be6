// SPDX-License-Identifier: Apache-2.0
/// Dot products of a word's parts with instructions of AVX-512, NEON, HVX, CUDA and AMD's GPUs.
#include "core/schedule/intrin/tensor_intrin.h"

#include <format>

namespace nestwright::schedule {

namespace {

/// C[i] += A[0:parts] · B[i, 0:parts] for `rows` rows.
struct DotProduct {
    int rows;
    std::string_view a, b, c; ///< types of the elements
    int parts = 4;            ///< of a word
};

std::string function(const DotProduct &dot, std::string_view body)
{
    return std::format(R"(
@T.prim_func
def NAME(A: T.Buffer(({5},), "{1}", offset_factor=1), B: T.Buffer(({0}, {5}), "{2}", offset_factor=1),
         C: T.Buffer(({0},), "{3}", offset_factor=1)):
    with T.block("root"):
        T.reads(C[0:{0}], A[0:{5}], B[0:{0}, 0:{5}])
        T.writes(C[0:{0}])
{4})",
                       dot.rows, dot.a, dot.b, dot.c, body, dot.parts);
}

std::string withName(std::string text, std::string_view name)
{
    return text.replace(text.find("NAME"), 4, name);
}

std::string described(const DotProduct &dot)
{
    return function(dot, std::format(R"(        for i, k in T.grid({0}, {2}):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                C[vi] = C[vi] + T.Cast("{1}", A[vk]) * T.Cast("{1}", B[vi, vk])
)",
                                     dot.rows, dot.c, dot.parts));
}

IntrinText intrin(std::string name, const DotProduct &dot, std::string_view implementation)
{
    return {std::move(name), withName(described(dot), "description")
                                 + withName(function(dot, implementation), "implementation")};
}

/// The parts of A as one word.
std::string wordOfA(std::string_view a, std::string_view word, int parts = 4)
{
    return std::format("        bytes: T.{0}x{2} = A[T.Ramp(0, 1, {2})]\n"
                       "        word: T.{1} = T.reinterpret(\"{1}\", bytes)\n",
                       a, word, parts);
}

IntrinText avx512Vnni()
{
    return intrin("dot_16x4_vnni", {16, "uint8", "int8", "int32"},
                  wordOfA("uint8", "int32") + R"(        rows: T.int8x64 = B[0, T.Ramp(0, 1, 64)]
        words: T.int32x16 = T.reinterpret("int32x16", rows)
        sums: T.int32x16 = C[T.Ramp(0, 1, 16)]
        C[0:16] = T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", sums,
                                          T.Broadcast(word, 16), words)
)");
}

IntrinText avx512()
{
    return intrin("dot_16x4_avx512", {16, "uint8", "int8", "int32"},
                  wordOfA("uint8", "int32") + R"(        words: T.int32x16 = T.Broadcast(word, 16)
        repeated: T.uint8x64 = T.reinterpret("uint8x64", words)
        rows: T.int8x64 = B[0, T.Ramp(0, 1, 64)]
        pairs: T.int16x32 = T.call_llvm_pure_intrin("int16x32", "llvm.x86.avx512.pmaddubs.w.512",
                                                    repeated, rows)
        C[0:16] = (C[T.Ramp(0, 1, 16)]
                   + T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.pmaddw.d.512", pairs,
                                             T.Broadcast(T.int16(1), 32)))
)");
}

/// The instruction that does it all: sdot or udot.
IntrinText neonDot(std::string name, const DotProduct &dot, std::string_view instruction)
{
    return intrin(std::move(name), dot,
                  wordOfA(dot.a, dot.c)
                      + std::format(R"(        words: T.{1}x4 = T.Broadcast(word, 4)
        repeated: T.{0}x16 = T.reinterpret("{0}x16", words)
        rows: T.{0}x16 = B[0, T.Ramp(0, 1, 16)]
        sums: T.{1}x4 = C[T.Ramp(0, 1, 4)]
        C[0:4] = T.call_llvm_pure_intrin("{1}x4", "llvm.aarch64.neon.{2}", sums, repeated, rows)
)",
                                    dot.a, dot.c, instruction));
}

/// Dot product by widening products and pairwise sums, for processors without the dot instructions.
IntrinText neon()
{
    std::string body = wordOfA("int8", "int32") + R"(        words: T.int32x2 = T.Broadcast(word, 2)
        repeated: T.int8x8 = T.reinterpret("int8x8", words)
        rows: T.int8x16 = B[0, T.Ramp(0, 1, 16)]
)";
    for (const std::string_view half : {"low", "high"})
        body += std::format(R"(        {0}: T.int8x8 = T.vector{0}("int8x8", rows)
        {0}_products: T.int16x8 = T.call_llvm_pure_intrin("int16x8", "llvm.aarch64.neon.smull", repeated, {0})
        {0}_sums: T.int32x4 = T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.saddlp", {0}_products)
)",
                            half);
    body += R"(        C[0:4] = (C[T.Ramp(0, 1, 4)]
                  + T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.addp", low_sums, high_sums))
)";
    return intrin("dot_4x4_i8i8s32_neon", {4, "int8", "int8", "int32"}, body);
}

/// Hexagon's vectors of 1024 bits.
IntrinText hvx(std::string name, const DotProduct &dot, std::string_view instruction,
               std::string_view operands)
{
    const int lanes = dot.rows * dot.parts;
    return intrin(std::move(name), dot,
                  wordOfA(dot.a, dot.c, dot.parts)
                      + std::format(R"(        rows: T.{0}x{1} = B[0, T.Ramp(0, 1, {1})]
        words: T.int32x32 = T.reinterpret("int32x32", rows)
        C[0:32] = T.call_llvm_pure_intrin("int32x32", "llvm.hexagon.V6.{2}.128B", C[T.Ramp(0, 1, 32)], {3})
)",
                                    dot.b, lanes, instruction, operands));
}

/// One dot product on operands in shared memory and a sum in a register; `sum` is added to it.
IntrinText oneDot(std::string name, std::string_view a, std::string_view b, std::string_view c,
                  const std::string &sum)
{
    const std::string head = std::format(
        R"(
@T.prim_func
def NAME(A: T.Buffer((4,), "{0}", offset_factor=1, align=4, scope="shared"),
         B: T.Buffer((4,), "{1}", offset_factor=1, align=4, scope="shared"),
         C: T.Buffer((1,), "{2}", offset_factor=1, align=4, scope="local")):
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
)",
        a, b, c);
    const std::string description = std::format(R"(        for i in range(4):
            with T.block("update"):
                vi = T.axis.reduce(4, i)
                C[0] = C[0] + T.Cast("{0}", A[vi]) * T.Cast("{0}", B[vi])
)",
                                                c);
    const std::string implementation = "        C[0] = C[0] + " + sum + '\n';
    return {std::move(name),
            withName(head + description, "description") + withName(head + implementation, "implementation")};
}

/// CUDA's __dp4a.
IntrinText dp4a(std::string name, std::string_view a, std::string_view b, std::string_view c)
{
    return oneDot(
        std::move(name), a, b, c,
        std::format("T.call_pure_extern(\"{0}\", \"__dp4a\", A[T.Ramp(0, 1, 4)], B[T.Ramp(0, 1, 4)], "
                    "T.{0}(0))",
                    c));
}

IntrinText amdDot()
{
    return oneDot("sdot4", "int8", "int8", "int32",
                  "T.call_llvm_pure_intrin(\"int32\", \"llvm.amdgcn.sdot4\", T.reinterpret(\"int32\", "
                  "A[T.Ramp(0, 1, 4)]), T.reinterpret(\"int32\", B[T.Ramp(0, 1, 4)]), 0, T.bool(True))");
}

} // namespace

std::vector<IntrinText> dotProductIntrins()
{
    return {
        avx512Vnni(),
        avx512(),
        neon(),
        neonDot("dot_4x4_i8i8s32_sdot", {4, "int8", "int8", "int32"}, "sdot"),
        neonDot("dot_4x4_u8u8u32_udot", {4, "uint8", "uint8", "uint32"}, "udot"),
        neonDot("dot_4x4_u8u8i32_hdot", {4, "uint8", "uint8", "int32"}, "udot"),
        dp4a("dp4a_s8s8s32", "int8", "int8", "int32"),
        dp4a("dp4a_s8u8s32", "int8", "uint8", "int32"),
        dp4a("dp4a_u8s8s32", "uint8", "int8", "int32"),
        dp4a("dp4a_u8u8u32", "uint8", "uint8", "uint32"),
        amdDot(),
        hvx("dot_32x4_u8u8i32_vrmpy", {32, "uint8", "uint8", "int32"}, "vrmpyub.acc", "words, word"),
        hvx("dot_32x4_u8i8i32_vrmpy", {32, "uint8", "int8", "int32"}, "vrmpybusv.acc",
            "T.Broadcast(word, 32), words"),
        hvx("dot_product_32x2_i16i16i32_vdmpy", {32, "int16", "int16", "int32", 2}, "vdmpyhvsat.acc",
            "T.Broadcast(word, 32), words"),
    };
}

} // namespace nestwright::schedule
