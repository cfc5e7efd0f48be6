// SPDX-License-Identifier: Apache-2.0
/// Traces as JSON. They are apart because moc stumbles over backslashes in raw strings.
#pragma once

#include <string_view>

namespace nestwright::tests {

/// The trace written by script_test's traceJson, in the layout of TVM 0.23.
inline constexpr std::string_view traceAsTvm =
    R"([[["GetBlock",[],["Y","main"],["b0"]],["GetLoops",["b0"],[],["l1","l2","l3"]],)"
    R"(["Split",["l2","None",4],[true,false],["l4","l5"]],["Fuse",["l1","l4"],[1],["l6"]],)"
    R"(["Reorder",["l3","l5"],[],[]],["GetBlock",[],["C","main"],["b7"]],)"
    R"(["GetLoops",["b7"],[],["l8","l9"]],["GetBlock",[],["Y","main"],["b10"]],)"
    R"(["ComputeAt",["b10","l8"],[1,-1],[]],["GetBlock",[],["Y","main"],["b11"]],)"
    R"(["Annotate",["b11","\"text\""],["note"],[]],["GetBlock",[],["Y","main"],["b12"]],)"
    R"(["Annotate",["b12",[1,"\"x\""]],["list"],[]],["GetBlock",[],["C","main"],["b13"]],)"
    R"(["GetBlock",[],["C","main"],["b14"]],["CacheRead",["b13",["b14"]],[0,"local"],["b15"]],)"
    R"(["GetBlock",[],["C","main"],["b16"]],["CacheWrite",["b16",[]],[0,"local"],["b17"]],)"
    R"(["GetBlock",[],["C","main"],["b18"]],["GetLoops",["b18"],[],["l19","l20"]],)"
    R"(["Bind",["l19"],["threadIdx.x"],[]]],[]])";

/// As TVM 0.27 writes it.
inline constexpr std::string_view traceOfLatest = R"([[["GetSBlock", [], ["Y", "main"], ["b0"]],
            ["GetLoops", ["b0"], [], ["l1", "l2", "l3"]],
            ["Split", ["l2", "None", 4], [true, false], ["l4", "l5"]],
            ["Reorder", ["l4", "l3", "l5"], [], []], ["GetSBlock", [], ["C", "main"], ["b6"]],
            ["ReverseComputeAt", ["b6", "l4"], [0, -1], []],
            ["Annotate", ["b0", "\"text\""], ["a"], []]], []])";

} // namespace nestwright::tests
