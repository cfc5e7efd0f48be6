// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/runtime.h"

namespace nestwright::backend {

std::string describeKernelCode(std::int32_t code)
{
    switch (static_cast<KernelCode>(code)) {
    case KernelCode::Done: return "the kernel finished";
    case KernelCode::DivisionByZero: return "the kernel divided an integer by zero";
    case KernelCode::OutOfMemory: return "the kernel could not get the memory for one of its buffers";
    case KernelCode::AssertionFailed: return "an assertion of the kernel failed";
    case KernelCode::NullArgument: return "an argument of the kernel is a null pointer";
    case KernelCode::ProcessorLacks: return "the processor lacks an extension that the kernel was made with";
    }
    return "the kernel returned the code " + std::to_string(code);
}

std::vector<std::pair<std::string, void *>> runtimeSymbols()
{
    return {{"nestwright_parallel_for", reinterpret_cast<void *>(&nestwright_parallel_for)},
            {"nestwright_alloc", reinterpret_cast<void *>(&nestwright_alloc)},
            {"nestwright_free", reinterpret_cast<void *>(&nestwright_free)},
            {"nestwright_has_tiles", reinterpret_cast<void *>(&nestwright_has_tiles)}};
}

} // namespace nestwright::backend
