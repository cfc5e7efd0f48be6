// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_compiler.h"

#include "core/backend/codes.h"
#include "core/backend/compiler.h"
#include "core/backend/cuda/nvrtc.h"
#include "core/support/child_process.h"
#include "core/support/codes.h"
#include "core/support/errors.h"
#include "core/support/json.h"
#include "core/support/nestc_program.h"
#include "core/support/sanitized.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::backend {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::chrono::seconds patience{60};
constexpr rlim_t mostSeconds = 90, mostBytes = rlim_t{8} << 30;
constexpr const char *textName = "kernels.cu", *answerName = "answer";

Result<Json> answerIn(const std::filesystem::path &file)
try {
    Json answer = Json::from_cbor(readFile(file));
    if (!answer.contains("error"))
        return answer;
    const Json &error = answer.at("error");
    return fail(
        support::diagnostic(error.at("code").get<std::string>(), error.at("message").get<std::string>())
            .withHint(error.at("hint").get<std::string>()));
} catch (const Json::exception &) {
    return fail(support::diagnostic(codes::compilerFailed, "NVRTC ended without an answer")
                    .withHint("try another version of it: NESTWRIGHT_NVRTC names one"));
}

/// Has a process of its own answer. `text` is empty where nothing is compiled.
Result<Json> ask(const std::string &text, const std::string &architecture, const std::stop_token &stop)
try {
    const TemporaryFolder folder;
    if (!architecture.empty())
        writeFile(folder.path() / textName, text);
    auto process = support::ChildProcess::start({.program = support::findNestc(),
                                                 .arguments = {"nvrtc", folder.path().string(), architecture},
                                                 .environment = {}});
    if (!process)
        return fail(process.error());
    const std::optional<int> status = process->wait(stop, patience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    if (!status)
        return fail(support::diagnostic(codes::compilerFailed,
                                        "NVRTC did not end within " + std::to_string(patience.count()) + " s")
                        .withHint("unroll less, or split the kernel"));
    if (WIFSIGNALED(*status))
        return fail(support::diagnostic(codes::compilerFailed,
                                        "NVRTC was ended by signal " + std::to_string(WTERMSIG(*status)))
                        .withHint("try another version of it: NESTWRIGHT_NVRTC names one"));
    return answerIn(folder.path() / answerName);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Json errorOf(const support::Diagnostic &error)
{
    return {{"error", {{"code", error.code}, {"message", error.message}, {"hint", error.hint}}}};
}

/// Answer of the library: about itself where `architecture` is empty, else about the text in `folder`.
Json answerOf(const std::filesystem::path &folder, const std::string &architecture)
{
    const auto nvrtc = Nvrtc::load();
    if (!nvrtc)
        return errorOf(nvrtc.error());
    if (architecture.empty())
        return {{"path", nvrtc->path()},
                {"version", nvrtc->version()},
                {"architectures", nvrtc->architectures()}};
    const auto made = nvrtc->compile(readFile(folder / textName), architecture);
    if (!made)
        return errorOf(made.error());
    return {{"ptx", made->ptx}, {"cubin", made->cubin}, {"log", made->log}};
}

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
    return fail(support::diagnostic("cuda.architecture", "NVRTC " + compiler->version + " makes no code for '"
                                                             + architecture + '\'')
                    .withHint("it does for " + names));
}

} // namespace

Result<CudaCompiler> cudaCompiler(std::stop_token stop)
{
    const auto answer = ask({}, {}, stop);
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
    const auto answer = ask(text, architecture, stop);
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

int runNvrtc(const std::string &folder, const std::string &architecture)
try {
    const rlimit seconds{mostSeconds, mostSeconds}, bytes{mostBytes, mostBytes}, none{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    if (!support::isSanitized)
        setrlimit(RLIMIT_AS, &bytes);
    setrlimit(RLIMIT_CORE, &none);
    std::string answer;
    Json::to_cbor(answerOf(folder, architecture), answer);
    writeFile(std::filesystem::path(folder) / answerName, answer);
    return 0;
} catch (const support::UserError &) {
    return 2; // the folder is not one that an answer can be written to
}

} // namespace nestwright::backend
