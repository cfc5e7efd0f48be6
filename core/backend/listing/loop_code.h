// SPDX-License-Identifier: Apache-2.0
/// Machine code of loops: what one iteration runs, and how long a processor takes for it.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/target/target.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

/// Instructions by what they do; one can be of several kinds ("vaddps (%rdi), …" loads and computes).
struct InstructionCounts {
    int all = 0;
    int packed = 0;  ///< compute several numbers at once
    int scalar = 0;  ///< compute one floating-point number
    int loads = 0;   ///< from memory, those of registers put aside among them
    int stores = 0;  ///< to memory, the same
    int gathers = 0; ///< vectors of numbers that lie apart
    int scatters = 0;
    int spills = 0;     ///< of registers, put aside on the stack
    int reloads = 0;    ///< of registers that were put aside
    int prefetches = 0; ///< of what later iterations read
    int branches = 0;
    int calls = 0;
    int multiplyAddInstructions = 0;
    double multiplyAdds = 0; ///< numbers that are multiplied and added: 16 for a vector of 16
    double flops = 0;        ///< operations of floating point; a multiply-add is two

    bool operator==(const InstructionCounts &) const = default;
};

enum class CycleLimit : std::uint8_t {
    None,     ///< not known
    Units,    ///< units of the processor have work in every cycle
    Dispatch, ///< as many instructions as the processor takes on in a cycle
    Latency   ///< instructions wait for the results of others
};

/// A processor's time for one iteration, in the steady state and with all data in the first cache, by LLVM's
/// model of it.
struct CycleCount {
    double cycles = 0;
    double leastCycles =
        0; ///< that the busiest units need, were instructions always ready and well shared out
    CycleLimit limit = CycleLimit::None;
    std::string units{}; ///< limit Units: their names, "FP0, FP1"
};

/// A loop of machine code. A loop of the program may become several (vectors, and one for the rest) or none:
/// its iterations then stand in a row in the loop around it.
struct LoopCode {
    support::StmtId loop; ///< of the program, whose iterations it runs; none where that is not known
    std::vector<support::StmtId> statements{}; ///< loops and blocks whose instructions it holds, each once
    std::string function{};
    int parent = -1; ///< position in the list of the loop around it; -1: none
    bool isInnermost = true;
    InstructionCounts counts{};       ///< of one iteration, without the loops within it
    int vectorBits = 0;               ///< of the widest vectors it computes with; 0: none
    int firstLine = 0, lastLine = 0;  ///< in the assembly, of instructions of its own; from 0
    std::optional<CycleCount> time{}; ///< nothing where loops or calls lie within it, or no model is known
};

/// Loops of the machine code of `scheduled`, each behind those around it. Errors: as backend::source;
/// "backend.unsupported" (the target's machine code is not made here).
support::Result<std::vector<LoopCode>> loopCode(const ir::Module &scheduled, const target::Target &target,
                                                std::stop_token stop = {});

/// Whether there is any for a kind of target.
bool tellsLoopCode(target::TargetKind kind);

/// Assigns a loop of `flat`, the program that became the machine code, to loops whose closing branch names
/// none: the innermost one around the branch's statement, or else around any of the code.
void findLoops(std::vector<LoopCode> &loops, const ir::Module &flat);

/// The loop of machine code that does most of the work of the statement `id`, `within` being the loops and
/// blocks below it and itself: the innermost of those that hold its instructions, and of these the one that
/// computes most; null where there is none.
const LoopCode *codeOf(const std::vector<LoopCode> &loops, const std::vector<support::StmtId> &within);

/// "16.0 to 22.0".
std::string cyclesText(const CycleCount &time);
/// "units", "dispatch", "latency"; empty for None.
std::string_view limitName(CycleLimit limit);
/// Resource that limits a processor: "FP0, FP1", "results of others", "dispatch".
std::string limitText(const CycleCount &time);
/// "16.0 to 22.0 cycles an iteration, limited by FP0, FP1"; empty where no time is known.
std::string timeText(const LoopCode &loop);
/// "24 instructions: 16 compute vectors of 512 bits, 9 loads, 2 spills".
std::string instructionsText(const LoopCode &loop);

} // namespace nestwright::backend
