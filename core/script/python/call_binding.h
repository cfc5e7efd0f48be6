// SPDX-License-Identifier: Apache-2.0
/// Arguments of calls, and which parameter each of them is for.
#pragma once

#include "core/script/python/fault.h"

#include <span>
#include <string_view>

namespace nestwright::script::py {

/// An argument with the place it stands at.
template <class Value> struct Argument {
    std::string name; ///< empty for a positional one
    Value value;
    Position at;
};

struct Parameter {
    std::string_view name;
    Param::Kind kind = Param::Kind::Plain;
    bool isOptional = false;
};

/// A function as messages name it: `'f' has no argument 'x'`, `f() has no argument "x"`.
struct Callee {
    std::string label;
    char quote = '\'';

    std::string quoted(std::string_view argument) const;
};

// Texts of errors.
std::string missingArgument(const Callee &callee, std::string_view name);
std::string unknownArgument(const Callee &callee, std::string_view name);
std::string repeatedArgument(const Callee &callee, std::string_view name);

std::vector<Parameter> parametersOf(const std::vector<Param> &params);

/// An argument without its value.
struct Given {
    std::string_view name; ///< empty for a positional one
    Position at;
};
template <class Value> std::vector<Given> givenOf(const std::vector<Argument<Value>> &arguments)
{
    std::vector<Given> given;
    for (const Argument<Value> &argument : arguments)
        given.push_back({argument.name, argument.at});
    return given;
}

/// For each parameter the arguments it gets, by their places among all: at most one for a plain parameter,
/// any number for `*args` and `**kwargs`, none for the marker.
using Binding = std::vector<std::vector<std::size_t>>;
Checked<Binding> bindArguments(const Callee &callee, std::span<const Parameter> parameters,
                               std::span<const Given> arguments);

} // namespace nestwright::script::py
