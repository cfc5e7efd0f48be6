// SPDX-License-Identifier: Apache-2.0
/// Answers to whether a program is as it should be.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <cstdint>
#include <optional>

namespace nestwright::explore {

enum class Judgement : std::uint8_t {
    Good,
    Bad,
    Unknown, ///< it does not compile, takes too long, …
};

struct Opinion {
    Judgement judgement = Judgement::Good;
    std::optional<support::Diagnostic> reason{}; ///< set exactly when it is not Good
};

/// A judge who chooses inputs chooses others for the confirmation.
enum class Round : std::uint8_t { Search, Confirmation };

} // namespace nestwright::explore
