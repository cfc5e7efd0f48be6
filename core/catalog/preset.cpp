// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/preset.h"

#include "core/catalog/declarations.h"
#include "core/support/errors/errors.h"
#include "core/support/text/near_names.h"

#include <algorithm>
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

std::span<const Preset *const> presets()
{
    static const Preset *const table[] = {
        &matmulPreset, &matmulReluPreset, &addReluPreset, &sigmoidPreset,
        &rowSumPreset, &conv2dPreset,     &softmaxPreset, &elementwiseChainPreset,
    };
    return table;
}

Result<const Preset *> findPreset(std::string_view name)
{
    std::vector<std::string_view> names;
    for (const Preset *preset : presets()) {
        if (preset->name == name)
            return preset;
        names.push_back(preset->name);
    }
    return fail(diagnostic("ops.unknown-operator", std::format("there is no operator \"{}\"", name))
                    .withHint(support::didYouMean(name, names)));
}

namespace {

std::string valueText(const Value &value)
{
    const auto *size = std::get_if<std::int64_t>(&value);
    return size ? std::to_string(*size) : std::get<ir::DataType>(value).str();
}

Result<void> checkValue(const Preset &preset, const Parameter &parameter, const Value &value)
{
    if (value.index() != parameter.defaultValue.index()) {
        return fail("ops.bad-value",
                    std::format("\"{}\" of {} is to be {}, but {} was given", parameter.name, preset.name,
                                parameter.defaultValue.index() == 0 ? "a whole number" : "a type",
                                valueText(value)));
    }
    const auto *size = std::get_if<std::int64_t>(&value);
    if (size && *size < parameter.least) {
        return fail("ops.bad-value",
                    std::format("\"{}\" of {} is {}, but must be at least {} ({})", parameter.name,
                                preset.name, *size, parameter.least, parameter.help));
    }
    return {};
}

} // namespace

Result<Values> completeValues(const Preset &preset, const Settings &settings)
{
    Settings complete;
    std::vector<std::string_view> names;
    for (const Parameter &parameter : preset.parameters) {
        complete.emplace(parameter.name, parameter.defaultValue);
        names.push_back(parameter.name);
    }
    for (const auto &[name, value] : settings) {
        const auto known = std::find_if(preset.parameters.begin(), preset.parameters.end(),
                                        [&](const Parameter &parameter) { return parameter.name == name; });
        if (known == preset.parameters.end()) {
            return fail(diagnostic("ops.unknown-parameter",
                                   std::format("the operator {} has no parameter \"{}\"", preset.name, name))
                            .withHint(support::didYouMean(name, names)));
        }
        if (auto fine = checkValue(preset, *known, value); !fine)
            return fail(fine.error());
        complete[name] = value;
    }
    Values values(std::move(complete));
    if (const std::string problem = preset.check(values); !problem.empty())
        return fail("ops.bad-value", std::format("{}: {}", preset.name, problem));
    return values;
}

Result<ir::Module> makeModule(std::string_view name, const Settings &settings)
{
    const Result<const Preset *> preset = findPreset(name);
    if (!preset)
        return fail(preset.error());
    Result<Values> values = completeValues(**preset, settings);
    if (!values)
        return fail(values.error());
    return makeModule({*preset, *values});
}

Result<ir::Module> makeModule(const Invocation &invocation)
{
    te::Builder builder;
    try {
        return te::createModule(invocation.preset->build(builder, invocation.values));
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
}

} // namespace nestwright::catalog
