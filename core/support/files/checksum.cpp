// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/checksum.h"

#if NESTWRIGHT_HAS_XXHASH
#include <xxhash.h>
#endif

namespace nestwright::support {

#if NESTWRIGHT_HAS_XXHASH

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

#else

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): a byte at a time, in the same order everywhere.
std::uint64_t checksum(std::string_view bytes)
{
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const char byte : bytes)
        sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return sum;
}

#endif

} // namespace nestwright::support
