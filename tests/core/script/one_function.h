// SPDX-License-Identifier: Apache-2.0
/// A function for bodies to stand in.
#pragma once

#include <string>

namespace nestwright::tests {

inline constexpr const char *head =
    "from tvm.script import tir as T\n"
    "@T.prim_func\n"
    "def main(A: T.Buffer((16, 16), \"float32\"), I: T.Buffer((64,), \"int32\"), n: T.int32, "
    "x: T.float32, p: T.handle):\n";

/// The body below the head.
inline std::string indented(const std::string &body)
{
    std::string text = "    ";
    for (const char c : body) {
        text += c;
        if (c == '\n')
            text += "    ";
    }
    return text + "\n";
}

/// A function of two buffers and a number with the body.
inline std::string function(const std::string &body)
{
    return "@T.prim_func\n"
           "def main(A: T.Buffer((64,), \"float32\"), I: T.Buffer((64,), \"int32\"), n: T.int32):\n"
           + indented(body);
}

} // namespace nestwright::tests
