// SPDX-License-Identifier: Apache-2.0
#include "tests/support/readers.h"

#include "core/frontend/te_script/te_script.h"
#include "core/ir/node/equality.h"
#include "core/ir/npy.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/state.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <array>

namespace nestwright::tests {

namespace {

constexpr std::string_view matmul = R"(
@T.prim_func
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((16, 8), "float32"), D: T.Buffer((32, 8), "float32")):
    C = T.alloc_buffer((32, 8))
    for i, j, k in T.grid(32, 8, 16):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(32, 8):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = T.max(C[vi, vj], T.float32(0))
)";

std::string refusalFault(const support::Diagnostic &found, bool hasPlace)
{
    if (found.code.empty() || found.message.empty())
        return "a Diagnostic without a code or a message";
    const auto isPlace = [](const support::Location &where) { return where.line >= 1 && where.column >= 1; };
    if (hasPlace && (found.locations.empty() || !isPlace(found.locations.front())))
        return "a Diagnostic without a place: " + found.message;
    return {};
}

const schedule::State &matmulState()
{
    static const schedule::State state = [] {
        const auto module = script::parseTvmScript(matmul, "matmul.py");
        auto made = schedule::makeState(*module);
        return *std::move(made);
    }();
    return state;
}

} // namespace

std::string checkTvmScript(std::string_view text)
{
    const auto module = script::parseTvmScript(text, "fuzz.py");
    if (!module)
        return refusalFault(module.error(), true);
    for (const auto dialect : script::allDialects) {
        const std::string printed = script::print(*module, dialect).text;
        const auto again = script::parseTvmScript(printed, "printed.py");
        if (!again)
            return "what is printed cannot be read: " + again.error().render() + "\n" + printed;
        if (const auto difference = ir::firstDifference(*module, *again))
            return "reading what is printed differs at " + *difference + "\n" + printed;
    }
    return {};
}

std::string checkTe(std::string_view text)
{
    const auto script = te::readTeScript(text, "fuzz.py");
    return script ? std::string() : refusalFault(script.error(), true);
}

std::string checkSchedule(std::string_view text)
{
    const auto run = schedule::runScheduleScript(matmulState(), text, "fuzz.py");
    return run ? std::string() : refusalFault(run.error(), false);
}

std::string checkTrace(std::string_view text)
{
    const auto run = schedule::runTraceJson(matmulState(), text, "fuzz.json");
    return run ? std::string() : refusalFault(run.error(), false);
}

std::string checkNpy(std::string_view text)
{
    const auto array = ir::readNpyBytes(std::as_bytes(std::span(text)), "fuzz.npy");
    return array ? std::string() : refusalFault(array.error(), false);
}

std::span<const Reader> readers()
{
    static constexpr std::array<Reader, 5> table{{
        {"tvmscript", checkTvmScript},
        {"te", checkTe},
        {"schedule", checkSchedule},
        {"trace", checkTrace},
        {"npy", checkNpy},
    }};
    return table;
}

} // namespace nestwright::tests
