// SPDX-License-Identifier: Apache-2.0
/// Bytes of ONNX files, written field by field, so that tests can make files that no library would write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright::tests::onnx {

inline std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value > 0x7f; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

/// A field of that number: a number, or bytes (text, or a message).
inline std::string field(int number, std::int64_t value)
{
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(static_cast<std::uint64_t>(value));
}
inline std::string field(int number, std::string_view bytes)
{
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

using Names = std::vector<std::string>;
using Sizes = std::vector<std::int64_t>;

enum Type : std::uint8_t { Float = 1, Int8 = 3, Int64 = 7, Int4 = 22, Float8 = 17 };

// Attributes.
inline std::string integer(std::string_view name, std::int64_t value)
{
    return field(5, field(1, name) + field(3, value) + field(20, std::int64_t{2}));
}
inline std::string integers(std::string_view name, const Sizes &values)
{
    std::string bytes = field(1, name) + field(20, std::int64_t{7});
    for (const std::int64_t value : values)
        bytes += field(8, value);
    return field(5, bytes);
}
inline std::string reals(std::string_view name, const std::vector<float> &values)
{
    std::string bytes = field(1, name) + field(20, std::int64_t{6});
    for (const float value : values)
        bytes += varint(7 << 3 | 5) + std::string(reinterpret_cast<const char *>(&value), sizeof value);
    return field(5, bytes);
}
inline std::string texts(std::string_view name, const Names &values)
{
    std::string bytes = field(1, name) + field(20, std::int64_t{8});
    for (const std::string &value : values)
        bytes += field(9, value);
    return field(5, bytes);
}
inline std::string graphAttribute(std::string_view name, std::string_view graph)
{
    return field(5, field(1, name) + field(6, graph) + field(20, std::int64_t{5}));
}

/// A node of a graph or, with `number` 7, of a function.
inline std::string node(std::string_view op, const Names &inputs, const Names &outputs,
                        const std::string &attributes = {}, std::string_view domain = {}, int number = 1)
{
    std::string bytes;
    for (const std::string &input : inputs)
        bytes += field(1, input);
    for (const std::string &output : outputs)
        bytes += field(2, output);
    bytes += field(4, op) + attributes + (domain.empty() ? std::string() : field(7, domain));
    return field(number, bytes);
}

/// An input (11) or output (12) of a graph.
inline std::string value(int number, std::string_view name, const Sizes &shape, std::int64_t type = Float)
{
    std::string sizes;
    for (const std::int64_t size : shape)
        sizes += field(1, field(1, size));
    return field(number, field(1, name) + field(2, field(1, field(1, type) + field(2, sizes))));
}
inline std::string input(std::string_view name, const Sizes &shape, std::int64_t type = Float)
{
    return value(11, name, shape, type);
}
inline std::string output(std::string_view name) { return value(12, name, {}); }

inline std::string tensor(std::string_view name, const Sizes &shape, std::int64_t type, std::string_view raw)
{
    std::string bytes;
    for (const std::int64_t size : shape)
        bytes += field(1, size);
    return bytes + field(2, type) + field(8, name) + (raw.empty() ? std::string() : field(9, raw));
}
/// Integers that a node needs when the model is opened.
inline std::string weight(std::string_view name, const Sizes &values)
{
    const std::string_view raw(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(std::int64_t));
    return field(5, tensor(name, {static_cast<std::int64_t>(values.size())}, Int64, raw));
}
/// A tensor whose data lie in another file.
inline std::string externalWeight(std::string_view name, const Sizes &shape,
                                  const std::vector<std::pair<std::string, std::string>> &settings)
{
    std::string bytes = tensor(name, shape, Float, {}) + field(14, std::int64_t{1});
    for (const auto &[key, text] : settings)
        bytes += field(13, field(1, key) + field(2, text));
    return field(5, bytes);
}

inline std::string model(std::string_view graph, std::string_view more = {}, std::int64_t opset = 18)
{
    return field(1, std::int64_t{8}) + field(8, field(2, opset)) + field(7, graph) + std::string(more);
}

} // namespace nestwright::tests::onnx
