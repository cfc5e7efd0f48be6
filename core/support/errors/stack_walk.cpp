// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/stack_walk.h"

#include <dlfcn.h>

#if NESTWRIGHT_HAS_BACKTRACE
#include <backtrace.h>
#else
#include <unwind.h>
#endif

namespace nestwright::support {

namespace {

struct Visit {
    void (*visit)(void *, const StackFrame &) = nullptr;
    void *context = nullptr;
    bool named = false;
    int left = 0; ///< frames that are not shown
};

/// Libraries name their exported functions to everybody.
StackFrame exported(std::uintptr_t address)
{
    Dl_info library{};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is one
    if (dladdr(reinterpret_cast<void *>(address), &library) == 0)
        return {address};
    return {address, library.dli_sname, library.dli_fname};
}

} // namespace

#if NESTWRIGHT_HAS_BACKTRACE

namespace {

backtrace_state *state = nullptr;
constexpr int ownFrames = 2; // walkStack and its caller; libbacktrace begins behind them

void ignoreError(void *, const char *, int) {}

int visitAddress(void *context, std::uintptr_t address)
{
    const Visit &to = *static_cast<Visit *>(context);
    if (address != UINTPTR_MAX)
        to.visit(to.context, {address});
    return 0;
}

int visitFrame(void *context, std::uintptr_t address, const char *file, int line, const char *function)
{
    const Visit &to = *static_cast<Visit *>(context);
    if (address != UINTPTR_MAX)
        to.visit(to.context, function ? StackFrame{address, function, file, line} : exported(address));
    return 0;
}

} // namespace

bool hasSymbolNames() { return true; }

void prepareStackWalk()
{
    if (!state)
        state = backtrace_create_state(nullptr, 1, ignoreError, nullptr);
}

void walkStack(bool named, void (*visit)(void *, const StackFrame &), void *context)
{
    Visit to{visit, context, named};
    if (named)
        backtrace_full(state, ownFrames, visitFrame, ignoreError, &to);
    else
        backtrace_simple(state, ownFrames, visitAddress, ignoreError, &to);
}

#else

namespace {

_Unwind_Reason_Code visitFrame(_Unwind_Context *at, void *context)
{
    Visit &to = *static_cast<Visit *>(context);
    const std::uintptr_t address = _Unwind_GetIP(at);
    if (address != 0 && to.left-- <= 0)
        to.visit(to.context, to.named ? exported(address) : StackFrame{address});
    return _URC_NO_REASON;
}

} // namespace

bool hasSymbolNames() { return false; }

/// The first walk may load a library.
void prepareStackWalk()
{
    walkStack(false, [](void *, const StackFrame &) {}, nullptr);
}

void walkStack(bool named, void (*visit)(void *, const StackFrame &), void *context)
{
    Visit to{visit, context, named, 2};
    _Unwind_Backtrace(visitFrame, &to);
}

#endif

} // namespace nestwright::support
