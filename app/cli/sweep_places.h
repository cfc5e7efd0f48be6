// SPDX-License-Identifier: Apache-2.0
/// All places of a loop or block, predicted and measured.
#pragma once

#include "core/session/session.h"
#include "core/target/target.h"

#include <string>

namespace nestwright::cli {

/// The text, or the JSON, of the places of the loop or block `name` in the current program of the session.
/// Errors: "sweep.no-loop"; those of measuring.
support::Result<std::string> sweepPlaces(const session::Session &session, const target::Target &target,
                                         const std::string &name, bool measures, bool json);

} // namespace nestwright::cli
