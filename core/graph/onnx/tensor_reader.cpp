// SPDX-License-Identifier: Apache-2.0
#include "core/graph/onnx/tensor_reader.h"

#include "core/support/errors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <format>
#include <fstream>

namespace nestwright::graph::onnx {

namespace {

using Proto = ::onnx::TensorProto;

struct TypeRow {
    Proto::DataType number;
    std::string_view dtype;
};

constexpr TypeRow types[] = {
    {Proto::FLOAT, "float32"},     {Proto::UINT8, "uint8"},   {Proto::INT8, "int8"},
    {Proto::UINT16, "uint16"},     {Proto::INT16, "int16"},   {Proto::INT32, "int32"},
    {Proto::INT64, "int64"},       {Proto::BOOL, "bool"},     {Proto::FLOAT16, "float16"},
    {Proto::DOUBLE, "float64"},    {Proto::UINT32, "uint32"}, {Proto::UINT64, "uint64"},
    {Proto::BFLOAT16, "bfloat16"},
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

void readExternal(const Proto &proto, const std::filesystem::path &folder, ir::NdArray &array)
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
    const auto wanted = static_cast<std::int64_t>(array.bytes().size());
    const std::int64_t length = externalNumber(proto, "length", wanted);
    if (length != wanted)
        fail(std::format("{} bytes are given, its shape needs {}", length, wanted));
    file.seekg(externalNumber(proto, "offset", 0));
    file.read(reinterpret_cast<char *>(array.bytes().data()), wanted);
    if (file.gcount() != wanted)
        fail(std::format("\"{}\" ends too early", location.string()));
}

} // namespace

std::optional<ir::DataType> elementTypeOf(std::int64_t onnxType)
{
    const auto found = std::ranges::find(
        types, onnxType, [](const TypeRow &row) { return static_cast<std::int64_t>(row.number); });
    return found == std::end(types) ? std::nullopt : ir::DataType::parse(found->dtype);
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
    const std::optional<ir::DataType> type = elementTypeOf(proto.data_type());
    if (!type)
        refuse(proto,
               std::format("has elements of type {}, which is not supported", typeName(proto.data_type())));
    const std::int64_t elements = elementsOf(proto);
    const bool external = proto.data_location() == Proto::EXTERNAL;
    // What the file does not hold is not allocated either: a shape alone must not exhaust the memory.
    if (!external && proto.has_raw_data())
        requireCount(proto, static_cast<std::int64_t>(proto.raw_data().size()), elements * type->bytes());
    if (!external && !proto.has_raw_data()) {
        const std::int64_t held = proto.float_data_size() + proto.double_data_size() + proto.int64_data_size()
                                  + proto.int32_data_size() + proto.uint64_data_size();
        requireCount(proto, held, elements);
    }
    ir::NdArray array(*type, {proto.dims().begin(), proto.dims().end()});
    if (external) {
        readExternal(proto, folder, array);
    } else if (proto.has_raw_data()) {
        std::memcpy(array.bytes().data(), proto.raw_data().data(), array.bytes().size());
        std::string().swap(*proto.mutable_raw_data());
    } else {
        copyFields(proto, array);
    }
    array.normalizeBools();
    return array;
}

} // namespace nestwright::graph::onnx
