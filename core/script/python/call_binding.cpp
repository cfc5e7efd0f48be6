// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/call_binding.h"

#include "core/support/text/near_names.h"

#include <algorithm>
#include <format>

namespace nestwright::script::py {

std::string Callee::quoted(std::string_view argument) const
{
    return std::format("{0}{1}{0}", quote, argument);
}

std::string missingArgument(const Callee &callee, std::string_view name)
{
    return std::format("{} needs the argument {}", callee.label, callee.quoted(name));
}

std::string unknownArgument(const Callee &callee, std::string_view name)
{
    return std::format("{} has no argument {}", callee.label, callee.quoted(name));
}

std::string repeatedArgument(const Callee &callee, std::string_view name)
{
    return std::format("{} is given its argument {} twice", callee.label, callee.quoted(name));
}

std::vector<Parameter> parametersOf(const std::vector<Param> &params)
{
    std::vector<Parameter> parameters;
    for (const Param &param : params)
        parameters.push_back({param.name, param.kind, param.defaultValue != nullptr});
    return parameters;
}

namespace {

std::unexpected<Fault> argumentFault(std::string message, Position at, std::string hint = {})
{
    return std::unexpected(Fault{FaultKind::Argument, std::move(message), std::move(hint), at});
}

/// The parameters that a position can give, in their order.
std::vector<std::size_t> positionalParameters(std::span<const Parameter> parameters)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < parameters.size() && parameters[i].kind == Param::Kind::Plain; ++i)
        places.push_back(i);
    return places;
}

std::size_t placeOfKind(std::span<const Parameter> parameters, Param::Kind kind)
{
    return static_cast<std::size_t>(std::ranges::find(parameters, kind, &Parameter::kind)
                                    - parameters.begin());
}

std::string tooMany(const Callee &callee, std::span<const Parameter> parameters, std::size_t most,
                    std::size_t given)
{
    const bool areSomeOptional = std::ranges::any_of(parameters.first(most), &Parameter::isOptional);
    return std::format("{} takes {}{} argument{}, but {} {} given", callee.label,
                       areSomeOptional ? "at most " : "", most, most == 1 ? "" : "s", given,
                       given == 1 ? "is" : "are");
}

} // namespace

Checked<Binding> bindArguments(const Callee &callee, std::span<const Parameter> parameters,
                               std::span<const Given> arguments)
{
    Binding binding(parameters.size());
    const std::vector<std::size_t> positional = positionalParameters(parameters);
    const std::size_t rest = placeOfKind(parameters, Param::Kind::VarArgs);
    const std::size_t keywords = placeOfKind(parameters, Param::Kind::KeywordArgs);
    std::size_t count = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].name.empty())
            continue;
        if (count >= positional.size() && rest == parameters.size()) {
            const auto all = std::ranges::count_if(arguments, [](const Given &g) { return g.name.empty(); });
            return argumentFault(
                tooMany(callee, parameters, positional.size(), static_cast<std::size_t>(all)),
                arguments[i].at);
        }
        binding[count < positional.size() ? positional[count] : rest].push_back(i);
        ++count;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto [name, at] = arguments[i];
        if (name.empty())
            continue;
        const auto isOfName = [&](const Parameter &p) {
            return p.name == name && p.kind == Param::Kind::Plain;
        };
        const auto found = std::ranges::find_if(parameters, isOfName);
        if (found == parameters.end() && keywords == parameters.size()) {
            std::vector<std::string_view> known;
            for (const Parameter &parameter : parameters) {
                if (parameter.kind == Param::Kind::Plain)
                    known.push_back(parameter.name);
            }
            return argumentFault(unknownArgument(callee, name), at, support::didYouMean(name, known));
        }
        std::vector<std::size_t> &taken =
            binding[found == parameters.end() ? keywords
                                              : static_cast<std::size_t>(found - parameters.begin())];
        const auto isSame = [&](std::size_t other) {
            return found != parameters.end() || arguments[other].name == name;
        };
        if (std::ranges::any_of(taken, isSame))
            return argumentFault(repeatedArgument(callee, name), at);
        taken.push_back(i);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].kind == Param::Kind::Plain && !parameters[i].isOptional && binding[i].empty())
            return argumentFault(missingArgument(callee, parameters[i].name), {});
    }
    return binding;
}

} // namespace nestwright::script::py
