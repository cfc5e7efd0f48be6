// SPDX-License-Identifier: Apache-2.0
/// Machine code without a program of ours: that of files and of libraries, read back.
#pragma once

#include "core/backend/listing/loop_code.h"
#include "core/script/print/printer.h"

#include <cstdint>
#include <map>
#include <span>

namespace nestwright::backend {

/// A function as it lies in memory, or would.
struct FunctionBytes {
    std::string name;
    std::uint64_t address = 0; ///< of the first byte
    std::string bytes{};
};

struct MachineCode {
    std::vector<FunctionBytes> functions;
    /// How often the processor was found at an address while the code ran; empty where it did not run.
    std::map<std::uint64_t, int> samples{};
};

/// The functions of an object file or a shared library of ELF that `name` names, with the parts that a
/// compiler made of it ("NAME._omp_fn.0"); of an empty name the only one. Errors: "code.file" (no such file,
/// or damaged), "code.processor" (it is for another than `target`), "code.function" (there is none of that
/// name, or several and no name; the hint lists them), "code.too-large", "backend.not-built".
support::Result<MachineCode> functionsIn(std::string_view file, const std::string &fileName,
                                         const std::string &name, const target::Target &target);

/// Names of the functions that functionsIn finds, without the parts; at most so many. Errors as above.
support::Result<std::vector<std::string>> functionNames(std::string_view file, const std::string &fileName,
                                                        const target::Target &target,
                                                        std::size_t most = 1000);

/// Machine code as assembly, with its loops. Loops are numbered from 1 in the order of the functions, each
/// behind those around it: the number is the StmtId in `spans` and in LoopCode::loop.
struct Disassembly {
    std::string text; ///< labels stand where branches go, ".L3:"
    std::vector<script::LineSpan> spans;
    std::vector<LoopCode> loops;
    std::vector<std::string> labels; ///< of each loop the one that it begins with: "L3"
    /// Samples per loop in which the processor was in its own code; all 0 without sampling.
    std::vector<int> samples;
    int allSamples = 0; ///< of the functions
};

/// The loops are those of the graph of branches: a branch back to an instruction through which every way to
/// it leads. Times are those of loops that were seen at work, where the code was sampled. Errors:
/// "code.too-large", "target.option", "backend.not-built", "cancelled".
support::Result<Disassembly> disassemble(const MachineCode &code, const target::Target &target,
                                         const std::stop_token &stop = {});

/// The loop that does most of the work: that with most samples; where nothing was sampled, of the innermost
/// ones that which computes most in an iteration. −1 where there is none.
int hottestLoop(const Disassembly &code);

} // namespace nestwright::backend
