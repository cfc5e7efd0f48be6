// SPDX-License-Identifier: Apache-2.0
#include "core/graph/onnx/model.h"
#include "core/graph/onnx/tensor_reader.h"
#include "core/ops/narrow_data.h"
#include "core/support/atomic_file.h"
#include "core/support/errors.h"
#include "core/support/input_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx-data.pb.h>

#include <filesystem>
#include <format>
#include <fstream>
#include <limits>
#include <unordered_set>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr std::int64_t oldestOpset = 1, newestOpset = 28;

/// Whether `message` could be read from the file as a whole.
template <class Message> Result<Message> parseFile(const std::string &path, std::string_view what)
{
    const auto file = support::InputFile::open(path);
    if (!file)
        return fail(file.error());
    const auto wrong = [&] {
        return fail(diagnostic("onnx.format", std::format("\"{}\" is no {}, or is cut off", path, what))
                        .withHint("a file of more than 2 GB must keep its weights as external data"));
    };
    if (file->size() > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return wrong();
    google::protobuf::io::FileInputStream stream(file->descriptor());
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
    Message message;
    if (!message.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
        return wrong();
    return message;
}

void readGraph(::onnx::GraphProto &proto, const std::filesystem::path &folder, OnnxGraph &graph);

OnnxTensor tensorOf(::onnx::TensorProto &proto, const std::filesystem::path &folder)
{
    return {std::make_shared<const ir::NdArray>(arrayOf(proto, folder)), narrowTypeOf(proto.data_type())};
}

Attribute attributeOf(::onnx::AttributeProto &proto, const std::filesystem::path &folder)
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
        if (!elementTypeOf(proto.t().data_type())) // told where it is used, if at all
            return OtherAttribute{"tensor of type " + typeName(proto.t().data_type())};
        return tensorOf(*proto.mutable_t(), folder);
    }
    case Proto::GRAPH: {
        auto graph = std::make_shared<OnnxGraph>();
        readGraph(*proto.mutable_g(), folder, *graph);
        return std::shared_ptr<const OnnxGraph>(std::move(graph));
    }
    default:
        return OtherAttribute{
            Proto::AttributeType_IsValid(proto.type()) ? Proto::AttributeType_Name(proto.type()) : "?"};
    }
}

std::string ownDomain(const std::string &domain) { return domain == "ai.onnx" ? std::string() : domain; }

OnnxNode nodeOf(::onnx::NodeProto &proto, const std::filesystem::path &folder)
{
    OnnxNode node;
    node.op = proto.op_type();
    node.domain = ownDomain(proto.domain());
    node.name = proto.name();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (::onnx::AttributeProto &attribute : *proto.mutable_attribute())
        node.attributes.emplace(attribute.name(), attributeOf(attribute, folder));
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
        value.otherType = "tensor of type " + typeName(type.tensor_type().elem_type());
        return value;
    }
    value.dtype = *dtype;
    value.narrow = narrowTypeOf(type.tensor_type().elem_type());
    value.hasShape = type.tensor_type().has_shape();
    for (int i = 0; i < type.tensor_type().shape().dim_size(); ++i) {
        const auto &dim = type.tensor_type().shape().dim(i);
        if (dim.has_dim_value())
            value.shape.emplace_back(std::int64_t{dim.dim_value()});
        else
            value.shape.emplace_back(dim.dim_param().empty() ? std::format("{}_{}", value.name, i)
                                                             : dim.dim_param());
    }
    return value;
}

/// Throws support::UserError where data are not as they have to be.
void readGraph(::onnx::GraphProto &proto, const std::filesystem::path &folder, OnnxGraph &graph)
{
    graph.name = proto.name();
    if (proto.sparse_initializer_size() > 0) {
        throw support::UserError(
            diagnostic("onnx.tensor", "the model holds sparse tensors, which are not supported")
                .withHint("export it with dense weights"));
    }
    for (::onnx::TensorProto &tensor : *proto.mutable_initializer())
        graph.initializers.emplace(tensor.name(), tensorOf(tensor, folder));
    for (::onnx::NodeProto &node : *proto.mutable_node())
        graph.nodes.push_back(nodeOf(node, folder));
    for (const ::onnx::ValueInfoProto &input : proto.input()) {
        if (!graph.initializers.contains(input.name()))
            graph.inputs.push_back(valueOf(input));
    }
    for (const ::onnx::ValueInfoProto &output : proto.output())
        graph.outputs.push_back(valueOf(output));
}

void readFunctions(::onnx::ModelProto &proto, const std::filesystem::path &folder, OnnxModel &model)
{
    for (::onnx::FunctionProto &function : *proto.mutable_functions()) {
        OnnxFunction read;
        read.inputs.assign(function.input().begin(), function.input().end());
        read.outputs.assign(function.output().begin(), function.output().end());
        for (::onnx::NodeProto &node : *function.mutable_node())
            read.nodes.push_back(nodeOf(node, folder));
        for (::onnx::AttributeProto &attribute : *function.mutable_attribute_proto())
            read.defaults.emplace(attribute.name(), attributeOf(attribute, folder));
        read.opset = model.opset;
        for (const auto &opset : function.opset_import()) {
            if (ownDomain(opset.domain()).empty())
                read.opset = opset.version();
        }
        OnnxNode call;
        call.domain = ownDomain(function.domain());
        call.op = function.name();
        if (!model.functions.emplace(call.key(), std::move(read)).second)
            throw support::UserError(
                diagnostic("onnx.function", std::format("the function \"{}\" is defined twice", call.op)));
    }
}

Result<std::int64_t> opsetOf(const ::onnx::ModelProto &proto, const std::string &path)
{
    std::int64_t version = 0;
    for (const auto &opset : proto.opset_import()) {
        if (opset.domain().empty() || opset.domain() == "ai.onnx")
            version = opset.version();
    }
    if (version == 0 && proto.opset_import_size() > 0)
        return newestOpset; // only operators of other domains, which are refused one by one
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

/// Takes the data out of the message, so that they are never there twice.
Result<OnnxModel> modelOf(::onnx::ModelProto &proto, const std::string &path,
                          const std::filesystem::path &folder)
{
    const auto opset = opsetOf(proto, path);
    if (!opset)
        return fail(opset.error());
    OnnxModel model;
    model.producer = proto.producer_name();
    model.opset = *opset;
    try {
        readGraph(*proto.mutable_graph(), folder, model);
        readFunctions(proto, folder, model);
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
    return model;
}

} // namespace

Result<OnnxModel> readModel(const std::string &path)
{
    Result<::onnx::ModelProto> proto = parseFile<::onnx::ModelProto>(path, "ONNX model");
    if (!proto)
        return fail(proto.error());
    return modelOf(*proto, path, std::filesystem::path(path).parent_path());
}

Result<OnnxModel> readModelBytes(std::string_view bytes, const std::string &folder)
{
    ::onnx::ModelProto proto;
    if (bytes.size() > std::numeric_limits<int>::max()
        || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return fail("onnx.format", "this is no ONNX model, or is cut off");
    return modelOf(proto, "model", folder);
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
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const auto arrays = [&](auto &tensors) {
        std::vector<ir::NdArray> read;
        for (::onnx::TensorProto &tensor : tensors)
            read.push_back(arrayOf(tensor, folder));
        return read;
    };
    try {
        if (value.isOptional) {
            auto proto = parseFile<::onnx::OptionalProto>(path, "serialized optional value");
            if (!proto)
                return fail(proto.error());
            if (proto->has_sequence_value())
                return arrays(*proto->mutable_sequence_value()->mutable_tensor_values());
            if (!proto->has_tensor_value())
                return std::nullopt;
            return std::vector{arrayOf(*proto->mutable_tensor_value(), folder)};
        }
        if (value.isSequence) {
            auto proto = parseFile<::onnx::SequenceProto>(path, "serialized sequence");
            if (!proto)
                return fail(proto.error());
            return arrays(*proto->mutable_tensor_values());
        }
        auto proto = parseFile<::onnx::TensorProto>(path, "serialized tensor");
        if (!proto)
            return fail(proto.error());
        return std::vector{arrayOf(*proto, folder)};
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
