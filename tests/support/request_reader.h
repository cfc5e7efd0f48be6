// SPDX-License-Identifier: Apache-2.0
/// Requests of other programs, read as the readers of readers.h are.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::tests {

/// Asks {"request": NAME, "parameters": {…}}. Every reply is an answer, or an error with a code, and can be
/// written as JSON.
std::string checkRequest(std::string_view text);

} // namespace nestwright::tests
