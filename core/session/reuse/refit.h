// SPDX-License-Identifier: Apache-2.0
/// Schedules that a recipe made for another machine, made anew for the one at hand.
#pragma once

#include "core/explore/findings/finding.h"

#include <optional>
#include <stop_token>

namespace nestwright::session {

/// The schedule as its recipe makes it with the numbers of the machine that code for `target` runs on. Its
/// recipe is the one that makes the same primitives one after the other with the vectors, registers and
/// threads of some class of processors. Nothing where there is none, where it makes the same steps, and once
/// `stop` is requested.
std::optional<explore::Variation> refitted(const explore::StepPath &path, const target::Target &target,
                                           const std::stop_token &stop = {});

} // namespace nestwright::session
