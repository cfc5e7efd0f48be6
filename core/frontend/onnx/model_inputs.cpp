// SPDX-License-Identifier: Apache-2.0
/// Inputs of a model: their types and sizes, and data that are given for them.
#include "core/frontend/onnx/model_import.h"
#include "core/ir/build/builder.h"
#include "core/ops/quantized/narrow_data.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/limits.h"

#include <format>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::UserError;

namespace {

constexpr std::int64_t mostElements = support::limits::tensorElements;

/// Throws where data that are held in a wider type are no numbers of the input's own.
void checkNarrowData(const OnnxValue &input, const ir::NdArray &data)
{
    const auto at = ops::firstBeyond(data, input.narrow);
    if (!at)
        return;
    throw UserError(
        diagnostic("onnx.narrow",
                   std::format("element {} of the input \"{}\" is {}, but {} holds {}", *at, input.name,
                               data.at(*at), input.narrow.str(), ops::numbersOf(input.narrow)))
            .withHint("convert the values to that type first"));
}

} // namespace

std::string elementName(const std::string &sequence, std::size_t i)
{
    return std::format("{}.{}", sequence, i);
}

void noteNarrow(NarrowTypes &types, const std::string &name, ir::DataType type)
{
    if (type.isNarrow())
        types.insert_or_assign(name, type);
    else
        types.erase(name);
}

ir::Expr ModelImport::sizeOf(const std::variant<std::int64_t, std::string> &dim, const OnnxValue &input,
                             std::size_t i)
{
    if (const auto *constant = std::get_if<std::int64_t>(&dim)) {
        if (*constant < 0 || *constant > mostElements)
            throw UserError(diagnostic(
                "onnx.shape", std::format("the input \"{}\" has a dimension of {}", input.name, *constant)));
        return ops::dimension(*constant);
    }
    const auto &name = std::get<std::string>(dim);
    if (const auto given = m_options.sizes.find(name); given != m_options.sizes.end())
        return ops::dimension(given->second);
    if (const auto data = m_options.data.find(input.name);
        data != m_options.data.end() && i < data->second->shape().size())
        return ops::dimension(data->second->shape()[i]);
    if (const auto size =
            m_sizes.valueOf(name, [this](const std::string &each) { return namedSize(each); })) {
        if (const std::int64_t *constant = ir::asInt(*size); constant && *constant < 0)
            throw UserError(
                diagnostic("onnx.shape", std::format("the input \"{}\" has a dimension of {}, which is {}",
                                                     input.name, name, *constant)));
        return *size;
    }
    return namedSize(name);
}

ir::Expr ModelImport::namedSize(const std::string &name)
{
    if (const auto given = m_options.sizes.find(name); given != m_options.sizes.end())
        return ops::dimension(given->second);
    return m_symbols.try_emplace(name, name, ir::DataType::int32()).first->second;
}

void ModelImport::addInput(const OnnxValue &input)
{
    if (input.otherType == "text") {
        throw UserError(
            diagnostic("onnx.text",
                       std::format("the input \"{}\" is text, which kernels do not compute with", input.name))
                .withHint("export the model from behind its encoder of text, and give the numbers of the "
                          "categories"));
    }
    if (!input.otherType.empty()) {
        throw UserError(
            diagnostic("onnx.type", std::format("the input \"{}\" is a {}, which is not supported",
                                                input.name, input.otherType)));
    }
    if (input.isSequence) {
        addSequence(input);
        return;
    }
    const auto found = m_options.data.find(input.name);
    if (input.isOptional && found == m_options.data.end()) {
        define(input.name, {.isMissing = true});
        return;
    }
    noteNarrow(m_narrowInputs, input.name, input.narrow);
    define(
        input.name,
        {{addTensor(input, found == m_options.data.end() ? nullptr : found->second)}, false, input.narrow});
}

/// Adds a sequence of a known number of tensors; their shapes may differ.
void ModelImport::addSequence(const OnnxValue &input)
{
    const auto found = m_options.sequences.find(input.name);
    if (found == m_options.sequences.end()) {
        if (!input.isOptional) {
            throw UserError(diagnostic("onnx.value-needed",
                                       std::format("the input \"{}\" is a sequence of tensors: how many "
                                                   "they are must be known when the model is opened",
                                                   input.name))
                                .withHint(std::format("give a folder of them: nestc run-model --in {}=FOLDER",
                                                      input.name)));
        }
        define(input.name, {.isMissing = true});
        return;
    }
    ImportedValue sequence{{}, true};
    for (const Data &data : found->second) {
        OnnxValue element = input;
        element.name = elementName(input.name, sequence.values.size());
        element.hasShape = false;
        sequence.values.push_back(addTensor(element, data));
    }
    define(input.name, std::move(sequence));
}

/// `data` may be null.
Value ModelImport::addTensor(const OnnxValue &input, const Data &data)
{
    TensorType type{{}, input.dtype};
    if (input.hasShape) {
        for (std::size_t i = 0; i < input.shape.size(); ++i)
            type.shape.push_back(sizeOf(input.shape[i], input, i));
    } else if (data) {
        type.shape = ops::shapeOf(data->shape());
    } else {
        throw UserError(
            diagnostic("onnx.type", std::format("the input \"{}\" has no stated shape", input.name))
                .withHint("export the model with the shapes of its inputs"));
    }
    if (type.shape.size() > support::limits::tensorRank)
        throw UserError(diagnostic("onnx.shape",
                                   std::format("the input \"{}\" has {} dimensions; {} is the most",
                                               input.name, type.shape.size(), support::limits::tensorRank)));
    double elements = 1;
    for (const std::int64_t size : type.constantShape().value_or(std::vector<std::int64_t>()))
        elements *= static_cast<double>(std::max<std::int64_t>(size, 1));
    if (elements > static_cast<double>(mostElements))
        throw UserError(
            diagnostic("onnx.shape", std::format("the input \"{}\", {}, has 2^31 elements or more",
                                                 input.name, type.str())));
    const Value value = m_builder.input(input.name, type);
    if (data) {
        const TensorType given{ops::shapeOf(data->shape()), data->dtype()};
        if (!(given == type)) {
            throw UserError(diagnostic("onnx.shape", std::format("the input \"{}\" is {}, but {} is given",
                                                                 input.name, type.str(), given.str())));
        }
        if (input.narrow.isNarrow())
            checkNarrowData(input, *data);
        m_builder.assume(value, data);
    }
    return value;
}

} // namespace nestwright::graph::onnx
