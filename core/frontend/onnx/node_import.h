// SPDX-License-Identifier: Apache-2.0
/// One node of an ONNX model while it is imported, as the importers of this folder see it.
#pragma once

#include "core/frontend/onnx/file/model.h"
#include "core/graph/builder.h"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>

namespace nestwright::support {
class UserError;
}

namespace nestwright::graph::onnx {

using Values = std::vector<Value>;

/// Throws support::UserError where the node is not as it has to be; whoever catches it adds the node's
/// name.
class NodeImport {
public:
    NodeImport(Builder &builder, const OnnxNode &node, std::int64_t opset, Values inputs,
               std::vector<ir::DataType> narrow = {})
        : m_builder(builder)
        , m_node(node)
        , m_opset(opset)
        , m_inputs(std::move(inputs))
        , m_narrow(std::move(narrow))
    {
    }
    /// The same node with other inputs. What is asked of it counts as asked of this one.
    NodeImport withInputs(Values inputs) const;

    const OnnxNode &node() const { return m_node; }
    std::int64_t opset() const { return m_opset; }
    Builder &builder() { return m_builder; }

    std::size_t inputCount() const { return m_inputs.size(); }
    Values inputs() const; ///< all inputs; none may be missing: "onnx.input"
    bool has(std::size_t i) const
    {
        m_asked->inputs.insert(i);
        return i < m_inputs.size() && m_inputs[i];
    }
    /// The input; throws "onnx.input" where it is left out.
    Value input(std::size_t i = 0) const;
    /// The input; none where it is left out.
    Value optionalInput(std::size_t i) const { return has(i) ? m_inputs[i] : Value{}; }
    const TensorType &type(std::size_t i = 0) const { return m_builder.typeOf(input(i)); }
    /// Element type in the model: an input of a narrow type is held in a wider one (ops::heldType).
    ir::DataType elementType(std::size_t i = 0) const
    {
        const ir::DataType held = type(i).dtype;
        return i < m_narrow.size() && m_narrow[i].isNarrow() ? m_narrow[i] : held;
    }
    std::int64_t rank(std::size_t i = 0) const { return type(i).rank(); }
    bool wantsOutput(std::size_t i) const { return i < m_node.outputs.size() && !m_node.outputs[i].empty(); }

    // An attribute or input that is given and that no importer asks for would be ignored in silence: see
    // refuseUnaskedAttributes.
    bool hasAttribute(std::string_view name) const { return given(name) != m_node.attributes.end(); }
    std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    double real(std::string_view name, double otherwise) const;
    std::string text(std::string_view name, std::string_view otherwise) const;
    std::vector<std::int64_t> integers(std::string_view name) const; ///< empty where it is not given
    std::vector<double> reals(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    OnnxTensor tensor(std::string_view name) const; ///< without data where it is not given

    /// Attributes and inputs that change nothing here.
    void accept(std::initializer_list<std::string_view> names) const;
    void acceptInputs(std::initializer_list<std::size_t> places) const { m_asked->inputs.insert(places); }
    /// Throws "onnx.unsupported" where the attribute is given with another value.
    void requireOnly(std::string_view name, std::int64_t value) const;
    void requireOnly(std::string_view name, std::string_view value) const;
    /// Forgets which inputs were asked for.
    void forgetInputs() { m_asked->inputs.clear(); }
    /// Throw "onnx.attribute" and "onnx.input" where one is given that the importer has not asked for.
    void refuseUnaskedAttributes() const;
    void refuseUnaskedInputs() const;

    /// The data of an input, which must be known: "onnx.value-needed".
    const ir::NdArray &data(std::size_t i);
    /// The input's elements as integers; floats are cut off, and must lie within 2^53: "onnx.value". And one
    /// number.
    std::vector<std::int64_t> list(std::size_t i);
    std::int64_t number(std::size_t i);
    /// The one number that the input is: "onnx.value".
    double realNumber(std::size_t i);
    /// A list that older operator sets have as the attribute `name` and newer ones as an input; nothing where
    /// neither is given.
    std::optional<std::vector<std::int64_t>> listOf(std::string_view name, std::size_t input);

    /// Calls an operator of ours; the node's name goes to the first call that is made under it.
    Value call(std::string_view op, Values inputs, ops::Attributes attributes = {});
    Value scalar(double value, ir::DataType dtype) { return m_builder.scalar(value, dtype); }
    /// A scalar of the type of `like`.
    Value scalarLike(double value, Value like) { return scalar(value, m_builder.typeOf(like).dtype); }
    Value cast(Value value, ir::DataType dtype);
    Value reshape(Value value, std::vector<std::int64_t> shape);
    Value transpose(Value value, std::vector<std::int64_t> axes);
    /// Tensors behind each other along an axis; those that are empty there are left out.
    Value concatenate(Values parts, std::int64_t axis);
    /// The tensor without an axis of size 1; the part at a place of an axis, without that axis.
    Value without(Value value, std::int64_t axis);
    Value part(Value value, std::int64_t axis, std::int64_t place);
    /// The part from `begin` to `end` of an axis.
    Value slice(Value value, std::int64_t axis, std::int64_t begin, std::int64_t end);
    Value constant(ir::NdArray data) { return m_builder.constant(std::move(data)); }
    const TensorType &typeOf(Value value) const { return m_builder.typeOf(value); }
    /// All dimensions, which must be known; `what` is for the message.
    std::vector<std::int64_t> shapeOf(Value value) const;
    std::vector<std::int64_t> shape(std::size_t i = 0) const { return shapeOf(input(i)); }
    /// Size of one axis of an input. Throws "onnx.unsupported" where the input has no such axis.
    std::int64_t size(std::size_t input, std::size_t axis) const;
    std::int64_t axis(std::int64_t given, std::int64_t rank) const;
    /// The element type of the results as the model has it; for an importer to say where that is narrow.
    void setResultType(ir::DataType type) { m_resultType = type; }
    ir::DataType resultType() const { return m_resultType; }

    /// Throws "onnx.unsupported".
    [[noreturn]] void unsupported(std::string what) const;
    /// Throws "onnx.refused": an operator left out by design.
    [[noreturn]] void refuse(std::string what) const;

private:
    template <class T> const T *attribute(std::string_view name) const;
    OnnxNode::Attributes::const_iterator given(std::string_view name) const;
    support::UserError notOneNumber(std::size_t i) const;

    Builder &m_builder;
    const OnnxNode &m_node;
    std::int64_t m_opset;
    Values m_inputs;
    std::vector<ir::DataType> m_narrow; ///< of the first inputs; void where it is none
    ir::DataType m_resultType;
    std::vector<Data> m_held; ///< data that references were given of
    struct Asked {
        std::set<std::string, std::less<>> attributes;
        std::set<std::size_t> inputs;
    };
    std::shared_ptr<Asked> m_asked = std::make_shared<Asked>();
};

/// `values` as an array of int64: of that shape, or a vector.
ir::NdArray integerArray(const Ints &values, Ints shape);
ir::NdArray integerArray(const Ints &values);

/// One operator of ONNX: gives its results.
struct ImportRow {
    std::string_view op;
    Values (*import)(NodeImport &node);
};

std::span<const ImportRow> elementwiseImports();
std::span<const ImportRow> shapeImports();
std::span<const ImportRow> constantImports();
std::span<const ImportRow> indexImports();
std::span<const ImportRow> reductionImports();
std::span<const ImportRow> contractionImports();
std::span<const ImportRow> windowImports();
std::span<const ImportRow> normalizationImports();
std::span<const ImportRow> resizeImports();
std::span<const ImportRow> imageImports();
std::span<const ImportRow> quantizationImports();
std::span<const ImportRow> recurrentImports();
std::span<const ImportRow> signalImports();
std::span<const ImportRow> selectionImports();
std::span<const ImportRow> einsumImports();
std::span<const ImportRow> attentionImports();
/// Operators of the domain com.microsoft; the others are ONNX's own.
std::span<const ImportRow> microsoftImports();
std::span<const ImportRow> microsoftAttentionImports();
std::span<const ImportRow> microsoftIntegerImports();
std::span<const ImportRow> microsoftQuantizedImports();

} // namespace nestwright::graph::onnx
