// SPDX-License-Identifier: Apache-2.0
/// Checksums that detect damaged or changed bytes; no defence against malice.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright::support {

/// The same on every machine: XXH3, or FNV-1a where the program was built without libxxhash. A checksum that
/// a program of the other kind kept means different bytes: a cached kernel is compiled again, a measurement
/// counts as one of other inputs.
std::uint64_t checksum(std::string_view bytes);

} // namespace nestwright::support
