// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/system_reason.h"

#include "core/support/text/bytes_text.h"

#include <cerrno>
#include <cstring>
#include <format>
#include <sys/resource.h>

namespace nestwright::support {

namespace {

/// The limit in force; none where there is no limit.
std::optional<std::uint64_t> valueOf(__rlimit_resource resource)
{
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return {};
    return limit.rlim_cur;
}

ReachedLimit named(std::string sentence, char letter)
{
    return {std::format("{} (ulimit -{})", sentence, letter),
            std::format("raise it with ulimit -{}", letter)};
}

} // namespace

std::optional<ReachedLimit> limitBehind(int error)
{
    switch (error) {
    case EMFILE:
        if (const auto files = valueOf(RLIMIT_NOFILE))
            return named(std::format("this process may have {} files open", *files), 'n');
        break;
    case EAGAIN: // of fork, and of what starts a thread
        if (const auto processes = valueOf(RLIMIT_NPROC))
            return named(std::format("this user may have {} processes and threads", *processes), 'u');
        break;
    case ENOMEM:
        if (const auto bytes = valueOf(RLIMIT_AS))
            return named(std::format("this process may have {} of memory", bytesText(*bytes)), 'v');
        break;
    case EFBIG:
        if (const auto bytes = valueOf(RLIMIT_FSIZE))
            return named(std::format("this process may write files of {}", bytesText(*bytes)), 'f');
        break;
    default: break;
    }
    return {};
}

std::string reasonOf(int error)
{
    const auto limit = limitBehind(error);
    return std::strerror(error) + (limit ? ": " + limit->sentence : std::string());
}

std::string remedyOf(int error, const std::string &otherwise)
{
    const auto limit = limitBehind(error);
    return limit ? limit->remedy : otherwise;
}

} // namespace nestwright::support
