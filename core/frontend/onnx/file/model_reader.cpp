// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/file/model.h"
#include "core/frontend/onnx/file/other_file.h"
#include "core/frontend/onnx/file/serialized_model.h"
#include "core/frontend/onnx/file/tensor_reader.h"
#include "core/ops/quantized/narrow_data.h"
#include "core/support/errors/errors.h"
#include "core/support/files/atomic_file.h"
#include "core/support/files/input_file.h"
#include "core/support/files/mapped_file.h"
#include "core/support/parallel.h"

#include <onnx/onnx-data.pb.h>

#include <filesystem>
#include <format>
#include <fstream>
#include <limits>
#include <span>
#include <unordered_set>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr std::size_t mostMessageBytes = std::numeric_limits<int>::max(); ///< of a message

support::Diagnostic tooLong(const std::string &path, std::string_view what)
{
    return diagnostic("onnx.format", std::format("\"{}\" is no {}: it has more than 2 GB", path, what))
        .withHint("a file of more than 2 GB must keep its weights as external data");
}

support::Diagnostic noMessage(std::string_view bytes, const std::string &path, std::string_view what)
{
    if (auto other = otherFile(bytes, path, what))
        return *other;
    return diagnostic("onnx.format", std::format("\"{}\" is no {}, or is cut off", path, what))
        .withHint("download or export the file again");
}

template <class Message> bool parse(std::string_view bytes, Message &message)
{
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

using MappedModel = std::shared_ptr<support::MappedFile>;

/// Result of `parsed` for the file's bytes, and the file where it is mapped, else null. Errors: those of
/// InputFile::open and of `parsed`, "onnx.format" above 2 GB.
template <class Parsed>
auto parseFile(const std::string &path, std::string_view what, const Parsed &parsed)
    -> decltype(parsed(std::string_view(), nullptr))
{
    const auto file = support::InputFile::open(path);
    if (!file)
        return fail(file.error());
    if (file->size() > mostMessageBytes)
        return fail(tooLong(path, what));
    if (const auto mapped = support::MappedFile::share(*file)) {
        auto read =
            parsed({reinterpret_cast<const char *>(mapped->bytes().data()), mapped->bytes().size()}, mapped);
        if (read && mapped->isChanged())
            return fail(
                diagnostic("open.unreadable", std::format("\"{}\" was changed while it was read", path))
                    .withHint("open it again"));
        return read;
    }
    std::string bytes(file->size(), '\0');
    if (const auto read = file->read(0, std::as_writable_bytes(std::span(bytes))); !read)
        return fail(read.error());
    return parsed(bytes, nullptr);
}

/// Error: "onnx.format".
template <class Message> Result<Message> messageOf(const std::string &path, std::string_view what)
{
    return parseFile(path, what, [&](std::string_view bytes, const MappedModel &) -> Result<Message> {
        Message message;
        if (!parse(bytes, message))
            return fail(noMessage(bytes, path, what));
        return message;
    });
}

void readGraph(::onnx::GraphProto &proto, std::span<const RawData> rawData, const TensorFiles &files,
               OnnxGraph &graph);

OnnxTensor tensorOf(::onnx::TensorProto &proto, const TensorFiles &files, const RawData &raw = {})
{
    if (proto.data_type() == ::onnx::TensorProto::STRING)
        return textOf(proto);
    return {std::make_shared<const ir::NdArray>(arrayOf(proto, files, raw)), narrowTypeOf(proto.data_type())};
}

Attribute attributeOf(::onnx::AttributeProto &proto, const TensorFiles &files)
{
    using Proto = ::onnx::AttributeProto;
    if (!proto.ref_attr_name().empty())
        return AttributeReference{proto.ref_attr_name()};
    switch (proto.type()) {
    case Proto::INT: return proto.i();
    case Proto::FLOAT: return static_cast<double>(proto.f());
    case Proto::STRING: return proto.s();
    case Proto::INTS: return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case Proto::FLOATS: return std::vector<double>(proto.floats().begin(), proto.floats().end());
    case Proto::STRINGS: return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case Proto::TENSOR: {
        const bool isText = proto.t().data_type() == ::onnx::TensorProto::STRING;
        if (!isText && !elementTypeOf(proto.t().data_type())) // told where it is used, if at all
            return OtherAttribute{"tensor of type " + typeName(proto.t().data_type())};
        return tensorOf(*proto.mutable_t(), files);
    }
    case Proto::GRAPH: {
        auto graph = std::make_shared<OnnxGraph>();
        readGraph(*proto.mutable_g(), {}, files, *graph);
        return std::shared_ptr<const OnnxGraph>(std::move(graph));
    }
    default:
        return OtherAttribute{
            Proto::AttributeType_IsValid(proto.type()) ? Proto::AttributeType_Name(proto.type()) : "?"};
    }
}

std::string ownDomain(const std::string &domain) { return domain == "ai.onnx" ? std::string() : domain; }

OnnxNode nodeOf(::onnx::NodeProto &proto, const TensorFiles &files)
{
    OnnxNode node;
    node.op = proto.op_type();
    node.domain = ownDomain(proto.domain());
    node.name = proto.name();
    node.overload = proto.overload();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (::onnx::AttributeProto &attribute : *proto.mutable_attribute())
        node.attributes.emplace(attribute.name(), attributeOf(attribute, files));
    return node;
}

OnnxValue valueOf(const ::onnx::ValueInfoProto &proto)
{
    OnnxValue value;
    value.name = proto.name();
    const ::onnx::TypeProto *stated = &proto.type();
    value.isOptional = stated->has_optional_type();
    if (value.isOptional)
        stated = &stated->optional_type().elem_type();
    value.isSequence = stated->has_sequence_type();
    if (value.isSequence)
        stated = &stated->sequence_type().elem_type();
    const ::onnx::TypeProto &type = *stated;
    if (!type.has_tensor_type()) {
        value.otherType = type.has_map_type()             ? "map"
                          : type.has_sparse_tensor_type() ? "sparse tensor"
                          : type.has_sequence_type()      ? "sequence of sequences"
                                                          : "value of no stated type";
        return value;
    }
    const auto dtype = elementTypeOf(type.tensor_type().elem_type());
    if (!dtype) {
        value.otherType = type.tensor_type().elem_type() == ::onnx::TensorProto::STRING
                              ? "text"
                              : "tensor of type " + typeName(type.tensor_type().elem_type());
        return value;
    }
    value.dtype = *dtype;
    value.narrow = narrowTypeOf(type.tensor_type().elem_type());
    value.hasShape = type.tensor_type().has_shape();
    for (int i = 0; i < type.tensor_type().shape().dim_size(); ++i) {
        const auto &dim = type.tensor_type().shape().dim(i);
        if (dim.has_dim_value() && dim.dim_value() != -1) // some tools write an open size so
            value.shape.emplace_back(std::int64_t{dim.dim_value()});
        else
            value.shape.emplace_back(dim.dim_param().empty() ? std::format("{}_{}", value.name, i)
                                                             : dim.dim_param());
    }
    return value;
}

/// Reads the initializers by their names; `rawData` as in SerializedModel, or empty.
void readInitializers(::onnx::GraphProto &proto, std::span<const RawData> rawData, const TensorFiles &files,
                      OnnxGraph &graph)
{
    std::vector<OnnxTensor> tensors(static_cast<std::size_t>(proto.initializer_size()));
    const auto done = support::inParallel(std::ssize(tensors), [&](std::int64_t place) {
        const auto i = static_cast<std::size_t>(place);
        tensors[i] = tensorOf(*proto.mutable_initializer(static_cast<int>(place)), files,
                              i < rawData.size() ? rawData[i] : RawData());
        return Result<void>();
    });
    NW_ASSERT(done, "what goes wrong with a tensor is thrown");
    for (std::size_t i = 0; i < tensors.size(); ++i)
        graph.initializers.emplace(proto.initializer(static_cast<int>(i)).name(), std::move(tensors[i]));
}

/// Throws support::UserError where data are not as they have to be.
void readGraph(::onnx::GraphProto &proto, std::span<const RawData> rawData, const TensorFiles &files,
               OnnxGraph &graph)
{
    graph.name = proto.name();
    if (proto.sparse_initializer_size() > 0) {
        throw support::UserError(
            diagnostic("onnx.tensor", "the model holds sparse tensors, which are not supported")
                .withHint("export it with dense weights"));
    }
    readInitializers(proto, rawData, files, graph);
    for (::onnx::NodeProto &node : *proto.mutable_node())
        graph.nodes.push_back(nodeOf(node, files));
    for (const ::onnx::ValueInfoProto &input : proto.input()) {
        const bool isDefaulted = graph.initializers.contains(input.name());
        (isDefaulted ? graph.defaulted : graph.inputs).push_back(valueOf(input));
    }
    for (const ::onnx::ValueInfoProto &output : proto.output())
        graph.outputs.push_back(valueOf(output));
}

void readFunctions(::onnx::ModelProto &proto, const TensorFiles &files, OnnxModel &model)
{
    for (::onnx::FunctionProto &function : *proto.mutable_functions()) {
        OnnxFunction read;
        read.inputs.assign(function.input().begin(), function.input().end());
        read.outputs.assign(function.output().begin(), function.output().end());
        for (::onnx::NodeProto &node : *function.mutable_node())
            read.nodes.push_back(nodeOf(node, files));
        for (::onnx::AttributeProto &attribute : *function.mutable_attribute_proto())
            read.defaults.emplace(attribute.name(), attributeOf(attribute, files));
        read.opset = model.opset;
        for (const auto &opset : function.opset_import()) {
            if (ownDomain(opset.domain()).empty())
                read.opset = opset.version();
        }
        OnnxNode call;
        call.domain = ownDomain(function.domain());
        call.op = function.name();
        call.overload = function.overload();
        if (!model.functions.emplace(call.key(), std::move(read)).second)
            throw support::UserError(
                diagnostic("onnx.function", std::format("the function \"{}\" is defined twice", call.op)));
    }
}

Result<std::int64_t> opsetOf(const ::onnx::ModelProto &proto, std::string_view bytes, const std::string &path)
{
    std::int64_t version = 0;
    for (const auto &opset : proto.opset_import()) {
        if (opset.domain().empty() || opset.domain() == "ai.onnx")
            version = opset.version();
    }
    if (version == 0 && proto.opset_import_size() > 0)
        return newestOpset; // only operators of other domains, which are refused one by one
    if (version == 0) {
        if (auto other = otherFile(bytes, path, "ONNX model"))
            return fail(*other);
    }
    if (version < oldestOpset || version > newestOpset) {
        return fail(diagnostic("onnx.opset",
                               version == 0
                                   ? std::format("\"{}\" is no ONNX model: it states no operator set", path)
                                   : std::format("the model uses operator set {}; {} to {} are supported",
                                                 version, oldestOpset, newestOpset))
                        .withHint("convert it with onnx.version_converter"));
    }
    return version;
}

} // namespace

std::string OnnxNode::str() const { return std::format("node \"{}\" ({})", label(), op); }

namespace {

/// `path` for messages.
Result<OnnxModel> modelOf(std::string_view bytes, const std::string &path, const TensorFiles &files)
{
    const auto serialized = withoutRawData(bytes);
    ::onnx::ModelProto proto;
    if (!parse(serialized ? serialized->message : bytes, proto))
        return fail(noMessage(bytes, path, "ONNX model"));
    const auto opset = opsetOf(proto, bytes, path);
    if (!opset)
        return fail(opset.error());
    OnnxModel model;
    model.producer = proto.producer_name();
    model.opset = *opset;
    try {
        readGraph(*proto.mutable_graph(),
                  serialized ? std::span(serialized->rawData) : std::span<const RawData>(), files, model);
        readFunctions(proto, files, model);
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
    return model;
}

} // namespace

Result<OnnxModel> readModel(const std::string &path)
{
    return parseFile(path, "ONNX model", [&](std::string_view bytes, const MappedModel &file) {
        return modelOf(bytes, path, {std::filesystem::path(path).parent_path(), file});
    });
}

Result<OnnxModel> readModelBytes(std::string_view bytes, const std::string &folder)
{
    if (bytes.size() > mostMessageBytes)
        return fail(tooLong("model", "ONNX model"));
    return modelOf(bytes, "model", {folder});
}

Result<ir::NdArray> readTensor(const std::string &path)
{
    auto tensors = readValue(path, {});
    if (!tensors)
        return fail(tensors.error());
    return std::move((*tensors)->front());
}

Result<std::optional<std::vector<ir::NdArray>>> readValue(const std::string &path, const OnnxValue &value)
{
    const TensorFiles files{std::filesystem::path(path).parent_path()};
    const auto arrays = [&](auto &tensors) {
        std::vector<ir::NdArray> read;
        for (::onnx::TensorProto &tensor : tensors)
            read.push_back(arrayOf(tensor, files));
        return read;
    };
    try {
        if (value.isOptional) {
            auto proto = messageOf<::onnx::OptionalProto>(path, "serialized optional value");
            if (!proto)
                return fail(proto.error());
            if (proto->has_sequence_value())
                return arrays(*proto->mutable_sequence_value()->mutable_tensor_values());
            if (!proto->has_tensor_value())
                return std::nullopt;
            return std::vector{arrayOf(*proto->mutable_tensor_value(), files)};
        }
        if (value.isSequence) {
            auto proto = messageOf<::onnx::SequenceProto>(path, "serialized sequence");
            if (!proto)
                return fail(proto.error());
            return arrays(*proto->mutable_tensor_values());
        }
        auto proto = messageOf<::onnx::TensorProto>(path, "serialized tensor");
        if (!proto)
            return fail(proto.error());
        return std::vector{arrayOf(*proto, files)};
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
}

Result<void> writeTensor(const std::string &path, const ir::NdArray &data, const std::string &name,
                         ir::DataType narrow)
{
    ::onnx::TensorProto proto;
    proto.set_name(name);
    proto.set_data_type(onnxType(narrow.isNarrow() ? narrow : data.dtype()));
    for (const std::int64_t size : data.shape())
        proto.add_dims(size);
    if (narrow.isNarrow()) {
        const std::vector<std::byte> bytes = ops::packed(data, narrow);
        proto.set_raw_data(bytes.data(), bytes.size());
    } else {
        proto.set_raw_data(data.bytes().data(), data.bytes().size());
    }
    if (auto written = support::writeAtomically(path, proto.SerializeAsString()); !written)
        return fail(written.error());
    return {};
}

} // namespace nestwright::graph::onnx
