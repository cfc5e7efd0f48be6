// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/file/tensor_reader.h"

#include "core/ops/quantized/narrow.h"
#include "core/ops/quantized/narrow_data.h"
#include "core/support/errors/errors.h"
#include "core/support/files/input_file.h"
#include "core/support/files/mapped_file.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace nestwright::graph::onnx {

namespace {

using Proto = ::onnx::TensorProto;
namespace limits = support::limits;

struct TypeRow {
    int number;
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
    // Newer than the library's names of them.
    {23, "float4_e2m1fn"},
    {24, "float8_e8m0fnu"},
    {25, "uint2"},
    {26, "int2"},
};

[[noreturn]] void refuse(const Proto &proto, const std::string &what)
{
    throw support::UserError(
        support::diagnostic("onnx.tensor", std::format("the tensor \"{}\" {}", proto.name(), what)));
}

std::int64_t elementsOf(const Proto &proto)
{
    if (proto.dims_size() > static_cast<int>(limits::tensorRank))
        refuse(proto,
               std::format("has {} dimensions; at most {} are read", proto.dims_size(), limits::tensorRank));
    std::int64_t elements = 1;
    for (const std::int64_t size : proto.dims()) {
        if (size < 0)
            refuse(proto, std::format("has a dimension of {}", size));
        if (size != 0 && elements > limits::tensorElements / size)
            refuse(proto, "has 2^31 elements or more");
        elements *=
            std::max<std::int64_t>(size, 1); // the others are bounded where one dimension is empty, too
    }
    return std::ranges::contains(proto.dims(), 0) ? 0 : elements;
}

void requireCount(const Proto &proto, std::int64_t found, std::int64_t wanted)
{
    if (found != wanted)
        refuse(proto, std::format("has a shape of {} elements, but holds {}", wanted, found));
}

/// Narrow numbers stand in fields of wider ones, where others would fit too.
template <class T, class Field> void requireFit(const Proto &proto, const Field &field)
{
    const auto none = std::ranges::find_if(field, [](auto value) {
        if constexpr (std::is_integral_v<decltype(value)>)
            return !std::in_range<T>(value);
        return false;
    });
    if (none != field.end())
        refuse(proto,
               std::format("holds {}, which is no value of type {}", *none, typeName(proto.data_type())));
}

template <class T, class Field> void copyField(const Proto &proto, const Field &field, ir::NdArray &array)
{
    requireCount(proto, field.size(), array.size());
    requireFit<T>(proto, field);
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
        refuse(proto, std::format("has external data whose {} is \"{}\"", key, text));
    return value;
}

/// The bytes of a tensor in a file beside the model. They are known to be there before memory is taken for
/// them.
struct ExternalData {
    support::InputFile file;
    std::uint64_t offset = 0;
};

[[noreturn]] void refuseExternal(const Proto &proto, const std::string &message, const std::string &hint)
{
    throw support::UserError(
        support::diagnostic("onnx.external",
                            std::format("the data of the tensor \"{}\": {}", proto.name(), message))
            .withHint(hint));
}

ExternalData openExternal(const Proto &proto, const std::filesystem::path &folder, std::int64_t wanted)
{
    const std::string location = externalSetting(proto, "location");
    auto file = support::InputFile::openBelow(folder.string(), location);
    if (!file)
        refuseExternal(proto, file.error().message,
                       "keep the model and its data files, as plain files, in one folder");
    const std::int64_t length = externalNumber(proto, "length", wanted);
    const std::int64_t offset = externalNumber(proto, "offset", 0);
    if (length != wanted)
        refuseExternal(proto, std::format("{} bytes are given, its shape needs {}", length, wanted),
                       "export the model again");
    const std::uint64_t size = file->size();
    if (static_cast<std::uint64_t>(offset) > size || static_cast<std::uint64_t>(wanted) > size - offset)
        refuseExternal(proto,
                       std::format("\"{}\" ends too early: it has {} bytes, {} from {} on are needed",
                                   location, size, wanted, offset),
                       "copy the file again: it is cut off, or belongs to another model");
    return {std::move(*file), static_cast<std::uint64_t>(offset)};
}

void readExternal(const Proto &proto, const ExternalData &data, std::span<std::byte> bytes)
{
    if (const auto read = data.file.read(data.offset, bytes); !read)
        refuseExternal(proto, read.error().message, "copy the file again");
}

/// Bytes from which an array stays in its file until somebody reads it.
constexpr std::uint64_t leastMapped = 1 << 16;

/// The array in its file; nothing where it is small, or lies there as kernels cannot read it.
std::optional<ir::NdArray> mappedArray(const Proto &proto, const ExternalData &data, ir::DataType type)
{
    const std::vector<std::int64_t> shape(proto.dims().begin(), proto.dims().end());
    const auto bytes = static_cast<std::uint64_t>(ops::packedBytes(type, elementsOf(proto)));
    if (bytes < leastMapped || data.offset % ir::NdArray::alignment != 0 || type.isBool())
        return std::nullopt;
    std::shared_ptr<support::MappedFile> file = support::MappedFile::share(data.file);
    if (!file || file->bytes().size() < data.offset + bytes) // cut off since it was opened
        return std::nullopt;
    std::byte *memory = file->bytes().data() + data.offset;
    return ir::NdArray(type, shape, memory, std::move(file));
}

void readNarrow(const Proto &proto, const std::optional<ExternalData> &external, const RawData &raw,
                ir::DataType type, ir::NdArray &array)
{
    if (!external && raw) {
        ops::unpack(*raw, type, array);
        return;
    }
    const std::int64_t count = ops::packedBytes(type, array.size());
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    if (external) {
        readExternal(proto, *external, bytes);
    } else {
        requireCount(proto, proto.int32_data_size(), count);
        const auto none = std::ranges::find_if(proto.int32_data(), [](std::int32_t byte) {
            return !std::in_range<std::uint8_t>(byte) && !std::in_range<std::int8_t>(byte);
        });
        if (none != proto.int32_data().end())
            refuse(proto, std::format("holds {}, which is no byte of packed numbers", *none));
        std::ranges::transform(proto.int32_data(), bytes.begin(),
                               [](std::int32_t value) { return static_cast<std::byte>(value); });
    }
    ops::unpack(bytes, type, array);
}

} // namespace

std::optional<ir::DataType> declaredTypeOf(std::int64_t onnxType)
{
    const auto found =
        std::ranges::find(types, onnxType, [](const TypeRow &row) { return std::int64_t{row.number}; });
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
    return found == std::end(types) ? 0 : found->number;
}

std::string typeName(int onnxType)
{
    return Proto::DataType_IsValid(onnxType) ? Proto::DataType_Name(static_cast<Proto::DataType>(onnxType))
                                             : std::format("number {}", onnxType);
}

ir::NdArray arrayOf(Proto &proto, const TensorFiles &files, RawData raw)
{
    const std::optional<ir::DataType> type = declaredTypeOf(proto.data_type());
    if (!type)
        refuse(proto,
               std::format("has elements of type {}, which is not supported", typeName(proto.data_type())));
    const bool isInFile = raw && files.model;
    if (!raw && proto.has_raw_data())
        raw = std::as_bytes(std::span(proto.raw_data()));
    const std::int64_t elements = elementsOf(proto);
    std::optional<ExternalData> external;
    if (proto.data_location() == Proto::EXTERNAL)
        external = openExternal(proto, files.folder, ops::packedBytes(*type, elements));
    // Memory is only allocated for data in the file: a shape alone must not exhaust the memory.
    if (!external && raw)
        requireCount(proto, static_cast<std::int64_t>(raw->size()), ops::packedBytes(*type, elements));
    if (!external && !raw) {
        const std::int64_t held = proto.float_data_size() + proto.double_data_size() + proto.int64_data_size()
                                  + proto.int32_data_size() + proto.uint64_data_size();
        requireCount(proto, held, type->isNarrow() ? ops::packedBytes(*type, elements) : elements);
    }
    if (external && !type->isNarrow()) {
        if (auto mapped = mappedArray(proto, *external, *type))
            return std::move(*mapped);
    }
    std::vector<std::int64_t> shape(proto.dims().begin(), proto.dims().end());
    if (!external && isInFile && raw->size() >= leastMapped && !type->isNarrow() && !type->isBool())
        return {*type, std::move(shape),
                std::make_shared<support::DeferredMemory>(raw->data(), raw->size(), files.model)};
    ir::NdArray array(*ops::heldType(*type), std::move(shape));
    if (type->isNarrow()) {
        readNarrow(proto, external, raw, *type, array);
    } else if (external) {
        readExternal(proto, *external, array.bytes());
    } else if (raw) {
        std::ranges::copy(*raw, array.bytes().begin());
    } else {
        copyFields(proto, array);
    }
    std::string().swap(*proto.mutable_raw_data());
    array.normalizeBools();
    return array;
}

OnnxTensor textOf(const Proto &proto)
{
    requireCount(proto, proto.string_data_size(), elementsOf(proto));
    ir::NdArray places(ir::DataType::int64(), {proto.dims().begin(), proto.dims().end()});
    std::vector<std::string> texts;
    std::unordered_map<std::string_view, std::int64_t> known;
    for (int i = 0; i < proto.string_data_size(); ++i) {
        const auto [found, isNew] = known.emplace(proto.string_data(i), std::ssize(texts));
        if (isNew)
            texts.push_back(proto.string_data(i));
        places.data<std::int64_t>()[i] = found->second;
    }
    OnnxTensor text(std::make_shared<const ir::NdArray>(std::move(places)));
    text.texts = std::make_shared<const std::vector<std::string>>(std::move(texts));
    return text;
}

} // namespace nestwright::graph::onnx
