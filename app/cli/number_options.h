// SPDX-License-Identifier: Apache-2.0
/// Numbers on the command line that would make no sense further in.
#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace nestwright::cli {

/// A relative tolerance: from 0 to less than 1, where a result of nothing but zeros would pass.
inline CLI::Validator relativeTolerance()
{
    const auto check = [](const std::string &text) -> std::string {
        double value = 0;
        const bool isNumber = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return isNumber && value >= 0 && value < 1
                   ? std::string()
                   : "a tolerance is a number from 0 to less than 1, such as 1e-5, not " + text;
    };
    return {check, "", "relative tolerance"};
}

} // namespace nestwright::cli
