// SPDX-License-Identifier: Apache-2.0
/// Steps that leave the program as it is.
#pragma once

#include "core/schedule/state.h"
#include "core/schedule/step.h"
#include "core/support/errors/diagnostic.h"

#include <optional>

namespace nestwright::suggest {

/// Why a step that says how a loop runs is of no use: the loop runs so already ("suggest.no-change"). Nothing
/// where it changes something. Such a step is legal, scripts may hold it.
std::optional<support::Diagnostic> whyNoChange(const schedule::State &state, const schedule::Step &step);

} // namespace nestwright::suggest
