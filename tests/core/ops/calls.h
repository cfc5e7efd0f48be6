// SPDX-License-Identifier: Apache-2.0
/// Calls of operators on small tensors, with results as text.
#pragma once

#include "core/interp/interpreter.h"
#include "core/ops/table/tensor_op.h"

#include <QtTest>

#include <format>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::tests {

using Sizes = std::vector<std::int64_t>;

inline ir::NdArray tensor(std::string_view dtype, const Sizes &shape, const std::vector<double> &values)
{
    ir::NdArray array(*ir::DataType::parse(dtype), shape);
    if (array.size() != static_cast<std::int64_t>(values.size()))
        qFatal("%zu values for %lld elements", values.size(), static_cast<long long>(array.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), values[i]);
    return array;
}

/// A tensor whose elements count up from `first`.
inline ir::NdArray counted(std::string_view dtype, const Sizes &shape, double first = 0)
{
    ir::NdArray array(*ir::DataType::parse(dtype), shape);
    for (std::int64_t i = 0; i < array.size(); ++i)
        array.set(i, first + static_cast<double>(i));
    return array;
}

inline ops::TensorType typeOf(const ir::NdArray &array)
{
    ops::TensorType type{{}, array.dtype()};
    for (const std::int64_t size : array.shape())
        type.shape.emplace_back(static_cast<int>(size));
    return type;
}

/// "Tensor[(2, 3), float32]", several with " and " between them; or the message of the refusal.
inline QString typesOf(std::string_view name, const std::vector<ops::TensorType> &inputs,
                       ops::Attributes given = {})
{
    const ops::TensorOp *op = ops::findTensorOp(name);
    if (!op)
        qFatal("there is no operator %s", std::string(name).c_str());
    const auto attributes = ops::completeAttributes(*op, std::move(given));
    if (!attributes)
        return QString::fromStdString(attributes.error().message);
    const auto types = ops::inferTypes({*op, *attributes, inputs});
    if (!types)
        return QString::fromStdString(types.error().message);
    std::string text;
    for (const ops::TensorType &type : *types)
        text += (text.empty() ? "" : " and ") + type.str();
    return QString::fromStdString(text);
}

inline std::string textOf(const ir::NdArray &array)
{
    std::string text = array.dtype().str() + " (";
    for (std::size_t i = 0; i < array.shape().size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(array.shape()[i]);
    text += "):";
    for (std::int64_t i = 0; i < array.size(); ++i)
        text += std::format(" {:.6g}", array.at(i));
    return text;
}

/// The results of a call by the interpreter, which have the types that were promised; or its refusal.
inline support::Result<std::vector<ir::NdArray>>
called(std::string_view name, const std::vector<ir::NdArray> &inputs, ops::Attributes given = {})
{
    const ops::TensorOp *op = ops::findTensorOp(name);
    if (!op)
        qFatal("there is no operator %s", std::string(name).c_str());
    const auto attributes = ops::completeAttributes(*op, std::move(given));
    if (!attributes)
        return support::fail(attributes.error());
    std::vector<ops::TensorType> types;
    for (const ir::NdArray &input : inputs)
        types.push_back(typeOf(input));
    const ops::CallSite site{*op, *attributes, types};
    const auto results = ops::inferTypes(site);
    if (!results)
        return support::fail(results.error());
    const auto module = ops::moduleOf(site, *results);
    if (!module)
        return support::fail(module.error());
    std::vector<ir::NdArray> arrays = inputs;
    for (const ops::TensorType &type : *results)
        arrays.emplace_back(type.dtype, *type.constantShape());
    std::vector<ir::NdArray *> arguments;
    for (ir::NdArray &array : arrays)
        arguments.push_back(&array);
    if (const auto ran = interp::run(*module->mainEntry()->function, arguments); !ran)
        return support::fail(ran.error());
    arrays.erase(arrays.begin(), arrays.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    return arrays;
}

/// "float32 (2, 2): 1 2 3 4", several with "; " between them; or the message of the refusal.
inline QString answer(std::string_view name, const std::vector<ir::NdArray> &inputs,
                      ops::Attributes given = {})
{
    const auto results = called(name, inputs, std::move(given));
    if (!results)
        return QString::fromStdString(results.error().message);
    std::string text;
    for (const ir::NdArray &result : *results)
        text += (text.empty() ? "" : "; ") + textOf(result);
    return QString::fromStdString(text);
}

} // namespace nestwright::tests
