// SPDX-License-Identifier: Apache-2.0
/// A session as one HTML page that needs nothing else: variants with their figures, charts, and for those
/// that matter most the loops, the program and the code, linked by the mouse.
#pragma once

#include "core/session/session.h"

#include <stop_token>
#include <string>

namespace nestwright::report {

/// Variants that come with loops and sources; others with their figures alone.
inline constexpr std::size_t mostDetails = 8;

/// The page. Sources are those of the session's target. Texts of the session stand in it as texts: nothing of
/// them is run, and the page asks for nothing from elsewhere. Throws support::Stopped where the work is to
/// stop.
std::string htmlReport(const session::Session &session);

/// The measured variants as a table in Markdown, in the order they were made.
std::string markdownTable(const session::Session &session);

} // namespace nestwright::report
