// SPDX-License-Identifier: Apache-2.0
/// Converts the values of a script or a trace to the arguments of a step.
#pragma once

#include "core/schedule/primitive.h"

#include <functional>

namespace nestwright::schedule {

/// Finds a block by name.
using BlockLookup = std::function<ArgValue(const std::string &name)>;

/// Arguments as written: those without a keyword, in order, then those with one.
struct WrittenArguments {
    ArgList positional;
    std::vector<std::pair<std::string, ArgValue>> named;
};

/// A step of `primitive` with these arguments and its defaults. Strings become blocks and buffers where those
/// are asked for, 0 and 1 become False and True. Throws "schedule.argument".
Step bindArguments(const State &state, const Primitive &primitive, WrittenArguments written,
                   const BlockLookup &blockByName);

} // namespace nestwright::schedule
