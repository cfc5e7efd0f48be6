// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/machine_code.h"

#if NESTWRIGHT_HAS_LLVM
#include "core/backend/codes.h"
#include "core/backend/llvm/read/disassembler.h"
#include "core/backend/llvm/read/object_file.h"
#endif

#include <tuple>

namespace nestwright::backend {

using support::Result;

#if NESTWRIGHT_HAS_LLVM

Result<MachineCode> functionsIn(std::string_view file, const std::string &fileName, const std::string &name,
                                const target::Target &target)
{
    return llvmFunctionsIn(file, fileName, name, target);
}

Result<std::vector<std::string>> functionNames(std::string_view file, const std::string &fileName,
                                               const target::Target &target, std::size_t most)
{
    return llvmFunctionNames(file, fileName, target, most);
}

Result<Disassembly> disassemble(const MachineCode &code, const target::Target &target,
                                const std::stop_token &stop)
{
    return llvmDisassemble(code, target, stop);
}

#else

namespace {

std::unexpected<support::Diagnostic> notBuilt()
{
    return support::fail(codes::notBuilt, "this program was built without LLVM, which reads machine code");
}

} // namespace

Result<MachineCode> functionsIn(std::string_view, const std::string &, const std::string &,
                                const target::Target &)
{
    return notBuilt();
}

Result<std::vector<std::string>> functionNames(std::string_view, const std::string &, const target::Target &,
                                               std::size_t)
{
    return notBuilt();
}

Result<Disassembly> disassemble(const MachineCode &, const target::Target &, const std::stop_token &)
{
    return notBuilt();
}

#endif

int hottestLoop(const Disassembly &code)
{
    const auto heat = [&](std::size_t i) {
        const LoopCode &loop = code.loops[i];
        return std::tuple(code.samples[i], loop.isInnermost, loop.counts.flops, loop.counts.packed,
                          loop.counts.all);
    };
    int best = -1;
    for (std::size_t i = 0; i < code.loops.size(); ++i) {
        if (best < 0 || heat(i) > heat(static_cast<std::size_t>(best)))
            best = static_cast<int>(i);
    }
    return best;
}

} // namespace nestwright::backend
