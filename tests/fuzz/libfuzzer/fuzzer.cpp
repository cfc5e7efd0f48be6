// SPDX-License-Identifier: Apache-2.0
/// One fuzzer for libFuzzer: aborts with the fault that NESTWRIGHT_CHECK (see CMakeLists.txt) finds.
#include "tests/fuzz/worker_check.h"
#include "tests/support/model_check.h"
#include "tests/support/readers.h"
#include "tests/support/request_reader.h"
#include "tests/support/session_readers.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string wrong =
        nestwright::tests::NESTWRIGHT_CHECK({reinterpret_cast<const char *>(data), size});
    if (wrong.empty())
        return 0;
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
}
