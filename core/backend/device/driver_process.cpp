// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/driver_process.h"

#include "core/backend/codes.h"
#include "core/backend/link/compiler.h"
#if NESTWRIGHT_HAS_CUDA
#include "core/backend/cuda/cuda_compiler.h"
#include "core/backend/cuda/cuda_device.h"
#endif
#if NESTWRIGHT_HAS_OPENCL
#include "core/backend/opencl/opencl_device.h"
#endif
#include "core/lower/kind_name.h"
#include "core/support/child_process.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/nestc_program.h"
#include "core/support/sanitized.h"
#include "core/support/text/json.h"

#include <chrono>
#include <map>
#include <mutex>
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

std::unexpected<support::Diagnostic> endedSilently(const std::string &subject)
{
    return fail(support::diagnostic(codes::compilerFailed, subject + " ended without an answer")
                    .withHint("try another version of it"));
}

Result<Json> answerIn(const std::filesystem::path &file, const std::string &subject)
try {
    if (!std::filesystem::exists(file))
        return endedSilently(subject);
    Json answer = Json::from_cbor(readFile(file));
    if (!answer.contains("error"))
        return answer;
    const Json &error = answer.at("error");
    return fail(
        support::diagnostic(error.at("code").get<std::string>(), error.at("message").get<std::string>())
            .withHint(error.at("hint").get<std::string>()));
} catch (const Json::exception &) {
    return endedSilently(subject);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

/// Describes the devices in this process, which then has their driver.
Result<std::vector<DeviceFacts>> devicesHere([[maybe_unused]] const std::string &kind)
{
#if NESTWRIGHT_HAS_OPENCL
    if (kind == lower::kindName(lower::TargetKind::OpenCl))
        return openClDevices();
#endif
#if NESTWRIGHT_HAS_CUDA
    if (kind == lower::kindName(lower::TargetKind::Cuda))
        return cudaDevices();
#endif
    return fail(codes::notBuilt, "this program was built without devices of the target '" + kind + '\'');
}

Json answerOnDevices(const std::string &kind)
{
    const auto found = devicesHere(kind);
    if (!found)
        return errorAnswer(found.error());
    Json list = Json::array();
    for (const DeviceFacts &device : *found)
        list.push_back({{"name", device.name},
                        {"driver", device.driver},
                        {"architecture", device.architecture},
                        {"gpu", device.isGpu},
                        {"compute-units", device.computeUnits},
                        {"memory-bytes", device.memoryBytes},
                        {"shared-bytes", device.sharedBytes},
                        {"most-threads", device.mostThreads},
                        {"cache-bytes", device.cacheBytes}});
    return {{"devices", list}};
}

Json answerTo(const Json &question)
{
    if (question.contains("devices"))
        return answerOnDevices(question.at("devices").get<std::string>());
#if NESTWRIGHT_HAS_CUDA
    return answerAsNvrtc(question);
#else
    return errorAnswer(support::diagnostic(codes::notBuilt, "this program was built without CUDA's text"));
#endif
}

/// A driver takes addresses for all memory that a machine can have, so it is not limited.
void limitThisProcess(bool hasDriver)
{
    const rlimit seconds{mostSeconds, mostSeconds}, bytes{mostBytes, mostBytes}, none{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    if (!support::isSanitized && !hasDriver)
        setrlimit(RLIMIT_AS, &bytes);
    setrlimit(RLIMIT_CORE, &none);
}

} // namespace

Json errorAnswer(const support::Diagnostic &error)
{
    return {{"error", {{"code", error.code}, {"message", error.message}, {"hint", error.hint}}}};
}

Result<Json> askDriver(const Json &question, const std::string &subject, const std::stop_token &stop)
try {
    const TemporaryFolder folder;
    std::string bytes;
    Json::to_cbor(question, bytes);
    writeFile(folder.path() / questionName, bytes);
    auto process = support::ChildProcess::start({.program = support::findNestc(),
                                                 .arguments = {"driver", folder.path().string()},
                                                 .environment = {}});
    if (!process)
        return fail(process.error());
    const std::optional<int> status = process->wait(stop, patience);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    if (!status)
        return fail(support::diagnostic(codes::compilerFailed, subject + " did not end within "
                                                                   + std::to_string(patience.count()) + " s")
                        .withHint("unroll less, or split the kernel"));
    if (WIFSIGNALED(*status))
        return fail(support::diagnostic(codes::compilerFailed,
                                        subject + " was ended by signal " + std::to_string(WTERMSIG(*status)))
                        .withHint("try another version of it"));
    return answerIn(folder.path() / answerName, subject);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

namespace {

std::vector<DeviceFacts> devicesFrom(const Json &list)
{
    std::vector<DeviceFacts> devices;
    for (const Json &each : list)
        devices.push_back({.name = each.at("name").get<std::string>(),
                           .driver = each.at("driver").get<std::string>(),
                           .architecture = each.at("architecture").get<std::string>(),
                           .isGpu = each.at("gpu").get<bool>(),
                           .computeUnits = each.at("compute-units").get<int>(),
                           .memoryBytes = each.at("memory-bytes").get<std::int64_t>(),
                           .sharedBytes = each.at("shared-bytes").get<std::int64_t>(),
                           .mostThreads = each.at("most-threads").get<std::int64_t>(),
                           .cacheBytes = each.at("cache-bytes").get<std::int64_t>()});
    return devices;
}

Result<std::vector<DeviceFacts>> askNow(lower::TargetKind kind)
try {
    const std::string name(lower::kindName(kind));
    const auto answer = askDriver({{"devices", name}}, "the driver of " + name, {});
    if (!answer)
        return fail(answer.error());
    return devicesFrom(answer->at("devices"));
} catch (const Json::exception &) {
    return fail("device.driver", "the driver does not describe its devices");
}

} // namespace

Result<std::vector<DeviceFacts>> askForDevices(lower::TargetKind kind)
{
    static std::mutex mutex;
    static std::map<lower::TargetKind, std::vector<DeviceFacts>> known;
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(kind); found != known.end())
        return found->second;
    auto devices = askNow(kind);
    if (devices)
        known.emplace(kind, *devices);
    return devices;
}

int answerAsDriver(const std::string &folder)
try {
    const std::filesystem::path place(folder);
    const Json question = Json::from_cbor(readFile(place / questionName));
    limitThisProcess(question.contains("devices"));
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
