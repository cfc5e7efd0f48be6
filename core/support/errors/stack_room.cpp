// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/stack_room.h"

#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"

#include <cstddef>
#include <sys/resource.h>

namespace nestwright::support {

namespace {

/// Three quarters of a thread's stack: the last one is for calls without a check.
std::size_t roomOfThread()
{
    constexpr std::size_t least = std::size_t{2} << 20; // glibc's own, where there is no limit
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return least / 4 * 3;
    return limit.rlim_cur / 4 * 3;
}

/// Asked for when the program begins, before a sandbox forbids the question; 0 until then.
const std::size_t room = roomOfThread();
thread_local const char *top = nullptr; ///< the outermost frame that asked

} // namespace

void checkStackRoom()
{
    const char *here = static_cast<const char *>(__builtin_frame_address(0));
    if (here > top)
        top = here;
    if (room > 0 && static_cast<std::size_t>(top - here) > room) {
        throw UserError(
            diagnostic(codes::tooDeep,
                       "the program is too deep: too many statements or expressions stand within each other")
                .withHint("make it of fewer stages, or inline fewer of them into each other"));
    }
}

} // namespace nestwright::support
