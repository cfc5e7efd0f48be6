// SPDX-License-Identifier: Apache-2.0
/// Amounts of memory as people read them.
#pragma once

#include <string>

namespace nestwright::support {

/// "272 B", "12.6 MB"; a KB is 1024 bytes.
std::string bytesText(double bytes);

} // namespace nestwright::support
