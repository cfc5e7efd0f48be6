// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/value.h"

#include "core/ir/build/builder.h"

#include <array>

namespace nestwright::te {

std::string Value::kindText() const
{
    static constexpr auto names = std::to_array<std::string_view>({
        "None",
        "a bool",
        "an int",
        "a float",
        "a string",
        "a value that is not carried out",
        "an expression",
        "a tensor",
        "a slice of a tensor",
        "a reduce axis",
        "a reduction",
        "a list",
        "a dict",
        "a function",
        "a function",
        "a method",
        "a module",
        "an operation",
        "a reducer",
        "a function of TensorIR",
        "a thread axis",
        "a schedule",
        "a lowered program",
        "a stage",
        "an axis of a stage",
    });
    static_assert(names.size() == std::variant_size_v<Variant>);
    if (const auto *list = as<ListValue>(); list && list->isTuple)
        return "a tuple";
    return std::string(names[m_value.index()]);
}

std::optional<std::int64_t> asInteger(const Value &value)
{
    return py::numberOf(value.variant()).and_then(py::integerOf);
}

std::optional<double> asNumber(const Value &value)
{
    return py::numberOf(value.variant()).transform(py::realOf);
}

std::optional<std::string> textOf(const Value &value)
{
    if (const auto *flag = value.as<bool>())
        return *flag ? "True" : "False";
    if (const auto *number = value.as<std::int64_t>())
        return std::to_string(*number);
    if (const auto *text = value.as<std::string>())
        return *text;
    return std::nullopt;
}

Expr toExpr(const Value &value)
{
    if (const auto *e = value.as<Expr>())
        return *e;
    if (const auto *flag = value.as<bool>())
        return ir::boolImm(*flag);
    if (const auto *number = value.as<std::int64_t>())
        return Expr(*number);
    if (const auto *number = value.as<double>())
        return ir::writtenFloat(*number);
    if (const auto *axis = value.as<IterVar>())
        return axis->var;
    if (const auto *slice = value.as<TensorSliceValue>())
        return slice->tensor.at(slice->indices);
    // A tensor without dimensions may stand for its only element.
    if (const auto *tensor = value.as<Tensor>(); tensor && tensor->shape().empty())
        return tensor->at({});
    return {};
}

} // namespace nestwright::te
