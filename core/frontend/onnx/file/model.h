// SPDX-License-Identifier: Apache-2.0
/// The contents of an ONNX file, without the library that reads it.
#pragma once

#include "core/graph/graph.h"
#include "core/graph/output_labels.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace nestwright::graph::onnx {

/// The operator sets of ONNX's own operators that are read.
constexpr std::int64_t oldestOpset = 1, newestOpset = 28;

/// The element type for ONNX's number of it (TensorProto.DataType), narrow ones (ops::heldType) too; nothing
/// for text, complex numbers, and others that are not supported.
std::optional<ir::DataType> declaredTypeOf(std::int64_t onnxType);
/// The type that elements of it are held in (ops::heldType).
std::optional<ir::DataType> elementTypeOf(std::int64_t onnxType);

/// A tensor that is held as it can be computed with.
struct OnnxTensor {
    Data data;
    ir::DataType narrow; ///< of the file, where the data are held in a wider type; else void
    Texts texts;         ///< of a tensor of text, whose data are places (int64) in it; else null

    OnnxTensor() = default;
    /// Mostly there is no more than data.
    OnnxTensor(Data held, ir::DataType type = {}) : data(std::move(held)), narrow(type) {}
};

struct OnnxGraph;

/// Marks an attribute of a kind that no supported operator has: a sparse tensor, a type.
struct OtherAttribute {
    std::string kind;
};

/// Within a function: a reference to the attribute of that name of the calling node.
struct AttributeReference {
    std::string name;
};

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, std::vector<std::string>, OnnxTensor,
                               std::shared_ptr<const OnnxGraph>, AttributeReference, OtherAttribute>;

struct OnnxNode {
    std::string op;
    std::string domain; ///< empty for ONNX's own
    std::string name;
    std::vector<std::string> inputs; ///< names of values; empty where an optional one is left out
    std::vector<std::string> outputs;
    using Attributes = std::map<std::string, Attribute, std::less<>>;
    Attributes attributes;
    std::string overload; ///< of the model's function that it calls; mostly empty

    /// A node without name is called by its first result.
    const std::string &label() const { return name.empty() && !outputs.empty() ? outputs.front() : name; }
    /// "node \"conv1\" (Conv)", for messages.
    std::string str() const;
    /// Key of a function of the model: domain, operator and overload.
    std::string key() const { return domain + ":" + op + (overload.empty() ? "" : ":" + overload); }
};

/// An input or output of the model.
struct OnnxValue {
    std::string name;
    ir::DataType dtype;
    ir::DataType narrow; ///< of the file, where `dtype` is the wider type that holds it; else void
    bool hasShape = false;
    std::vector<std::variant<std::int64_t, std::string>>
        shape;               ///< symbolic sizes by name; an unnamed one gets one
    bool isSequence = false; ///< of tensors of that type
    bool isOptional = false; ///< the tensor or sequence may be missing
    std::string otherType;   ///< of a value that is neither: "map", "text", …; else empty
};

/// The nodes of a model, or of a branch of one of its nodes.
struct OnnxGraph {
    std::string name;
    std::vector<OnnxNode> nodes;
    std::vector<OnnxValue> inputs, outputs;
    std::vector<OnnxValue> defaulted; ///< inputs that need not be given, since they have an initializer
    std::unordered_map<std::string, OnnxTensor> initializers;
};

/// An operator that the model defines itself, by nodes.
struct OnnxFunction {
    std::vector<std::string> inputs, outputs;
    std::vector<OnnxNode> nodes;
    std::map<std::string, Attribute, std::less<>> defaults; ///< of attributes that a call leaves out
    std::int64_t opset = 0;                                 ///< of ONNX's own operators in it
};

struct OnnxModel : OnnxGraph {
    std::string producer;
    std::int64_t opset = 0;                                     ///< of ONNX's own operators
    std::map<std::string, OnnxFunction, std::less<>> functions; ///< by OnnxNode::key
};

/// Reads a model; data that it keeps in other files are read from beside it. Errors: "open.no-file",
/// "onnx.format" (no ONNX model, or cut off), "onnx.opset" (none, or newer than 28), "onnx.tensor" (data that
/// do not fit their shape, or of a type that is not supported: it names the tensor), "onnx.external" (a file
/// that is missing, too short or elsewhere). Large weights are copied from the file when somebody asks for
/// them (support::DeferredMemory): whoever keeps them asks for all, and then whether the file is still the
/// same (support::MappedFile::isChanged).
support::Result<OnnxModel> readModel(const std::string &path);
/// Reads a file's bytes; `folder` is where its data files lie.
support::Result<OnnxModel> readModelBytes(std::string_view bytes, const std::string &folder);

/// Reads a serialized TensorProto (".pb"); elements of narrow types come in those that they are held in.
/// Errors: "open.no-file", "onnx.format", "onnx.tensor", "onnx.external".
support::Result<ir::NdArray> readTensor(const std::string &path);
/// Reads what a file of ONNX (".pb") holds for an input or output: a tensor, or the tensors of a sequence;
/// nothing where an optional value is missing. Errors: as readTensor.
support::Result<std::optional<std::vector<ir::NdArray>>> readValue(const std::string &path,
                                                                   const OnnxValue &value);
/// Writes one; elements that are held in a wider type in their own, `narrow`. Error: "file.write".
support::Result<void> writeTensor(const std::string &path, const ir::NdArray &data, const std::string &name,
                                  ir::DataType narrow = {});

} // namespace nestwright::graph::onnx
