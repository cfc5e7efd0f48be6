// SPDX-License-Identifier: Apache-2.0
#include "app/cli/npy.h"

#include "core/support/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace nestwright::cli {

using ir::DataType;
using support::fail;
using support::Result;

namespace {

constexpr std::string_view magic = "\x93NUMPY";

constexpr std::pair<std::string_view, DataType> typeCodes[] = {
    {"i1", DataType::int_(8)},    {"i2", DataType::int_(16)},   {"i4", DataType::int_(32)},
    {"i8", DataType::int_(64)},   {"u1", DataType::uint(8)},    {"u2", DataType::uint(16)},
    {"u4", DataType::uint(32)},   {"u8", DataType::uint(64)},   {"f2", DataType::float_(16)},
    {"f4", DataType::float_(32)}, {"f8", DataType::float_(64)}, {"b1", DataType::boolean()},
};

/// What stands after `'key':` in the header's dictionary.
std::string_view valueOf(std::string_view header, std::string_view key)
{
    const auto at = header.find(key);
    if (at == std::string_view::npos)
        return {};
    const auto colon = header.find(':', at);
    return colon == std::string_view::npos ? std::string_view()
                                           : header.substr(header.find_first_not_of(' ', colon + 1));
}

std::optional<DataType> typeOf(std::string_view descr)
{
    if (descr.size() < 5 || (descr[1] != '<' && descr[1] != '|' && descr[1] != '='))
        return std::nullopt;
    for (const auto &[code, type] : typeCodes) {
        if (descr.substr(2, 2) == code)
            return type;
    }
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> shapeOf(std::string_view text)
{
    const auto close = text.find(')');
    if (text.empty() || text[0] != '(' || close == std::string_view::npos)
        return std::nullopt;
    std::vector<std::int64_t> shape;
    std::istringstream items{std::string(text.substr(1, close - 1))};
    for (std::string item; std::getline(items, item, ',');) {
        if (item.find_first_not_of(' ') == std::string::npos)
            continue;
        char *end = nullptr;
        const std::int64_t extent = std::strtoll(item.c_str(), &end, 10);
        if (end == item.c_str() || extent < 0)
            return std::nullopt;
        shape.push_back(extent);
    }
    return shape;
}

} // namespace

Result<ir::NdArray> readNpy(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return fail("open.no-file", "'" + path + "' cannot be opened: " + std::strerror(errno));
    std::ostringstream stream;
    stream << file.rdbuf();
    const std::string bytes = std::move(stream).str();
    if (bytes.size() < 12 || !bytes.starts_with(magic))
        return fail("npy.format", "'" + path + "' is no .npy file");
    const bool shortHeader = bytes[6] == 1;
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
    };
    const std::size_t length =
        shortHeader ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    const std::size_t start = shortHeader ? 10 : 12;
    const std::string_view header = std::string_view(bytes).substr(start, length);
    const auto dtype = typeOf(valueOf(header, "'descr'"));
    const auto shape = shapeOf(valueOf(header, "'shape'"));
    if (!dtype || !shape)
        return fail("npy.format",
                    "'" + path + "' has a type or shape that is not understood: " + std::string(header));
    if (valueOf(header, "'fortran_order'").starts_with("True"))
        return fail("npy.format", "'" + path + "' is column-major; save it with numpy.ascontiguousarray");
    std::size_t wanted = static_cast<std::size_t>(dtype->bytes());
    for (const std::int64_t extent : *shape)
        wanted *= static_cast<std::size_t>(extent);
    if (bytes.size() - std::min(bytes.size(), start + length) != wanted)
        return fail("npy.format", "'" + path + "' holds " + std::to_string(bytes.size() - start - length)
                                      + " bytes of data, but its shape needs " + std::to_string(wanted));
    ir::NdArray array(*dtype, *shape);
    std::memcpy(array.bytes().data(), bytes.data() + start + length, wanted);
    array.normalizeBools();
    return array;
}

Result<void> writeNpy(const std::string &path, const ir::NdArray &array)
{
    std::string_view code = "u2";
    for (const auto &[each, type] : typeCodes) {
        if (type == array.dtype())
            code = each;
    }
    std::string header = "{'descr': '" + std::string(array.dtype().bytes() == 1 ? "|" : "<")
                         + std::string(code) + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t extent : array.shape())
        header += std::to_string(extent) + ", ";
    header += "), }";
    header.append(63 - (magic.size() + 4 + header.size()) % 64, ' ');
    header += '\n';
    std::string text(magic);
    text += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    text += header;
    text.append(reinterpret_cast<const char *>(array.bytes().data()), array.bytes().size());
    if (auto written = support::writeAtomically(path, text); !written)
        return fail(written.error());
    return {};
}

} // namespace nestwright::cli
