// SPDX-License-Identifier: Apache-2.0
/// Errors and texts of other processes, as JSON and as a person may see them.
#pragma once

#include "core/support/errors/diagnostic.h"
#include "core/support/text/json_fwd.h"

#include <optional>
#include <string>

namespace nestwright::process {

/// The part of a text that a person is shown: without characters that could mislead a terminal or a table,
/// long ones cut.
std::string shownText(std::string text);

/// The diagnostic with the first of its locations.
support::Json toJson(const support::Diagnostic &diagnostic);
/// The error in `value`, with texts as from `shownText`; nothing where it is none.
std::optional<support::Diagnostic> errorFromJson(const support::Json &value);

} // namespace nestwright::process
