// SPDX-License-Identifier: Apache-2.0
/// Programs as text and what the seal says of two of them.
#pragma once

#include "core/explore/judge/seal_path.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <string>

namespace nestwright::tests {

inline explore::Seal sealOf(std::string_view unscheduled, std::string_view scheduled)
{
    return explore::seal(parsed(unscheduled), parsed(scheduled)).value();
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to)
{
    std::string result(text);
    const std::size_t at = result.find(from);
    if (at == std::string::npos)
        qFatal("the program has no such text");
    return result.replace(at, from.size(), to);
}

} // namespace nestwright::tests
