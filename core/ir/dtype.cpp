// SPDX-License-Identifier: Apache-2.0
#include "core/ir/dtype.h"

#include <array>
#include <charconv>
#include <utility>

namespace nestwright::ir {

namespace {

constexpr std::array<std::pair<std::string_view, DataType>, 13> scalarTypes{{
    {"int8", DataType::int_(8)},
    {"int16", DataType::int_(16)},
    {"int32", DataType::int_(32)},
    {"int64", DataType::int_(64)},
    {"uint8", DataType::uint(8)},
    {"uint16", DataType::uint(16)},
    {"uint32", DataType::uint(32)},
    {"uint64", DataType::uint(64)},
    {"float16", DataType::float_(16)},
    {"float32", DataType::float_(32)},
    {"float64", DataType::float_(64)},
    {"bfloat16", DataType::bfloat16()},
    {"bool", DataType::boolean()},
}};

} // namespace

std::string DataType::str() const
{
    if (isHandle())
        return "handle";
    if (code == TypeCode::Void)
        return "void";
    std::string text;
    for (const auto &[name, type] : scalarTypes) {
        if (type == element())
            text = name;
    }
    if (lanes > 1)
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
        const std::string_view digits = text.substr(name.size() + 1);
        int lanes = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), lanes);
        if (error == std::errc() && end == digits.data() + digits.size() && lanes > 1 && lanes <= 4096)
            return type.withLanes(lanes);
    }
    return std::nullopt;
}

} // namespace nestwright::ir
