// SPDX-License-Identifier: Apache-2.0
/// Small functions that emitted code calls; only those that are called are written.
#include "core/codegen/c_family.h"
#include "core/codegen/codes.h"
#include "core/support/errors/errors.h"

#include <array>
#include <string_view>

namespace nestwright::codegen {

namespace {

struct Helper {
    std::string_view name;
    std::string_view needs; ///< another helper, written before it
    std::string_view header;
    std::string_view text;
};

/// 16-bit floats by their bits: ties round to even, NaN stays NaN. Halves without branches, so that compilers
/// make vectors of them; no float that is computed on the way is a denormal one.
constexpr std::string_view fromHalf = R"(static inline float nw_from_f16(uint16_t h)
{
    const uint32_t magnitude = (uint32_t)(h & 0x7fffu) << 13, raised = magnitude + 0x38800000u;
    uint32_t bits = magnitude + (magnitude >= 0x0f800000u ? 0x70000000u : 0x38000000u);
    float value, denormal;
    memcpy(&value, &bits, sizeof value);
    memcpy(&denormal, &raised, sizeof denormal);
    denormal -= 6.103515625e-5f;
    value = magnitude < 0x00800000u ? denormal : value;
    memcpy(&bits, &value, sizeof bits);
    bits |= (uint32_t)(h & 0x8000u) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
})";
constexpr std::string_view toHalf = R"(static inline uint16_t nw_to_f16(float value)
{
    uint32_t bits, magnitude, small, normal, large;
    float shifted;
    memcpy(&bits, &value, sizeof bits);
    magnitude = bits & 0x7fffffffu;
    memcpy(&shifted, &magnitude, sizeof shifted);
    shifted += 0.5f; /* so that the bits that a denormal has not fall off, rounding */
    memcpy(&small, &shifted, sizeof small);
    small -= 0x3f000000u;
    normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13;
    large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    normal = magnitude < 0x38800000u ? small : normal;
    normal = magnitude >= 0x47800000u ? large : normal;
    return (uint16_t)((bits >> 16 & 0x8000u) | normal);
})";
constexpr std::string_view fromBrain = R"(static inline float nw_from_bf16(uint16_t h)
{
    const uint32_t bits = (uint32_t)h << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
})";
constexpr std::string_view toBrain = R"(static inline uint16_t nw_to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
})";
/// ir::roundedToOdd
constexpr std::string_view toOdd = R"(static inline float nw_odd_f32(double x)
{
    float value = (float)x;
    uint32_t bits;
    if (x != x || (double)value == x)
        return value;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits - (uint32_t)(x < 0 ? (double)value < x : (double)value > x)) | 1u;
    memcpy(&value, &bits, sizeof value);
    return value;
})";
/// The divisor 0 is recorded, not divided by; −1 is kept from the instruction, which traps on the least
/// number.
constexpr std::string_view divI64 = R"(static inline int64_t nw_div_i64(int64_t a, int64_t b, int32_t *error)
{
    if (b == 0)
        *error = 1;
    return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
})";
constexpr std::string_view modI64 = R"(static inline int64_t nw_mod_i64(int64_t a, int64_t b, int32_t *error)
{
    if (b == 0)
        *error = 1;
    return b == 0 || b == -1 ? 0 : a % b;
})";
constexpr std::string_view floorDivI64 =
    R"(static inline int64_t nw_floordiv_i64(int64_t a, int64_t b, int32_t *error)
{
    const int64_t rest = nw_mod_i64(a, b, error);
    return nw_div_i64(a, b, error) - (rest != 0 && (rest < 0) != (b < 0));
})";
constexpr std::string_view floorModI64 =
    R"(static inline int64_t nw_floormod_i64(int64_t a, int64_t b, int32_t *error)
{
    const int64_t rest = nw_mod_i64(a, b, error);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})";
constexpr std::string_view divU64 =
    R"(static inline uint64_t nw_div_u64(uint64_t a, uint64_t b, int32_t *error)
{
    if (b == 0)
        *error = 1;
    return b == 0 ? 0 : a / b;
})";
constexpr std::string_view modU64 =
    R"(static inline uint64_t nw_mod_u64(uint64_t a, uint64_t b, int32_t *error)
{
    if (b == 0)
        *error = 1;
    return b == 0 ? 0 : a % b;
})";

/// Floating-point numbers cut to integers: the nearest of the type where they lie beyond it, and 0 for NaN
/// (ir::integerOf).
constexpr std::string_view toNarrow = R"(static inline int32_t nw_to_narrow(float x, float least, float most)
{
    return x != x ? 0 : (int32_t)(x < least ? least : x > most ? most : x);
})";
constexpr std::string_view toI32 = R"(static inline int32_t nw_to_i32(float x)
{
    return x != x ? 0 : x < -2147483648.0f ? INT32_MIN : x >= 2147483648.0f ? INT32_MAX : (int32_t)x;
})";
constexpr std::string_view toInt = R"(static inline int64_t nw_to_int(double x, int64_t least, int64_t most)
{
    return x != x ? 0 : x <= (double)least ? least : x >= (double)most ? most : (int64_t)x;
})";
constexpr std::string_view toUInt = R"(static inline uint64_t nw_to_uint(double x, uint64_t most)
{
    return x != x || x <= 0 ? 0 : x >= (double)most ? most : (uint64_t)x;
})";
/// Shifts by amounts that C leaves undefined move all bits out (ir::shiftLeft, ir::shiftRight).
constexpr std::string_view shiftLeft = R"(static inline uint64_t nw_shl(uint64_t x, int64_t by, int bits)
{
    return by < 0 || by >= bits ? 0 : x << by;
})";
constexpr std::string_view shiftRightI64 =
    R"(static inline int64_t nw_shr_i64(int64_t x, int64_t by, int bits)
{
    return x >> (by < 0 || by >= bits ? 63 : by);
})";
constexpr std::string_view shiftRightU64 =
    R"(static inline uint64_t nw_shr_u64(uint64_t x, int64_t by, int bits)
{
    return by < 0 || by >= bits ? 0 : x >> by;
})";

constexpr auto table = std::to_array<Helper>({
    {"nw_odd_f32", "", "string.h", toOdd},
    {"nw_from_f16", "", "string.h", fromHalf},
    {"nw_to_f16", "", "string.h", toHalf},
    {"nw_round_f16", "nw_from_f16 nw_to_f16", "",
     "static inline float nw_round_f16(float x) { return nw_from_f16(nw_to_f16(x)); }"},
    {"nw_from_bf16", "", "string.h", fromBrain},
    {"nw_to_bf16", "", "string.h", toBrain},
    {"nw_round_bf16", "nw_from_bf16 nw_to_bf16", "",
     "static inline float nw_round_bf16(float x) { return nw_from_bf16(nw_to_bf16(x)); }"},
    {"nw_add_f16", "nw_from_f16 nw_to_f16", "",
     "static inline uint16_t nw_add_f16(uint16_t a, uint16_t b)\n{\n"
     "    return nw_to_f16(nw_from_f16(a) + nw_from_f16(b));\n}"},
    {"nw_sub_f16", "nw_from_f16 nw_to_f16", "",
     "static inline uint16_t nw_sub_f16(uint16_t a, uint16_t b)\n{\n"
     "    return nw_to_f16(nw_from_f16(a) - nw_from_f16(b));\n}"},
    {"nw_mul_f16", "nw_from_f16 nw_to_f16", "",
     "static inline uint16_t nw_mul_f16(uint16_t a, uint16_t b)\n{\n"
     "    return nw_to_f16(nw_from_f16(a) * nw_from_f16(b));\n}"},
    {"nw_add_bf16", "nw_from_bf16 nw_to_bf16", "",
     "static inline uint16_t nw_add_bf16(uint16_t a, uint16_t b)\n{\n"
     "    return nw_to_bf16(nw_from_bf16(a) + nw_from_bf16(b));\n}"},
    {"nw_sub_bf16", "nw_from_bf16 nw_to_bf16", "",
     "static inline uint16_t nw_sub_bf16(uint16_t a, uint16_t b)\n{\n"
     "    return nw_to_bf16(nw_from_bf16(a) - nw_from_bf16(b));\n}"},
    {"nw_mul_bf16", "nw_from_bf16 nw_to_bf16", "",
     "static inline uint16_t nw_mul_bf16(uint16_t a, uint16_t b)\n{\n"
     "    return nw_to_bf16(nw_from_bf16(a) * nw_from_bf16(b));\n}"},
    {"nw_min_f32", "", "", "static inline float nw_min_f32(float a, float b) { return a < b ? a : b; }"},
    {"nw_max_f32", "", "", "static inline float nw_max_f32(float a, float b) { return a > b ? a : b; }"},
    {"nw_min_f64", "", "", "static inline double nw_min_f64(double a, double b) { return a < b ? a : b; }"},
    {"nw_max_f64", "", "", "static inline double nw_max_f64(double a, double b) { return a > b ? a : b; }"},
    {"nw_min_i64", "", "",
     "static inline int64_t nw_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }"},
    {"nw_max_i64", "", "",
     "static inline int64_t nw_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }"},
    {"nw_min_u64", "", "",
     "static inline uint64_t nw_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }"},
    {"nw_max_u64", "", "",
     "static inline uint64_t nw_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }"},
    {"nw_abs_i64", "", "",
     "static inline int64_t nw_abs_i64(int64_t a) { return a < 0 ? (int64_t)(0 - (uint64_t)a) : a; }"},
    {"nw_div_i64", "", "stddef.h", divI64},
    {"nw_mod_i64", "", "stddef.h", modI64},
    {"nw_floordiv_i64", "nw_mod_i64 nw_div_i64", "", floorDivI64},
    {"nw_floormod_i64", "nw_mod_i64", "", floorModI64},
    {"nw_div_u64", "", "stddef.h", divU64},
    {"nw_mod_u64", "", "stddef.h", modU64},
    {"nw_to_narrow", "", "", toNarrow},
    {"nw_to_i32", "", "", toI32},
    {"nw_to_int", "", "", toInt},
    {"nw_to_uint", "", "", toUInt},
    {"nw_shl", "", "", shiftLeft},
    {"nw_shr_i64", "", "", shiftRightI64},
    {"nw_shr_u64", "", "", shiftRightU64},
    {"nw_popcount", "", "",
     "static inline int nw_popcount(uint64_t x)\n{\n    int count = 0;\n    for (; x != 0; x &= x - 1)\n     "
     "   ++count;\n"
     "    return count;\n}"},
    {"nw_clz", "", "",
     "static inline int nw_clz(uint64_t x, int bits)\n{\n    for (; x != 0; x >>= 1)\n        --bits;\n"
     "    return bits;\n}"},
    {"nw_bits_f32_to_i32", "", "string.h",
     "static inline int32_t nw_bits_f32_to_i32(float x) { int32_t y; memcpy(&y, &x, 4); return y; }"},
    {"nw_bits_f32_to_u32", "", "string.h",
     "static inline uint32_t nw_bits_f32_to_u32(float x) { uint32_t y; memcpy(&y, &x, 4); return y; }"},
    {"nw_bits_i32_to_f32", "", "string.h",
     "static inline float nw_bits_i32_to_f32(int32_t x) { float y; memcpy(&y, &x, 4); return y; }"},
    {"nw_bits_u32_to_f32", "", "string.h",
     "static inline float nw_bits_u32_to_f32(uint32_t x) { float y; memcpy(&y, &x, 4); return y; }"},
    {"nw_bits_f64_to_u64", "", "string.h",
     "static inline uint64_t nw_bits_f64_to_u64(double x) { uint64_t y; memcpy(&y, &x, 8); return y; }"},
    {"nw_bits_u64_to_f64", "", "string.h",
     "static inline double nw_bits_u64_to_f64(uint64_t x) { double y; memcpy(&y, &x, 8); return y; }"},
    {"nw_bits_f64_to_i64", "", "string.h",
     "static inline int64_t nw_bits_f64_to_i64(double x) { int64_t y; memcpy(&y, &x, 8); return y; }"},
    {"nw_bits_i64_to_f64", "", "string.h",
     "static inline double nw_bits_i64_to_f64(int64_t x) { double y; memcpy(&y, &x, 8); return y; }"},
});

} // namespace

std::string CFamilyEmitter::definition(std::string_view, std::string_view text) const
{
    return std::string(text);
}

std::string CFamilyEmitter::helper(const std::string &name)
{
    for (const Helper &row : table) {
        if (row.name != name)
            continue;
        if (!row.header.empty())
            m_headers.emplace(row.header);
        for (std::string_view rest = row.needs; !rest.empty();) {
            const std::size_t end = rest.find(' ');
            helper(std::string(rest.substr(0, end)));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
        m_helpers.insert(name);
        return name;
    }
    throw support::UserError(
        support::diagnostic(codes::unsupported, "the conversion '" + name + "' cannot be written in C"));
}

std::vector<std::string> CFamilyEmitter::helperDefinitions() const
{
    std::vector<std::string> definitions;
    for (const std::string &name : m_helpers) {
        if (name.starts_with("extern "))
            definitions.push_back(name);
    }
    for (const Helper &row : table) { // in the order of the table, where needs come first
        if (m_helpers.contains(std::string(row.name)))
            definitions.push_back(definition(row.name, row.text));
    }
    return definitions;
}

} // namespace nestwright::codegen
