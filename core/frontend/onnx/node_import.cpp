// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/node_import.h"

#include "core/frontend/onnx/codes.h"
#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::UserError;

namespace {

constexpr double largestWhole = 9007199254740992; // 2^53: all whole numbers up to it are doubles

} // namespace

Value NodeImport::input(std::size_t i) const
{
    if (!has(i))
        throw UserError(diagnostic("onnx.input", std::format("input {} is missing", i)));
    return m_inputs[i];
}

Values NodeImport::inputs() const
{
    Values all;
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        all.push_back(input(i));
    return all;
}

NodeImport NodeImport::withInputs(Values inputs) const
{
    NodeImport changed(m_builder, m_node, m_opset, std::move(inputs));
    changed.m_asked = m_asked;
    return changed;
}

OnnxNode::Attributes::const_iterator NodeImport::given(std::string_view name) const
{
    m_asked->attributes.emplace(name);
    return m_node.attributes.find(name);
}

void NodeImport::accept(std::initializer_list<std::string_view> names) const
{
    m_asked->attributes.insert(names.begin(), names.end());
}

void NodeImport::requireOnly(std::string_view name, std::int64_t value) const
{
    if (const std::int64_t found = integer(name, value); found != value)
        unsupported(std::format("\"{}\" must be {}, but is {}", name, value, found));
}

void NodeImport::requireOnly(std::string_view name, std::string_view value) const
{
    if (const std::string found = text(name, value); found != value)
        unsupported(std::format("\"{}\" must be \"{}\", but is \"{}\"", name, value, found));
}

void NodeImport::refuseUnaskedAttributes() const
{
    constexpr std::string_view withoutMeaning = "consumed_inputs"; // a hint to runtimes of operator set 1
    for (const auto &[name, value] : m_node.attributes) {
        if (name != withoutMeaning && !m_asked->attributes.contains(name))
            throw UserError(
                diagnostic("onnx.attribute", std::format("its attribute \"{}\" is not supported", name))
                    .withHint("without it the result would be another one, unless it has its "
                              "usual value: then take it out of the node"));
    }
}

void NodeImport::refuseUnaskedInputs() const
{
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        if (m_inputs[i] && !m_asked->inputs.contains(i))
            throw UserError(diagnostic(
                "onnx.input", std::format("its input {}, \"{}\", is not supported", i, m_node.inputs[i])));
    }
}

template <class T> const T *NodeImport::attribute(std::string_view name) const
{
    const auto found = given(name);
    if (found == m_node.attributes.end())
        return nullptr;
    const T *value = std::get_if<T>(&found->second);
    if (!value)
        throw UserError(diagnostic("onnx.attribute",
                                   std::format("attribute \"{}\" is of a kind that is not expected", name)));
    return value;
}

std::int64_t NodeImport::integer(std::string_view name, std::int64_t otherwise) const
{
    const auto *value = attribute<std::int64_t>(name);
    return value ? *value : otherwise;
}

double NodeImport::real(std::string_view name, double otherwise) const
{
    const auto *value = attribute<double>(name);
    return value ? *value : otherwise;
}

std::string NodeImport::text(std::string_view name, std::string_view otherwise) const
{
    const auto *value = attribute<std::string>(name);
    return value ? *value : std::string(otherwise);
}

std::vector<std::int64_t> NodeImport::integers(std::string_view name) const
{
    const auto *value = attribute<std::vector<std::int64_t>>(name);
    return value ? *value : std::vector<std::int64_t>();
}

std::vector<double> NodeImport::reals(std::string_view name) const
{
    const auto *value = attribute<std::vector<double>>(name);
    return value ? *value : std::vector<double>();
}

std::vector<std::string> NodeImport::texts(std::string_view name) const
{
    const auto *value = attribute<std::vector<std::string>>(name);
    return value ? *value : std::vector<std::string>();
}

OnnxTensor NodeImport::tensor(std::string_view name) const
{
    const auto *value = attribute<OnnxTensor>(name);
    if (value && value->texts)
        unsupported(std::format("text is not supported as the attribute \"{}\"", name));
    return value ? *value : OnnxTensor();
}

const ir::NdArray &NodeImport::data(std::size_t i)
{
    Data known = m_builder.dataOf(input(i));
    if (!known) {
        throw UserError(
            diagnostic(codes::valueNeeded, std::format("its input \"{}\" must be known when the model is "
                                                       "opened, but depends on an input of the model",
                                                       m_node.inputs[i]))
                .withHint("give that input's data, or export the model with fixed shapes"));
    }
    m_held.push_back(std::move(known));
    return *m_held.back();
}

std::vector<std::int64_t> NodeImport::list(std::size_t i)
{
    const ir::NdArray &array = data(i);
    std::vector<std::int64_t> values;
    for (std::int64_t k = 0; k < array.size(); ++k) {
        // A double would lose the low bits of the largest numbers, which stand for "to the end" in slices.
        if (array.dtype() == ir::DataType::int64()) {
            values.push_back(array.data<std::int64_t>()[k]);
            continue;
        }
        const double value = array.at(k);
        if (!(std::abs(value) <= largestWhole))
            throw UserError(
                diagnostic("onnx.value", std::format("its input \"{}\" must hold whole numbers, but holds {}",
                                                     m_node.inputs[i], value)));
        values.push_back(static_cast<std::int64_t>(value));
    }
    return values;
}

UserError NodeImport::notOneNumber(std::size_t i) const
{
    return UserError(
        diagnostic("onnx.value", std::format("its input \"{}\" must be one number", m_node.inputs[i])));
}

std::int64_t NodeImport::number(std::size_t i)
{
    const std::vector<std::int64_t> values = list(i);
    if (values.size() != 1)
        throw notOneNumber(i);
    return values[0];
}

double NodeImport::realNumber(std::size_t i)
{
    const ir::NdArray &array = data(i);
    if (array.size() != 1)
        throw notOneNumber(i);
    return array.at(0);
}

std::optional<std::vector<std::int64_t>> NodeImport::listOf(std::string_view name, std::size_t input)
{
    if (has(input))
        return list(input);
    if (hasAttribute(name))
        return integers(name);
    return std::nullopt;
}

Value NodeImport::call(std::string_view op, Values inputs, ops::Attributes attributes)
{
    return m_builder.call(op, std::move(inputs), std::move(attributes), m_node.label());
}

Value NodeImport::cast(Value value, ir::DataType dtype)
{
    return typeOf(value).dtype == dtype ? value : call("cast", {value}, {{"dtype", dtype}});
}

Value NodeImport::reshape(Value value, std::vector<std::int64_t> shape)
{
    return call("reshape", {value}, {{"newshape", std::move(shape)}});
}

Value NodeImport::transpose(Value value, std::vector<std::int64_t> axes)
{
    return call("transpose", {value}, {{"axes", std::move(axes)}});
}

Value NodeImport::concatenate(Values parts, std::int64_t axis)
{
    const Value first = parts.at(0);
    std::erase_if(parts, [&](Value part) {
        const auto &shape = typeOf(part).shape; // ranks may differ, which the operator refuses
        return static_cast<std::size_t>(axis) < shape.size()
               && ir::isConstInt(shape[static_cast<std::size_t>(axis)], 0);
    });
    if (parts.empty())
        parts.push_back(first);
    return parts.size() == 1 ? parts[0] : call("concatenate", std::move(parts), {{"axis", axis}});
}

Value NodeImport::without(Value value, std::int64_t axis)
{
    std::vector<std::int64_t> shape = shapeOf(value);
    shape.erase(shape.begin() + axis);
    return call("reshape", {value}, {{"newshape", std::move(shape)}, {"allowzero", true}});
}

Value NodeImport::slice(Value value, std::int64_t axis, std::int64_t begin, std::int64_t end)
{
    return call("strided_slice", {value},
                {{"begin", Ints{begin}}, {"end", Ints{end}}, {"axes", Ints{axis}}, {"strides", Ints{1}}});
}

Value NodeImport::part(Value value, std::int64_t axis, std::int64_t place)
{
    return without(slice(value, axis, place, place + 1), axis);
}

std::vector<std::int64_t> NodeImport::shapeOf(Value value) const
{
    const auto shape = typeOf(value).constantShape();
    if (!shape) {
        throw UserError(diagnostic(codes::valueNeeded,
                                   std::format("it needs a known shape, but gets {}", typeOf(value).str()))
                            .withHint("fix the symbolic sizes of the model's inputs"));
    }
    return *shape;
}

std::int64_t NodeImport::size(std::size_t input, std::size_t axis) const
{
    const std::vector<std::int64_t> sizes = shape(input);
    if (axis >= sizes.size())
        unsupported(std::format("its input \"{}\" must have {} dimensions or more, but has {}",
                                m_node.inputs[input], axis + 1, sizes.size()));
    return sizes[axis];
}

std::int64_t NodeImport::axis(std::int64_t given, std::int64_t rank) const
{
    if (given < -rank || given >= rank)
        throw UserError(
            diagnostic("onnx.attribute", std::format("there is no axis {} among {}", given, rank)));
    return given < 0 ? given + rank : given;
}

void NodeImport::unsupported(std::string what) const
{
    throw UserError(diagnostic("onnx.unsupported", std::move(what)));
}

void NodeImport::refuse(std::string what) const
{
    throw UserError(diagnostic("onnx.refused", std::move(what)));
}

ir::NdArray integerArray(const Ints &values, Ints shape)
{
    ir::NdArray array(ir::DataType::int64(), std::move(shape));
    std::ranges::copy(values, array.data<std::int64_t>());
    return array;
}

ir::NdArray integerArray(const Ints &values)
{
    return integerArray(values, {static_cast<std::int64_t>(values.size())});
}

} // namespace nestwright::graph::onnx
