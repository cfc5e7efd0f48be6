// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/worker.h"

#include "core/measure/codes.h"
#include "core/measure/machine/machine_peak.h"
#include "core/process/error_json.h"
#include "core/support/errors/errors.h"
#include "core/support/text/json.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace nestwright::measure {

using json = support::Json;
using support::fail;
using support::Result;

namespace {

/// A second stream on standard output, which stays when that is redirected.
std::FILE *standardOutputAgain()
{
    const int descriptor = dup(STDOUT_FILENO);
    std::FILE *file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
    if (!file) {
        std::perror("nestc worker: standard output");
        std::exit(2);
    }
    return file;
}

/// Answers go to the original standard output; prints of others go to standard error instead.
class AnswerChannel {
public:
    AnswerChannel() : m_file(standardOutputAgain()) { dup2(STDERR_FILENO, STDOUT_FILENO); }
    AnswerChannel(const AnswerChannel &) = delete;
    AnswerChannel &operator=(const AnswerChannel &) = delete;
    ~AnswerChannel() { std::fclose(m_file); }

    void send(const json &answer)
    {
        const std::string line = answer.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
        std::fwrite(line.data(), 1, line.size(), m_file);
        std::fflush(m_file);
    }

private:
    std::FILE *m_file;
};

Result<json> answer(const json &request, AnswerChannel &channel)
{
    const json id = request.value("id", json());
    const std::string action = request.value("do", "");
    if (action == "ping")
        return json{{"id", id}, {"pong", true}};
    if (action == "peak") {
        const MachinePeak peak = measureMachinePeak(std::max(1, request.value("threads", 1)));
        return json{{"id", id}, {"peak", toJson(peak)}};
    }
    if (action != "measure")
        return fail("measure.bad-request", "the worker knows no action '" + action + '\'');
    const auto parsed = requestFromJson(request.value("request", json()));
    if (!parsed)
        return std::unexpected(parsed.error());
    const auto tell = [&](const Progress &progress) {
        json line = {{"id", id}, {"progress", progress.fraction}, {"phase", progress.phase}};
        for (const Measurement &measurement : progress.partial)
            line["partial"].push_back(toJson(measurement));
        channel.send(line);
    };
    const auto measured = measureHere(*parsed, tell);
    if (!measured)
        return std::unexpected(measured.error());
    json list = json::array();
    for (const Measurement &measurement : *measured)
        list.push_back(toJson(measurement));
    return json{{"id", id}, {"measurements", list}};
}

} // namespace

int runWorker()
{
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
#if !defined(__SANITIZE_ADDRESS__)
    prctl(PR_SET_DUMPABLE,
          0); // no process that runs a kernel can look into this one; a leak checker could not either
#endif
    AnswerChannel channel;
    for (std::string line; std::getline(std::cin, line);) {
        const json request = json::parse(line, nullptr, false);
        Result<json> reply = fail("measure.bad-request", "the worker was sent a line that is no JSON");
        try {
            if (request.is_object())
                reply = answer(request, channel);
        } catch (const std::bad_alloc &) {
            reply = fail(codes::memory, "the worker ran out of memory");
        } catch (
            const std::exception &error) { // a bug of ours must reach the window as a reason, not as silence
            reply = fail("measure.internal", error.what());
        }
        if (reply)
            channel.send(*reply);
        else
            channel.send({{"id", request.is_object() ? request.value("id", json()) : json()},
                          {"error", process::toJson(reply.error())}});
    }
    return 0;
}

} // namespace nestwright::measure
