// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/dtype.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace nestwright::ir {

namespace {

constexpr DataType narrow(std::uint8_t bits, std::uint8_t format)
{
    return {TypeCode::Narrow, bits, 1, format};
}

constexpr std::array<std::pair<std::string_view, DataType>, 29> scalarTypes{{
    {"int8", DataType::int_(8)},       {"int16", DataType::int_(16)},
    {"int32", DataType::int_(32)},     {"int64", DataType::int_(64)},
    {"uint8", DataType::uint(8)},      {"uint16", DataType::uint(16)},
    {"uint32", DataType::uint(32)},    {"uint64", DataType::uint(64)},
    {"float16", DataType::float_(16)}, {"float32", DataType::float_(32)},
    {"float64", DataType::float_(64)}, {"bfloat16", DataType::bfloat16()},
    {"bool", DataType::boolean()},     {"float8_e3m4", narrow(8, 1)},
    {"float8_e4m3", narrow(8, 2)},     {"float8_e4m3b11fnuz", narrow(8, 3)},
    {"float8_e4m3fn", narrow(8, 4)},   {"float8_e4m3fnuz", narrow(8, 5)},
    {"float8_e5m2", narrow(8, 6)},     {"float8_e5m2fnuz", narrow(8, 7)},
    {"float8_e8m0fnu", narrow(8, 8)},  {"float6_e2m3fn", narrow(6, 9)},
    {"float6_e3m2fn", narrow(6, 10)},  {"float4_e2m1fn", narrow(4, 11)},
    {"int4", narrow(4, 12)},           {"uint4", narrow(4, 13)},
    {"int2", narrow(2, 14)},           {"uint2", narrow(2, 15)},
    {"uint1", DataType::boolean()}, // an older name, so behind the newer
}};

} // namespace

std::string DataType::str() const
{
    if (isHandle())
        return "handle";
    if (code == TypeCode::Void)
        return "void";
    std::string text;
    const auto known =
        std::ranges::find(scalarTypes, element(), &std::pair<std::string_view, DataType>::second);
    if (known != scalarTypes.end())
        text = known->first;
    if (isScalable())
        text += "xvscalex" + std::to_string(scalableFactor(lanes));
    else if (lanes > 1)
        text += 'x' + std::to_string(lanes);
    return text;
}

std::optional<DataType> DataType::parse(std::string_view text)
{
    if (text == "handle")
        return handle();
    if (text == "void")
        return void_();
    for (const auto &[name, type] : scalarTypes) {
        if (text == name)
            return type;
        if (!text.starts_with(name) || text[name.size()] != 'x')
            continue;
        std::string_view digits = text.substr(name.size() + 1);
        const bool scalable = digits.starts_with("vscalex");
        if (scalable)
            digits.remove_prefix(7);
        int lanes = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), lanes);
        if (error == std::errc() && end == digits.data() + digits.size() && lanes > (scalable ? 0 : 1)
            && lanes <= 4096)
            return type.withLanes(scalable ? scalableLanes(lanes) : lanes);
    }
    return std::nullopt;
}

} // namespace nestwright::ir
