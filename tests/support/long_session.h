// SPDX-License-Identifier: Apache-2.0
/// A file that takes long to open, within every limit.
#pragma once

#include <string>

namespace nestwright::tests {

/// A session on many stages with the same step thousands of times, each of which is replayed: minutes.
std::string longSessionText();

} // namespace nestwright::tests
