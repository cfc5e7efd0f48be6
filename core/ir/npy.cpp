// SPDX-License-Identifier: Apache-2.0
#include "core/ir/npy.h"

#include "core/support/files/atomic_file.h"
#include "core/support/files/input_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <format>
#include <optional>
#include <string_view>
#include <vector>

namespace nestwright::ir {

using support::diagnostic;
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

/// The value after `'key':` in the header's dictionary.
std::string_view valueOf(std::string_view header, std::string_view key)
{
    const auto at = header.find(key);
    if (at == std::string_view::npos)
        return {};
    const auto colon = header.find(':', at);
    if (colon == std::string_view::npos)
        return {};
    return header.substr(std::min(header.find_first_not_of(' ', colon + 1), header.size()));
}

std::optional<DataType> typeOf(std::string_view descr)
{
    if (descr.size() < 5 || descr[4] != descr[0] || (descr[1] != '<' && descr[1] != '|' && descr[1] != '='))
        return std::nullopt;
    for (const auto &[code, type] : typeCodes) {
        if (descr.substr(2, 2) == code)
            return type;
    }
    return std::nullopt;
}

/// Nothing where it is no tuple of sizes, for too many of them, and where their product is none that an array
/// can have.
std::optional<std::vector<std::int64_t>> shapeOf(std::string_view text)
{
    const auto close = text.find(')');
    if (!text.starts_with('(') || close == std::string_view::npos)
        return std::nullopt;
    std::vector<std::int64_t> shape;
    for (std::string_view rest = text.substr(1, close - 1); !rest.empty();) {
        const auto comma = std::min(rest.find(','), rest.size());
        std::string_view item = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
        if (item.empty())
            continue;
        std::int64_t extent = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), extent);
        const std::string_view behind(end, item.data() + item.size()); // Python 2 wrote 3L
        if (error != std::errc() || extent < 0 || behind.find_first_not_of(" L") != std::string_view::npos)
            return std::nullopt;
        shape.push_back(extent);
    }
    return shape;
}

/// The number of elements; nothing where there are more than an array can have.
std::optional<std::int64_t> countOf(const std::vector<std::int64_t> &shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent != 0 && count > support::limits::tensorElements / extent)
            return std::nullopt;
        count *=
            std::max<std::int64_t>(extent, 1); // the others are bounded where one dimension is empty, too
    }
    return std::ranges::contains(shape, 0) ? 0 : count;
}

/// The beginning of a text of the file, for messages.
std::string printable(std::string_view text)
{
    std::string shown(text.substr(0, std::min<std::size_t>(text.find('\n'), 20)));
    std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
    return shown;
}

struct Header {
    DataType dtype;
    std::vector<std::int64_t> shape;
    std::size_t dataAt = 0, dataBytes = 0; ///< in the file
};

/// The longest beginning of a file that can matter: the dictionary of 64 dimensions is far shorter.
constexpr std::size_t mostHeaderBytes = 1 << 16;

/// `start` is the file's beginning, `fileBytes` the length of all of it.
Result<Header> headerOf(std::string_view start, std::uint64_t fileBytes, const std::string &path)
{
    const auto wrong = [&](const std::string &what) {
        return fail(diagnostic("npy.format", std::format("\"{}\" {}", path, what))
                        .withHint("write the array with numpy.save"));
    };
    if (start.size() < 12 || !start.starts_with(magic))
        return wrong("is no .npy file");
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
    };
    const bool isShort = start[6] == 1;
    const std::size_t begin = isShort ? 10 : 12;
    const std::size_t length =
        isShort ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (length > start.size() - begin)
        return wrong(
            std::format("has a header of {} bytes, but only {} are there", length, start.size() - begin));
    const std::string_view text = start.substr(begin, length);
    const auto dtype = typeOf(valueOf(text, "'descr'"));
    auto shape = shapeOf(valueOf(text, "'shape'"));
    if (!dtype)
        return wrong("has elements of a type that is not read (" + printable(valueOf(text, "'descr'")) + ")");
    if (!shape)
        return wrong("has no shape that is understood (" + printable(valueOf(text, "'shape'")) + ")");
    if (valueOf(text, "'fortran_order'").starts_with("True"))
        return fail(diagnostic("npy.format", std::format("\"{}\" is column-major", path))
                        .withHint("save it with numpy.ascontiguousarray"));
    const auto count = countOf(*shape);
    if (shape->size() > support::limits::tensorRank || !count)
        return wrong(std::format("has a shape of {}; at most {} dimensions and 2^31 - 1 elements are read",
                                 shape->size() > support::limits::tensorRank
                                     ? std::format("{} dimensions", shape->size())
                                     : "too many elements",
                                 support::limits::tensorRank));
    Header header{*dtype, std::move(*shape), begin + length,
                  static_cast<std::size_t>(*count) * static_cast<std::size_t>(dtype->bytes())};
    if (fileBytes - header.dataAt != header.dataBytes)
        return wrong(std::format("holds {} bytes of data, but its shape needs {}", fileBytes - header.dataAt,
                                 header.dataBytes));
    return header;
}

Result<Header> readHeader(const support::InputFile &file, const std::string &path)
{
    std::string start(std::min<std::uint64_t>(file.size(), mostHeaderBytes), '\0');
    if (auto read = file.read(0, std::as_writable_bytes(std::span(start))); !read)
        return fail(read.error());
    return headerOf(start, file.size(), path);
}

} // namespace

Result<NdArray> readNpy(const std::string &path)
{
    const auto file = support::InputFile::open(path);
    if (!file)
        return fail(file.error());
    auto header = readHeader(*file, path);
    if (!header)
        return fail(header.error());
    NdArray array(header->dtype, std::move(header->shape));
    if (auto read = file->read(header->dataAt, array.bytes()); !read)
        return fail(read.error());
    array.normalizeBools();
    return array;
}

Result<ArrayType> readNpyType(const std::string &path)
{
    const auto file = support::InputFile::open(path);
    if (!file)
        return fail(file.error());
    auto header = readHeader(*file, path);
    if (!header)
        return fail(header.error());
    return ArrayType{header->dtype, std::move(header->shape)};
}

Result<NdArray> readNpyBytes(std::span<const std::byte> bytes, const std::string &path)
{
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    auto header = headerOf(text.substr(0, mostHeaderBytes), bytes.size(), path);
    if (!header)
        return fail(header.error());
    NdArray array(header->dtype, std::move(header->shape));
    std::ranges::copy(bytes.subspan(header->dataAt), array.bytes().begin());
    array.normalizeBools();
    return array;
}

Result<void> writeNpy(const std::string &path, const NdArray &array)
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
    std::string text = std::format("{}\x01{}{}{}{}", magic, '\0', static_cast<char>(header.size() & 0xff),
                                   static_cast<char>(header.size() >> 8), header);
    text.append(reinterpret_cast<const char *>(array.bytes().data()), array.bytes().size());
    if (auto written = support::writeAtomically(path, text); !written)
        return fail(written.error());
    return {};
}

} // namespace nestwright::ir
