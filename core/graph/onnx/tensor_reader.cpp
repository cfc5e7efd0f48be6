// SPDX-License-Identifier: Apache-2.0
#include "core/graph/onnx/tensor_reader.h"

#include "core/ops/tensor/narrow.h"
#include "core/support/errors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <format>
#include <fstream>
#include <limits>

namespace nestwright::graph::onnx {

namespace {

using Proto = ::onnx::TensorProto;

struct TypeRow {
    Proto::DataType number;
    std::string_view dtype;
};

constexpr TypeRow types[] = {
    {Proto::FLOAT, "float32"},
    {Proto::UINT8, "uint8"},
    {Proto::INT8, "int8"},
    {Proto::UINT16, "uint16"},
    {Proto::INT16, "int16"},
    {Proto::INT32, "int32"},
    {Proto::INT64, "int64"},
    {Proto::BOOL, "bool"},
    {Proto::FLOAT16, "float16"},
    {Proto::DOUBLE, "float64"},
    {Proto::UINT32, "uint32"},
    {Proto::UINT64, "uint64"},
    {Proto::BFLOAT16, "bfloat16"},
    {Proto::INT4, "int4"},
    {Proto::UINT4, "uint4"},
    {Proto::FLOAT8E4M3FN, "float8_e4m3fn"},
    {Proto::FLOAT8E4M3FNUZ, "float8_e4m3fnuz"},
    {Proto::FLOAT8E5M2, "float8_e5m2"},
    {Proto::FLOAT8E5M2FNUZ, "float8_e5m2fnuz"},
};

/// The longest array that is read: 2^31 elements and more have no 32-bit index.
constexpr std::int64_t mostElements = (std::int64_t{1} << 31) - 1;

[[noreturn]] void refuse(const Proto &proto, const std::string &what)
{
    throw support::ScheduleError(
        support::diagnostic("onnx.tensor", std::format("the tensor \"{}\" {}", proto.name(), what)));
}

std::int64_t elementsOf(const Proto &proto)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : proto.dims()) {
        if (size < 0)
            refuse(proto, std::format("has a dimension of {}", size));
        if (size != 0 && elements > mostElements / size)
            refuse(proto, "has 2^31 elements or more");
        elements *= size;
    }
    return elements;
}

void requireCount(const Proto &proto, std::int64_t found, std::int64_t wanted)
{
    if (found != wanted)
        refuse(proto, std::format("has a shape of {} elements, but holds {}", wanted, found));
}

template <class T, class Field> void copyField(const Proto &proto, const Field &field, ir::NdArray &array)
{
    requireCount(proto, field.size(), array.size());
    std::ranges::transform(field, array.data<T>(), [](auto value) { return static_cast<T>(value); });
}

/// Numbers that stand in the field of their kind, not as bytes.
void copyFields(const Proto &proto, ir::NdArray &array)
{
    switch (proto.data_type()) {
    case Proto::FLOAT: return copyField<float>(proto, proto.float_data(), array);
    case Proto::DOUBLE: return copyField<double>(proto, proto.double_data(), array);
    case Proto::INT64: return copyField<std::int64_t>(proto, proto.int64_data(), array);
    case Proto::UINT64: return copyField<std::uint64_t>(proto, proto.uint64_data(), array);
    case Proto::UINT32: return copyField<std::uint32_t>(proto, proto.uint64_data(), array);
    case Proto::INT32: return copyField<std::int32_t>(proto, proto.int32_data(), array);
    case Proto::INT16: return copyField<std::int16_t>(proto, proto.int32_data(), array);
    case Proto::FLOAT16:
    case Proto::BFLOAT16:
    case Proto::UINT16: return copyField<std::uint16_t>(proto, proto.int32_data(), array);
    case Proto::INT8: return copyField<std::int8_t>(proto, proto.int32_data(), array);
    case Proto::UINT8:
    case Proto::BOOL: return copyField<std::uint8_t>(proto, proto.int32_data(), array);
    default: refuse(proto, "is of a type without a field");
    }
}

std::string externalSetting(const Proto &proto, std::string_view key)
{
    for (const auto &entry : proto.external_data()) {
        if (entry.key() == key)
            return entry.value();
    }
    return {};
}

std::int64_t externalNumber(const Proto &proto, std::string_view key, std::int64_t otherwise)
{
    const std::string text = externalSetting(proto, key);
    if (text.empty())
        return otherwise;
    std::int64_t value = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ptr != text.data() + text.size() || value < 0)
        refuse(proto, std::format("has external data with a {} of \"{}\"", key, text));
    return value;
}

void readExternal(const Proto &proto, const std::filesystem::path &folder, std::span<std::byte> bytes)
{
    const auto fail = [&](const std::string &message) {
        throw support::ScheduleError(
            support::diagnostic("onnx.external",
                                std::format("the data of the tensor \"{}\": {}", proto.name(), message))
                .withHint("keep the model and its data files in one folder"));
    };
    const std::filesystem::path location(externalSetting(proto, "location"));
    const std::filesystem::path plain = location.lexically_normal();
    if (location.empty() || plain.is_absolute() || *plain.begin() == "..")
        fail(std::format("the file \"{}\" is not below the model's folder", location.string()));
    std::ifstream file(folder / plain, std::ios::binary);
    if (!file)
        fail(std::format("there is no file \"{}\"", (folder / plain).string()));
    const auto wanted = static_cast<std::int64_t>(bytes.size());
    const std::int64_t length = externalNumber(proto, "length", wanted);
    if (length != wanted)
        fail(std::format("{} bytes are given, its shape needs {}", length, wanted));
    file.seekg(externalNumber(proto, "offset", 0));
    file.read(reinterpret_cast<char *>(bytes.data()), wanted);
    if (file.gcount() != wanted)
        fail(std::format("\"{}\" ends too early", location.string()));
}

/// Bytes, or numbers of one of the fields, that a file has for so many elements.
std::int64_t storedCount(ir::DataType type, std::int64_t elements)
{
    return type.bits == 4 ? (elements + 1) / 2 : elements;
}

/// The number that `bits` stand for in a format of eight.
double valueOf(const ops::NarrowFloat &format, unsigned bits)
{
    const unsigned ones = (1U << format.mantissaBits) - 1, fraction = bits & ones;
    const auto exponent = static_cast<int>((bits & 0x7fU) >> format.mantissaBits);
    const double magnitude =
        std::ldexp(exponent == 0 ? fraction : ones + 1 + fraction,
                   format.leastExponent - format.mantissaBits + std::max(0, exponent - 1));
    const bool isNegativeZero = bits == 0x80;
    if (magnitude > format.greatest ? !format.hasInfinities || fraction != 0
                                    : isNegativeZero && !format.hasNegativeZero)
        return std::numeric_limits<double>::quiet_NaN();
    const double value = magnitude > format.greatest ? std::numeric_limits<double>::infinity() : magnitude;
    return bits >= 0x80 ? -value : value;
}

/// Elements of 4 bits, the lower half of a byte first, or of 8 as those of the type that they are held in.
void widen(std::span<const std::byte> bytes, ir::DataType type, ir::NdArray &array)
{
    if (const auto format = ops::narrowFloat(type)) {
        std::array<std::uint16_t, 256> values{};
        for (unsigned bits = 0; bits < values.size(); ++bits)
            values[bits] = ir::floatToHalf(static_cast<float>(valueOf(*format, bits)));
        std::ranges::transform(bytes, array.data<std::uint16_t>(),
                               [&](std::byte bits) { return values[std::to_integer<std::size_t>(bits)]; });
        return;
    }
    const int sign = array.dtype().isInt() ? 8 : 0;
    for (std::int64_t i = 0; i < array.size(); ++i) {
        const int both = std::to_integer<int>(bytes[static_cast<std::size_t>(i / 2)]);
        const int bits = (i % 2 == 0 ? both : both >> 4) & 15;
        array.data<std::uint8_t>()[i] = static_cast<std::uint8_t>((bits ^ sign) - sign);
    }
}

void readNarrow(const Proto &proto, const std::filesystem::path &folder, ir::DataType type,
                ir::NdArray &array)
{
    if (proto.data_location() != Proto::EXTERNAL && proto.has_raw_data()) {
        widen(std::as_bytes(std::span(proto.raw_data())), type, array);
        return;
    }
    const std::int64_t count = storedCount(type, array.size());
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    if (proto.data_location() == Proto::EXTERNAL) {
        readExternal(proto, folder, bytes);
    } else {
        requireCount(proto, proto.int32_data_size(), count);
        std::ranges::transform(proto.int32_data(), bytes.begin(),
                               [](std::int32_t value) { return static_cast<std::byte>(value); });
    }
    widen(bytes, type, array);
}

} // namespace

std::optional<ir::DataType> declaredTypeOf(std::int64_t onnxType)
{
    const auto found = std::ranges::find(
        types, onnxType, [](const TypeRow &row) { return static_cast<std::int64_t>(row.number); });
    return found == std::end(types) ? std::nullopt : ir::DataType::parse(found->dtype);
}

std::optional<ir::DataType> elementTypeOf(std::int64_t onnxType)
{
    return declaredTypeOf(onnxType).and_then(&ops::heldType);
}

ir::DataType narrowTypeOf(std::int64_t onnxType)
{
    const auto type = declaredTypeOf(onnxType);
    return type && type->isNarrow() ? *type : ir::DataType();
}

int onnxType(ir::DataType type)
{
    const std::string text = type.str();
    const auto found = std::ranges::find(types, text, &TypeRow::dtype);
    return found == std::end(types) ? 0 : static_cast<int>(found->number);
}

std::string typeName(int onnxType)
{
    return Proto::DataType_IsValid(onnxType) ? Proto::DataType_Name(static_cast<Proto::DataType>(onnxType))
                                             : std::format("number {}", onnxType);
}

ir::NdArray arrayOf(Proto &proto, const std::filesystem::path &folder)
{
    const std::optional<ir::DataType> type = declaredTypeOf(proto.data_type());
    if (!type)
        refuse(proto,
               std::format("has elements of type {}, which is not supported", typeName(proto.data_type())));
    const std::int64_t elements = elementsOf(proto);
    const bool external = proto.data_location() == Proto::EXTERNAL;
    // What the file does not hold is not allocated either: a shape alone must not exhaust the memory.
    if (!external && proto.has_raw_data())
        requireCount(proto, static_cast<std::int64_t>(proto.raw_data().size()),
                     storedCount(*type, elements) * type->bytes());
    if (!external && !proto.has_raw_data()) {
        const std::int64_t held = proto.float_data_size() + proto.double_data_size() + proto.int64_data_size()
                                  + proto.int32_data_size() + proto.uint64_data_size();
        requireCount(proto, held, storedCount(*type, elements));
    }
    ir::NdArray array(*ops::heldType(*type), {proto.dims().begin(), proto.dims().end()});
    if (type->isNarrow()) {
        readNarrow(proto, folder, *type, array);
    } else if (external) {
        readExternal(proto, folder, array.bytes());
    } else if (proto.has_raw_data()) {
        std::memcpy(array.bytes().data(), proto.raw_data().data(), array.bytes().size());
    } else {
        copyFields(proto, array);
    }
    std::string().swap(*proto.mutable_raw_data());
    array.normalizeBools();
    return array;
}

} // namespace nestwright::graph::onnx
