// SPDX-License-Identifier: Apache-2.0
#include "core/support/checksum.h"

#include <xxhash.h>

namespace nestwright::support {

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

} // namespace nestwright::support
