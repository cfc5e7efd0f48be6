// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session_readers.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    nestwright::tests::checkSessionOrAbort("nest", {reinterpret_cast<const char *>(data), size});
    return 0;
}
