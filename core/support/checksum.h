// SPDX-License-Identifier: Apache-2.0
/// Tells damaged or changed bytes from whole ones; no defence against somebody who means harm.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright::support {

/// XXH3, the same on every machine and in every build.
std::uint64_t checksum(std::string_view bytes);

} // namespace nestwright::support
