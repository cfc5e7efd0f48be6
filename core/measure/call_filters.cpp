// SPDX-License-Identifier: Apache-2.0
#include "core/measure/call_filters.h"

#if NESTWRIGHT_HAS_SECCOMP
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>
#endif

namespace nestwright::measure {

#if NESTWRIGHT_HAS_SECCOMP

namespace {

/// Calls needed for threads, memory, clocks and the open descriptors.
constexpr auto allowedCalls = std::to_array<int>({
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(readv),
    SCMP_SYS(writev),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(lseek),
    SCMP_SYS(fcntl),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(recvfrom),
    SCMP_SYS(sendto),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmsg), //
    SCMP_SYS(mmap),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(mprotect),
    SCMP_SYS(madvise),
    SCMP_SYS(brk),
    SCMP_SYS(membarrier), //
    SCMP_SYS(futex),
    SCMP_SYS(futex_waitv),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_setaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group), //
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getrusage),
    SCMP_SYS(times),
    SCMP_SYS(getcpu),
    SCMP_SYS(sysinfo), //
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(alarm),
    SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall),
});

/// Calls that libraries try and can do without: these fail, others end the process.
constexpr auto refusedCalls = std::to_array<int>({
    SCMP_SYS(open),          SCMP_SYS(openat),    SCMP_SYS(access),
    SCMP_SYS(faccessat),     SCMP_SYS(readlink),  SCMP_SYS(readlinkat),
    SCMP_SYS(stat),          SCMP_SYS(ioctl),     SCMP_SYS(uname),
    SCMP_SYS(prctl),         SCMP_SYS(prlimit64), SCMP_SYS(getuid),
    SCMP_SYS(geteuid),       SCMP_SYS(mbind),     SCMP_SYS(get_mempolicy),
    SCMP_SYS(set_mempolicy), SCMP_SYS(mlock),     SCMP_SYS(sched_setscheduler),
    SCMP_SYS(setpriority),
});

/// Calls besides, for the driver of a device: it reads code that it has compiled before, and talks to the
/// device.
constexpr auto driverCalls = std::to_array<int>({
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(readlink),
    SCMP_SYS(pread64),
    SCMP_SYS(getdents64),
    SCMP_SYS(getcwd),
    SCMP_SYS(ioctl),
    SCMP_SYS(uname),
    SCMP_SYS(flock),
});

/// The question for the state of tile registers; with any other argument the call changes a thread's state.
constexpr scmp_datum_t requestState = 0x1023, tileData = 18;

/// Threads by the call whose flags can be looked at; processes by none. Signals to this process only (abort).
bool addExceptions(scmp_filter_ctx filter)
{
#ifdef __x86_64__
    const int added = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(arch_prctl), 2,
                                       SCMP_A0(SCMP_CMP_EQ, requestState), SCMP_A1(SCMP_CMP_EQ, tileData));
    if (added != 0)
        return false;
#endif
    constexpr std::uint64_t thread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0
           && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread))
                  == 0
           && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                               SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())))
                  == 0;
}

/// Calls besides, for the linker that loads a library, and for the restrictions that follow.
constexpr auto loaderCalls = std::to_array<int>({
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(pread64),
    SCMP_SYS(getcwd),
    SCMP_SYS(uname),
    SCMP_SYS(prctl),
    SCMP_SYS(seccomp),
    SCMP_SYS(landlock_create_ruleset),
    SCMP_SYS(landlock_restrict_self),
    SCMP_SYS(setrlimit),
    SCMP_SYS(getrlimit),
    SCMP_SYS(unshare),
});

/// Calls that reach another process or machine, or a part of the system that no compiler needs.
constexpr auto callsToOthers = std::to_array<int>({
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(mount),
});

constexpr std::uint32_t binaryTree = 2;

} // namespace

bool forbidOthers()
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return false;
    for (const int call : callsToOthers)
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
    const bool done = seccomp_load(filter) == 0;
    seccomp_release(filter);
    return done;
}

bool allowLoading()
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return false;
    bool done = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0;
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, binaryTree); // best effort
    for (const int call : allowedCalls)
        done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
    for (const int call : loaderCalls)
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
    // Limits of this process alone.
    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0));
    for (const int call : refusedCalls) {
        if (!std::ranges::contains(loaderCalls, call) && call != SCMP_SYS(prlimit64))
            seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
    }
    done = done && addExceptions(filter) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return done;
}

bool restrictCalls(bool hasDriver)
{
    // A driver tries this and that, and goes on without.
    scmp_filter_ctx filter = seccomp_init(hasDriver ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return false;
    bool done = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0;
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, binaryTree); // best effort
    for (const int call : allowedCalls)
        done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
    // Some architectures lack some of these.
    for (const int call : driverCalls)
        hasDriver ? seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) : 0;
    for (const int call : refusedCalls)
        hasDriver ? 0 : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
    done = done && addExceptions(filter) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return done;
}

#else

bool restrictCalls(bool) { return false; }
bool forbidOthers() { return false; }
bool allowLoading() { return false; }

#endif

} // namespace nestwright::measure
