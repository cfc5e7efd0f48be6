// SPDX-License-Identifier: Apache-2.0
#include "tests/support/readers.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    nestwright::tests::checkOrAbort("npy", {reinterpret_cast<const char *>(data), size});
    return 0;
}
