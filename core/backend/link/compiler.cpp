// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/compiler.h"

#include "core/backend/codes.h"
#include "core/backend/tool.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/system_reason.h"
#include "core/support/files/atomic_file.h"

#include <cerrno>
#include <cstdlib>
#include <format>
#include <fstream>
#include <sstream>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

/// By name, in the order in which they are tried.
std::vector<std::string> compilers()
{
    const char *chosen = std::getenv("CC");
    return chosen && *chosen ? std::vector<std::string>{chosen}
                             : std::vector<std::string>{"cc", "gcc", "clang"};
}

/// Shortens the output of a compiler that runs away.
std::string shortened(std::string text)
{
    constexpr std::size_t most = 20'000;
    if (text.size() > most)
        text = text.substr(0, most) + "\n…";
    return text;
}

} // namespace

Result<void> runCompiler(const std::vector<std::string> &arguments, const std::stop_token &stop)
{
    const char *chosen = std::getenv("CC");
    for (const std::string &compiler : compilers()) {
        const auto ran = runTool(compiler, arguments, stop);
        if (!ran)
            return fail(support::codes::cancelled, "compiling was cancelled");
        if (ran->status == 127 && ran->text.empty())
            continue;
        if (ran->status != 0)
            return fail(codes::compilerFailed,
                        "the C compiler '" + compiler + "' failed:\n" + shortened(ran->text));
        return {};
    }
    return fail(support::diagnostic(
                    codes::noCompiler,
                    chosen && *chosen ? "there is no C compiler '" + std::string(chosen) + "', which CC names"
                                      : std::string("there is no C compiler here: 'cc', 'gcc' and 'clang' "
                                                    "were not found"))
                    .withHint("install gcc or clang, set CC, or use the target llvm, which needs none"));
}

std::string compilerVersion()
{
    for (const std::string &compiler : compilers()) {
        if (const auto ran = runTool(compiler, {"--version"}); ran && ran->status == 0)
            return ran->text;
    }
    return {};
}

} // namespace nestwright::backend
