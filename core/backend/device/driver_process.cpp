// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/driver_process.h"

#include "core/backend/codes.h"
#include "core/backend/device/device_json.h"
#include "core/backend/table/backend_table.h"
#include "core/process/question.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/sanitized.h"
#include "core/support/text/json.h"
#include "core/target/kinds.h"

#include <chrono>
#include <map>
#include <mutex>
#include <sys/resource.h>

namespace nestwright::backend {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::chrono::seconds patience{60};
constexpr rlim_t mostSeconds = 90, mostBytes = rlim_t{8} << 30;

/// Null where there is no such kind, or this program was built without it.
const Backend *backendNamed(const std::string &kind)
{
    const target::Kind *found = target::findKind(kind);
    return found ? backendOf(found->kind) : nullptr;
}

/// Describes the devices in this process, which then has their driver.
Result<std::vector<DeviceFacts>> devicesHere(const std::string &kind)
{
    const Backend *backend = backendNamed(kind);
    return backend && backend->devices.list
               ? backend->devices.list()
               : fail(codes::notBuilt,
                      "this program was built without devices of the target '" + kind + '\'');
}

Json answerOnDevices(const std::string &kind)
{
    const auto found = devicesHere(kind);
    if (!found)
        return process::errorAnswer(found.error());
    Json list = Json::array();
    for (const DeviceFacts &device : *found)
        list.push_back(toJson(device));
    return {{"devices", list}};
}

Json answerTo(const Json &question)
{
    if (question.contains("devices"))
        return answerOnDevices(question.at("devices").get<std::string>());
    const std::string kind = question.at("compiler").get<std::string>();
    const Backend *backend = backendNamed(kind);
    return backend && backend->devices.answer
               ? backend->devices.answer(question)
               : process::errorAnswer(support::diagnostic(
                     codes::notBuilt,
                     "this program was built without a compiler of the target '" + kind + '\''));
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

Result<Json> askDriver(const Json &question, const std::string &subject, const std::stop_token &stop)
{
    return process::ask({.command = "driver",
                         .content = question,
                         .patience = patience,
                         .ended =
                             [&](const std::string &how) {
                                 return support::diagnostic(codes::compilerFailed, subject + ' ' + how)
                                     .withHint("unroll less, split the kernel, or try another version of it");
                             }},
                        stop);
}

namespace {

std::vector<DeviceFacts> devicesFrom(const Json &list)
{
    std::vector<DeviceFacts> devices;
    for (const Json &each : list)
        devices.push_back(deviceFromJson(each));
    return devices;
}

Result<std::vector<DeviceFacts>> askNow(target::TargetKind kind)
try {
    const std::string name(target::kindName(kind));
    const auto answer = askDriver({{"devices", name}}, "the driver of " + name, {});
    if (!answer)
        return fail(answer.error());
    return devicesFrom(answer->at("devices"));
} catch (const Json::exception &) {
    return fail("device.driver", "the driver does not describe its devices");
}

} // namespace

Result<std::vector<DeviceFacts>> askForDevices(target::TargetKind kind)
{
    static std::mutex mutex;
    static std::map<target::TargetKind, std::vector<DeviceFacts>> known;
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(kind); found != known.end())
        return found->second;
    auto devices = askNow(kind);
    if (devices)
        known.emplace(kind, *devices);
    return devices;
}

int answerAsDriver(const std::string &folder)
{
    return process::answer(folder, [](const Json &question, const std::filesystem::path &) {
        limitThisProcess(question.contains("devices"));
        return answerTo(question);
    });
}

} // namespace nestwright::backend
