// SPDX-License-Identifier: Apache-2.0
/// A kernel for a GPU whose stages hand over arrays in shared memory.
#pragma once

#include <format>
#include <string>

namespace nestwright::tests {

/// Turns `size` elements round three times, a multiple of 64, in blocks of 64 threads: A into S, S into P, P
/// into Q, and Q into C. Q can lie where S lay.
inline std::string sharedStages(int size)
{
    std::string text = std::format("@T.prim_func\ndef main(A: T.Buffer(({0},), \"float32\"), "
                                   "C: T.Buffer(({0},), \"float32\")):\n",
                                   size);
    for (const char *array : {"S", "P", "Q"})
        text += std::format("    {} = T.alloc_buffer(({},), scope=\"shared\")\n", array, size);
    text += "    for b in T.thread_binding(1, thread=\"blockIdx.x\"):\n";
    const char *from = "A";
    for (const char *to : {"S", "P", "Q", "C"}) {
        text += std::format(R"(        for t in T.thread_binding(64, thread="threadIdx.x"):
            for i in range({1}):
                with T.block("{2}"):
                    v = T.axis.spatial({0}, i * 64 + t)
                    {2}[v] = {3}[{4}]
)",
                            size, size / 64, to, from,
                            from[0] == 'A' ? std::string("v") : std::format("{} - v", size - 1));
        from = to;
    }
    return text;
}

} // namespace nestwright::tests
