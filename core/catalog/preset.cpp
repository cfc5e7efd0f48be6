// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/preset.h"

#include "core/catalog/common.h"
#include "core/catalog/declarations.h"

#include "core/ir/builder.h"
#include "core/support/errors.h"
#include "core/support/near_names.h"

#include <format>

namespace nestwright::catalog {

using support::diagnostic;
using support::fail;
using support::Result;

std::int64_t Values::size(std::string_view name) const
{
    return std::get<std::int64_t>(m_values.find(name)->second);
}

ir::DataType Values::dtype(std::string_view name) const
{
    return std::get<ir::DataType>(m_values.find(name)->second);
}

te::Expr relu(const te::Expr &x) { return ir::max(x, ir::constant(0, x.dtype())); }

std::string anyNumber(const Values &values)
{
    const ir::DataType dtype = values.dtype();
    if (dtype.isVector() || dtype.isBool() || !(dtype.isIntegral() || dtype.isFloating()))
        return std::format("elements of type {} cannot be computed with; give a number type such as float32",
                           dtype.str());
    return {};
}

std::string floatsOnly(const Values &values)
{
    const ir::DataType dtype = values.dtype();
    if (dtype.isVector() || !dtype.isFloating())
        return std::format("elements must be floating-point numbers, not {}", dtype.str());
    return {};
}

std::span<const Operator *const> operators()
{
    static const Operator *const table[] = {
        &matmulOperator, &matmulReluOperator, &addReluOperator, &sigmoidOperator,
        &rowSumOperator, &conv2dOperator,     &softmaxOperator, &elementwiseChainOperator,
    };
    return table;
}

const Operator *findOperator(std::string_view name)
{
    for (const Operator *op : operators()) {
        if (op->name == name)
            return op;
    }
    return nullptr;
}

namespace {

std::string valueText(const Value &value)
{
    const auto *size = std::get_if<std::int64_t>(&value);
    return size ? std::to_string(*size) : std::get<ir::DataType>(value).str();
}

Result<void> checkValue(const Operator &op, const Parameter &parameter, const Value &value)
{
    if (value.index() != parameter.defaultValue.index()) {
        return fail("ops.bad-value",
                    std::format("\"{}\" of {} is to be {}, but {} was given", parameter.name, op.name,
                                parameter.defaultValue.index() == 0 ? "a whole number" : "a type",
                                valueText(value)));
    }
    const auto *size = std::get_if<std::int64_t>(&value);
    if (size && *size < parameter.least) {
        return fail("ops.bad-value",
                    std::format("\"{}\" of {} is {}, but must be at least {} ({})", parameter.name, op.name,
                                *size, parameter.least, parameter.help));
    }
    return {};
}

} // namespace

Result<Values> completeValues(const Operator &op, const Settings &settings)
{
    Settings complete;
    std::vector<std::string_view> names;
    for (const Parameter &parameter : op.parameters) {
        complete.emplace(parameter.name, parameter.defaultValue);
        names.push_back(parameter.name);
    }
    for (const auto &[name, value] : settings) {
        const auto known = std::find_if(op.parameters.begin(), op.parameters.end(),
                                        [&](const Parameter &parameter) { return parameter.name == name; });
        if (known == op.parameters.end()) {
            return fail(diagnostic("ops.unknown-parameter",
                                   std::format("the operator {} has no parameter \"{}\"", op.name, name))
                            .withHint(support::didYouMean(name, names)));
        }
        if (auto fine = checkValue(op, *known, value); !fine)
            return fail(fine.error());
        complete[name] = value;
    }
    Values values(std::move(complete));
    if (const std::string problem = op.check(values); !problem.empty())
        return fail("ops.bad-value", std::format("{}: {}", op.name, problem));
    return values;
}

Result<ir::Module> makeOp(std::string_view name, const Settings &settings)
{
    const Operator *op = findOperator(name);
    if (!op) {
        std::vector<std::string_view> names;
        for (const Operator *known : operators())
            names.push_back(known->name);
        return fail(diagnostic("ops.unknown-operator", std::format("there is no operator \"{}\"", name))
                        .withHint(support::didYouMean(name, names)));
    }
    Result<Values> values = completeValues(*op, settings);
    if (!values)
        return fail(values.error());
    return makeOp({op, *values});
}

Result<ir::Module> makeOp(const Invocation &invocation)
{
    te::Builder builder;
    try {
        return te::createModule(invocation.op->build(builder, invocation.values));
    } catch (const support::ScheduleError &error) {
        return fail(error.diagnostic());
    }
}

} // namespace nestwright::catalog
