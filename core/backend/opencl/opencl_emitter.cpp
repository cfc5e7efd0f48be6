// SPDX-License-Identifier: Apache-2.0
#include "core/backend/opencl/opencl_emitter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::backend {

namespace {

/// Helpers that go by the bits of a number, for which the language has functions.
constexpr auto ownHelpers = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"nw_odd_f32", "static inline float nw_odd_f32(double x)\n{\n    const float value = (float)x;\n"
                   "    if (x != x || (double)value == x)\n        return value;\n"
                   "    return as_float((as_uint(value) - (uint32_t)(x < 0 ? (double)value < x : "
                   "(double)value > x)) | 1u);\n}"},
    {"nw_from_f16", "static inline float nw_from_f16(uint16_t h)\n{\n    return vload_half(0, (const "
                    "__private half *)&h);\n}"},
    {"nw_to_f16", "static inline uint16_t nw_to_f16(float value)\n{\n    uint16_t h;\n"
                  "    vstore_half_rte(value, 0, (__private half *)&h);\n    return h;\n}"},
    {"nw_from_bf16", "static inline float nw_from_bf16(uint16_t h) { return as_float((uint32_t)h << 16); }"},
    {"nw_to_bf16",
     "static inline uint16_t nw_to_bf16(float value)\n{\n    const uint32_t bits = as_uint(value);\n"
     "    if ((bits & 0x7fffffffu) > 0x7f800000u)\n        return (uint16_t)(bits >> 16 | 0x40u);\n"
     "    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);\n}"},
    {"nw_bits_f32_to_i32", "static inline int32_t nw_bits_f32_to_i32(float x) { return as_int(x); }"},
    {"nw_bits_f32_to_u32", "static inline uint32_t nw_bits_f32_to_u32(float x) { return as_uint(x); }"},
    {"nw_bits_i32_to_f32", "static inline float nw_bits_i32_to_f32(int32_t x) { return as_float(x); }"},
    {"nw_bits_u32_to_f32", "static inline float nw_bits_u32_to_f32(uint32_t x) { return as_float(x); }"},
    {"nw_bits_f64_to_u64", "static inline uint64_t nw_bits_f64_to_u64(double x) { return as_ulong(x); }"},
    {"nw_bits_u64_to_f64", "static inline double nw_bits_u64_to_f64(uint64_t x) { return as_double(x); }"},
    {"nw_bits_f64_to_i64", "static inline int64_t nw_bits_f64_to_i64(double x) { return as_long(x); }"},
    {"nw_bits_i64_to_f64", "static inline double nw_bits_i64_to_f64(int64_t x) { return as_double(x); }"},
    {"nw_to_i32", "static inline int32_t nw_to_i32(float x) { return convert_int_sat(x); }"},
});

} // namespace

std::string OpenClEmitter::head(const codegen::Kernel &kernel) const
{
    const auto &[x, y, z] = kernel.threads;
    std::string sizes;
    if (std::ranges::none_of(kernel.threads, [](std::int64_t extent) { return extent < 0; }))
        sizes = " __attribute__((reqd_work_group_size(" + std::to_string(x) + ", " + std::to_string(y) + ", "
                + std::to_string(z) + ")))";
    return "__kernel" + sizes;
}

std::string OpenClEmitter::pointer(const std::string &element, bool isWritten, bool isNoAlias) const
{
    return std::string("__global ") + (isWritten ? "" : "const ") + element + " *"
           + (isNoAlias ? "restrict " : "");
}

std::string OpenClEmitter::index(const ir::ThreadAxis &axis) const
{
    return (axis.rank == ir::ThreadRank::Block ? "get_group_id(" : "get_local_id(")
           + std::to_string(axis.dimension) + ')';
}

std::string OpenClEmitter::barrier(bool sharesDevice) const
{
    return std::string("barrier(CLK_LOCAL_MEM_FENCE") + (sharesDevice ? " | CLK_GLOBAL_MEM_FENCE)" : ")");
}

std::string_view OpenClEmitter::spaceWord(ir::MemoryRank rank) const
{
    switch (rank) {
    case ir::MemoryRank::Device: return "__global ";
    case ir::MemoryRank::Block: return "__local ";
    case ir::MemoryRank::Warp:
    case ir::MemoryRank::Thread: return "__private ";
    }
    std::unreachable();
}

std::string OpenClEmitter::mathName(std::string_view function, ir::DataType) const
{
    return std::string(function == "nearbyint" ? "rint" : function);
}

std::string OpenClEmitter::definition(std::string_view name, std::string_view text) const
{
    const auto found =
        std::ranges::find(ownHelpers, name, &std::pair<std::string_view, std::string_view>::first);
    return std::string(found == ownHelpers.end() ? text : found->second);
}

} // namespace nestwright::backend
