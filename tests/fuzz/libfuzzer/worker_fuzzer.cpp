// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/worker_check.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string wrong =
        nestwright::tests::checkWorkerAnswer({reinterpret_cast<const char *>(data), size});
    if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::abort();
    }
    return 0;
}
