// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/withheld_memory.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace nestwright::measure {

ir::NdArray withheldArray(ir::DataType dtype, const std::vector<std::int64_t> &shape)
{
    std::size_t bytes = static_cast<std::size_t>(dtype.bytes()) * static_cast<std::size_t>(dtype.lanes);
    for (const std::int64_t extent : shape)
        bytes *= static_cast<std::size_t>(extent);
    const std::size_t taken = std::max<std::size_t>(bytes, 1);
    void *memory = mmap(nullptr, taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, taken, MADV_DONTFORK) != 0)
        throw std::bad_alloc();
    madvise(memory, taken, MADV_DONTDUMP); // best effort
    return {dtype, shape, static_cast<std::byte *>(memory),
            std::shared_ptr<void>(memory, [taken](void *mapped) { munmap(mapped, taken); })};
}

} // namespace nestwright::measure
