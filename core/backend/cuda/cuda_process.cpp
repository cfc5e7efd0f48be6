// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_process.h"

#include "core/backend/codes.h"
#include "core/backend/compiler.h"
#include "core/backend/cuda/cuda_device.h"
#include "core/backend/cuda/nvrtc.h"
#include "core/support/child_process.h"
#include "core/support/codes.h"
#include "core/support/errors.h"
#include "core/support/json.h"
#include "core/support/nestc_program.h"
#include "core/support/sanitized.h"

#include <chrono>
#include <sys/resource.h>
#include <sys/wait.h>

namespace nestwright::backend {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::chrono::seconds patience{60};
constexpr rlim_t mostSeconds = 90, mostBytes = rlim_t{8} << 30;
constexpr const char *questionName = "question", *answerName = "answer";

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
    return fail(support::diagnostic(codes::compilerFailed, "NVIDIA's library ended without an answer")
                    .withHint("try another version of it: NESTWRIGHT_NVRTC names one"));
}

Json errorOf(const support::Diagnostic &error)
{
    return {{"error", {{"code", error.code}, {"message", error.message}, {"hint", error.hint}}}};
}

Json answerOfCompiler(const Json &question)
{
    const auto nvrtc = Nvrtc::load();
    if (!nvrtc)
        return errorOf(nvrtc.error());
    if (!question.contains("text"))
        return {{"path", nvrtc->path()},
                {"version", nvrtc->version()},
                {"architectures", nvrtc->architectures()}};
    const auto made = nvrtc->compile(question.at("text").get<std::string>(),
                                     question.at("architecture").get<std::string>());
    if (!made)
        return errorOf(made.error());
    return {{"ptx", made->ptx}, {"cubin", made->cubin}, {"log", made->log}};
}

Json answerOfDriver()
{
    const auto gpus = describeGpus();
    if (!gpus)
        return errorOf(gpus.error());
    Json list = Json::array();
    for (const DeviceFacts &gpu : *gpus)
        list.push_back({{"name", gpu.name},
                        {"driver", gpu.driver},
                        {"architecture", gpu.architecture},
                        {"compute-units", gpu.computeUnits},
                        {"memory-bytes", gpu.memoryBytes},
                        {"shared-bytes", gpu.sharedBytes},
                        {"most-threads", gpu.mostThreads}});
    return {{"gpus", list}};
}

Json answerTo(const Json &question)
{
    return question.at("question") == "devices" ? answerOfDriver() : answerOfCompiler(question);
}

/// The driver takes addresses for all memory that a machine can have, so it is not limited.
void limitThisProcess(bool hasDriver)
{
    const rlimit seconds{mostSeconds, mostSeconds}, bytes{mostBytes, mostBytes}, none{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    if (!support::isSanitized && !hasDriver)
        setrlimit(RLIMIT_AS, &bytes);
    setrlimit(RLIMIT_CORE, &none);
}

} // namespace

Result<Json> askCuda(const Json &question, const std::stop_token &stop)
try {
    const TemporaryFolder folder;
    std::string bytes;
    Json::to_cbor(question, bytes);
    writeFile(folder.path() / questionName, bytes);
    auto process = support::ChildProcess::start(
        {.program = support::findNestc(), .arguments = {"cuda", folder.path().string()}, .environment = {}});
    if (!process)
        return fail(process.error());
    const std::optional<int> status = process->wait(stop, patience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    if (!status)
        return fail(support::diagnostic(codes::compilerFailed, "NVIDIA's library did not end within "
                                                                   + std::to_string(patience.count()) + " s")
                        .withHint("unroll less, or split the kernel"));
    if (WIFSIGNALED(*status))
        return fail(support::diagnostic(codes::compilerFailed, "NVIDIA's library was ended by signal "
                                                                   + std::to_string(WTERMSIG(*status)))
                        .withHint("try another version of it: NESTWRIGHT_NVRTC names one"));
    return answerIn(folder.path() / answerName);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<std::vector<DeviceFacts>> askForGpus()
try {
    const auto answer = askCuda({{"question", "devices"}}, {});
    if (!answer)
        return fail(answer.error());
    std::vector<DeviceFacts> gpus;
    for (const Json &each : answer->at("gpus"))
        gpus.push_back({.name = each.at("name").get<std::string>(),
                        .driver = each.at("driver").get<std::string>(),
                        .architecture = each.at("architecture").get<std::string>(),
                        .isGpu = true,
                        .computeUnits = each.at("compute-units").get<int>(),
                        .memoryBytes = each.at("memory-bytes").get<std::int64_t>(),
                        .sharedBytes = each.at("shared-bytes").get<std::int64_t>(),
                        .mostThreads = each.at("most-threads").get<std::int64_t>()});
    return gpus;
} catch (const Json::exception &) {
    return fail("device.driver", "NVIDIA's driver does not describe its GPUs");
}

int answerCuda(const std::string &folder)
try {
    const std::filesystem::path place(folder);
    const Json question = Json::from_cbor(readFile(place / questionName));
    limitThisProcess(question.at("question") == "devices");
    std::string answer;
    Json::to_cbor(answerTo(question), answer);
    writeFile(place / answerName, answer);
    return 0;
} catch (const support::UserError &) {
    return 2; // the folder is not one that an answer can be written to
} catch (const Json::exception &) {
    return 2; // or has no question
}

} // namespace nestwright::backend
