// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_compiler.h"

#include "core/backend/codes.h"
#include "core/backend/cuda/nvrtc.h"
#include "core/backend/device/driver_process.h"
#include "core/process/question.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <charconv>

namespace nestwright::backend {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr const char *subject = "NVRTC", *kind = "cuda"; ///< of the process that is asked

/// The number before `word`, or 0: 14 of "Used 14 registers" and " registers".
std::int64_t numberBefore(std::string_view line, std::string_view word)
{
    const std::size_t end = line.find(word);
    if (end == std::string_view::npos)
        return 0;
    const std::size_t start = line.find_last_not_of("0123456789", end - 1);
    std::int64_t number = 0;
    std::from_chars(line.data() + (start == std::string_view::npos ? 0 : start + 1), line.data() + end,
                    number);
    return number;
}

Result<void> checkArchitecture(const std::string &architecture, const std::stop_token &stop)
{
    const auto compiler = cudaCompiler(stop);
    if (!compiler)
        return fail(compiler.error());
    int number = 0;
    const char *first = architecture.data() + 3, *last = architecture.data() + architecture.size();
    const bool isNamed = architecture.starts_with("sm_")
                         && std::from_chars(first, last, number).ec == std::errc()
                         && std::ranges::contains(compiler->architectures, number);
    if (isNamed)
        return {};
    std::string names;
    for (const int each : compiler->architectures)
        names += (names.empty() ? "sm_" : ", sm_") + std::to_string(each);
    return fail(
        support::diagnostic(codes::unknownArchitecture,
                            "NVRTC " + compiler->version + " makes no code for '" + architecture + '\'')
            .withHint("it does for " + names));
}

} // namespace

Result<CudaCompiler> cudaCompiler(std::stop_token stop)
{
    const auto answer = askDriver({{"compiler", kind}, {"architecture", ""}}, subject, stop);
    if (!answer)
        return fail(answer.error());
    try {
        return CudaCompiler{answer->at("path").get<std::string>(), answer->at("version").get<std::string>(),
                            answer->at("architectures").get<std::vector<int>>()};
    } catch (const Json::exception &) {
        return fail(codes::compilerFailed, "NVRTC does not describe itself");
    }
}

Result<CudaBinary> compileCuda(const std::string &text, const std::string &architecture, std::stop_token stop)
{
    const auto answer =
        askDriver({{"compiler", kind}, {"text", text}, {"architecture", architecture}}, subject, stop);
    if (!answer && answer.error().code == codes::compilerFailed) {
        if (const auto known = checkArchitecture(architecture, stop); !known)
            return fail(known.error());
    }
    if (!answer)
        return fail(answer.error());
    try {
        return CudaBinary{answer->at("ptx").get<std::string>(), answer->at("cubin").get<std::string>(),
                          readPtxasLog(answer->at("log").get<std::string>(), architecture)};
    } catch (const Json::exception &) {
        return fail(codes::compilerFailed, "NVRTC left no machine code");
    }
}

std::vector<KernelResources> readPtxasLog(std::string_view log, const std::string &architecture)
{
    std::vector<KernelResources> kernels;
    while (!log.empty()) {
        const std::string_view line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        constexpr std::string_view entry = "Compiling entry function '";
        if (const std::size_t at = line.find(entry); at != std::string_view::npos) {
            const std::string_view name = line.substr(at + entry.size());
            kernels.push_back(
                {.kernel = std::string(name.substr(0, name.find('\''))), .architecture = architecture});
        }
        if (kernels.empty())
            continue;
        KernelResources &kernel = kernels.back();
        if (line.contains(" bytes stack frame")) {
            kernel.stackBytes = numberBefore(line, " bytes stack frame");
            kernel.spillStores = numberBefore(line, " bytes spill stores");
            kernel.spillLoads = numberBefore(line, " bytes spill loads");
        } else if (line.contains(" registers")) {
            kernel.registers = static_cast<int>(numberBefore(line, " registers"));
            kernel.barriers = static_cast<int>(numberBefore(line, " barriers"));
            kernel.sharedBytes = numberBefore(line, " bytes smem");
        }
    }
    return kernels;
}

Json answerAsNvrtc(const Json &question)
{
    const auto nvrtc = Nvrtc::load();
    if (!nvrtc)
        return process::errorAnswer(nvrtc.error());
    if (!question.contains("text"))
        return {{"path", nvrtc->path()},
                {"version", nvrtc->version()},
                {"architectures", nvrtc->architectures()}};
    const auto made = nvrtc->compile(question.at("text").get<std::string>(),
                                     question.at("architecture").get<std::string>());
    if (!made)
        return process::errorAnswer(made.error());
    return {{"ptx", made->ptx}, {"cubin", made->cubin}, {"log", made->log}};
}

} // namespace nestwright::backend
