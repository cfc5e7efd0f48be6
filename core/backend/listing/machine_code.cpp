// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/machine_code.h"

#include "core/backend/codes.h"
#include "core/backend/table/backend_table.h"

#include <tuple>

namespace nestwright::backend {

using support::Result;

namespace {

/// Error: "backend.not-built".
Result<const CodeReader *> codeReader()
{
    const Backend *backend = firstBackend([](const Backend &each) { return each.reader.disassemble; });
    if (!backend)
        return support::fail(codes::notBuilt,
                             "this program was built without LLVM, which reads machine code");
    return &backend->reader;
}

} // namespace

Result<MachineCode> functionsIn(std::string_view file, const std::string &fileName, const std::string &name,
                                const target::Target &target)
{
    const auto reader = codeReader();
    return reader ? (*reader)->functions(file, fileName, name, target) : support::fail(reader.error());
}

Result<std::vector<std::string>> functionNames(std::string_view file, const std::string &fileName,
                                               const target::Target &target, std::size_t most)
{
    const auto reader = codeReader();
    return reader ? (*reader)->names(file, fileName, target, most) : support::fail(reader.error());
}

Result<Disassembly> disassemble(const MachineCode &code, const target::Target &target,
                                const std::stop_token &stop)
{
    const auto reader = codeReader();
    return reader ? (*reader)->disassemble(code, target, stop) : support::fail(reader.error());
}

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
