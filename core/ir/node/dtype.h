// SPDX-License-Identifier: Apache-2.0
/// The type of a scalar or vector value: a code, a width and a number of lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright::ir {

/// Narrow: a float of eight bits or fewer, in one of many formats, or an integer of four or two; read and
/// printed, but not computed with.
enum class TypeCode : std::uint8_t { Int, UInt, Float, BFloat, Bool, Handle, Void, Narrow };

/// Spelled as in TVMScript: "int32", "float32x8", "bool", "bfloat16", "handle", "float32xvscalex4".
struct DataType {
    TypeCode code = TypeCode::Void;
    std::uint8_t bits = 0;   ///< of one lane; Bool is 1, Handle 64
    std::uint16_t lanes = 1; ///< `scalableLanes(n)` for n times the vector length that the machine chooses
    std::uint8_t format = 0; ///< which Narrow one; 0 for all others

    /// `lanes` of a vector of `factor` times `T.vscale()` lanes. Such vectors are read and printed only.
    static constexpr int scalableLanes(int factor) { return scalableMark | factor; }

    static constexpr DataType int_(int bits, int lanes = 1) { return make(TypeCode::Int, bits, lanes); }
    static constexpr DataType uint(int bits, int lanes = 1) { return make(TypeCode::UInt, bits, lanes); }
    static constexpr DataType float_(int bits, int lanes = 1) { return make(TypeCode::Float, bits, lanes); }
    static constexpr DataType bfloat16(int lanes = 1) { return make(TypeCode::BFloat, 16, lanes); }
    static constexpr DataType boolean(int lanes = 1) { return make(TypeCode::Bool, 1, lanes); }
    static constexpr DataType handle() { return make(TypeCode::Handle, 64, 1); }
    static constexpr DataType void_() { return make(TypeCode::Void, 0, 1); }
    static constexpr DataType int32() { return int_(32); }
    static constexpr DataType int64() { return int_(64); }
    static constexpr DataType float32() { return float_(32); }

    bool isInt() const { return code == TypeCode::Int; }
    /// Int of one lane and of 32 bits or more, whose arithmetic counts as free of overflow.
    bool isIndex() const { return isInt() && bits >= 32 && !isVector(); }
    bool isUInt() const { return code == TypeCode::UInt; }
    /// Int, UInt or Bool.
    bool isIntegral() const { return isInt() || isUInt() || isBool(); }
    /// Float or BFloat.
    bool isFloating() const { return code == TypeCode::Float || code == TypeCode::BFloat; }
    bool isBool() const { return code == TypeCode::Bool; }
    bool isHandle() const { return code == TypeCode::Handle; }
    bool isNarrow() const { return code == TypeCode::Narrow; }
    bool isVector() const { return lanes > 1; }
    bool isScalable() const { return isScalable(lanes); }
    static constexpr bool isScalable(int lanes) { return lanes >= scalableMark; }
    /// n of a vector of n times `T.vscale()` lanes.
    static constexpr int scalableFactor(int lanes) { return lanes & ~scalableMark; }

    /// Bytes of one lane in memory (Bool takes 1).
    int bytes() const { return (bits + 7) / 8; }
    DataType withLanes(int count) const
    {
        DataType result = *this;
        result.lanes = static_cast<std::uint16_t>(count);
        return result;
    }
    DataType element() const { return withLanes(1); }

    std::string str() const;
    /// Empty when `text` is no type.
    static std::optional<DataType> parse(std::string_view text);

    bool operator==(const DataType &) const = default;

private:
    static constexpr int scalableMark = 0x8000;
    static constexpr DataType make(TypeCode code, int bits, int lanes)
    {
        return {code, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes), 0};
    }
};

} // namespace nestwright::ir
