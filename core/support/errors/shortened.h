// SPDX-License-Identifier: Apache-2.0
/// A bound on the length of messages: names in files may have megabytes.
#pragma once

#include <string>

namespace nestwright::support {

/// More nobody reads.
constexpr std::size_t longestMessage = 2000;

/// The beginning and the end of a text that is longer than `longestMessage` bytes.
std::string shortened(std::string text);

} // namespace nestwright::support
