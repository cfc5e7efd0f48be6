// SPDX-License-Identifier: Apache-2.0
/// The system calls that call_filters allows or refuses, and the arguments of those that some are harmful
/// with.
#pragma once

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace nestwright::measure {

/// Calls for threads, memory, clocks and the open descriptors that reach no further with any argument.
inline constexpr auto harmlessCalls = std::to_array<int>({
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(readv),
    SCMP_SYS(writev),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(lseek),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(recvfrom), //
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(mprotect),
    SCMP_SYS(brk), //
    SCMP_SYS(futex_waitv),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(sched_yield),
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
    SCMP_SYS(alarm), // bounds the time of a report on a crash
    SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall),
});

/// Commands of fcntl.
inline constexpr auto descriptorCommands =
    std::to_array<int>({F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL});

/// Advice on memory that concerns this process alone; newer kinds by their numbers: to fetch pages before
/// they are needed (22, 23), to join them to large ones (25), to guard stacks (102, 103).
inline constexpr auto memoryAdvice =
    std::to_array<int>({MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE,
                        MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP, 22, 23, 25, 102, 103});

inline constexpr auto futexOperations =
    std::to_array<int>({FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP,
                        FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET});

/// Questions of a thread about its scheduling.
inline constexpr auto schedulingQuestions =
    std::to_array<int>({SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler)});

/// Calls that libraries try and can do without: these fail, others end the process.
inline constexpr auto refusedByLoader = std::to_array<int>({
    SCMP_SYS(ioctl),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(mbind),
    SCMP_SYS(get_mempolicy),
    SCMP_SYS(set_mempolicy),
    SCMP_SYS(mlock),
    SCMP_SYS(sched_setscheduler),
    SCMP_SYS(setpriority),
});

/// Further calls of that kind, once everything is loaded.
inline constexpr auto refusedCalls = std::to_array<int>({
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(stat),
    SCMP_SYS(uname),
    SCMP_SYS(prctl),
    SCMP_SYS(prlimit64),
});

/// Calls besides, for the linker that loads a library, and for the restrictions that follow.
inline constexpr auto loaderCalls = std::to_array<int>({
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
    SCMP_SYS(landlock_create_ruleset),
    SCMP_SYS(landlock_restrict_self),
    SCMP_SYS(setrlimit),
    SCMP_SYS(getrlimit),
    SCMP_SYS(capset),
});

/// Calls besides, for the driver of a device: it reads code that it has compiled before, and talks to the
/// device.
inline constexpr auto driverCalls = std::to_array<int>({
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
    SCMP_SYS(uname),
    SCMP_SYS(flock),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmsg),
});

/// Families of requests to devices, the second byte of a request: NVIDIA's memory (0), NVIDIA (F), AMD (K),
/// the system's graphics (d).
inline constexpr auto deviceFamilies = std::to_array<std::uint64_t>({0, 'F', 'K', 'd'});

/// Calls that reach another process or machine, or a part of the system that no compiler needs.
inline constexpr auto callsToOthers = std::to_array<int>({
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(kcmp),
    SCMP_SYS(move_pages),
    SCMP_SYS(migrate_pages),
    SCMP_SYS(sched_setaffinity),
    SCMP_SYS(sched_setscheduler),
    SCMP_SYS(sched_setattr),
    SCMP_SYS(ioprio_set), //
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key), //
    SCMP_SYS(shmget),
    SCMP_SYS(shmat),
    SCMP_SYS(semget),
    SCMP_SYS(msgget),
    SCMP_SYS(mq_open), //
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(chroot),
    SCMP_SYS(pivot_root),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(personality),
});

/// Commands of fcntl that make the kernel send signals to others.
inline constexpr auto signallingCommands =
    std::to_array<int>({F_SETOWN, F_SETOWN_EX, F_SETSIG, F_NOTIFY, F_SETLEASE});

/// Requests that feed a terminal with text as if a person had typed it (TIOCSTI, TIOCLINUX), or that send
/// signals to others (FIOSETOWN, SIOCSPGRP, FIOASYNC, TIOCSPGRP).
inline constexpr auto typingRequests =
    std::to_array<unsigned long>({0x5412, 0x541c, 0x8901, 0x8902, 0x5452, 0x5410});

/// Spaces of names that a process may be given for itself.
inline constexpr auto ownSpaces = std::to_array<std::uint64_t>(
    {CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWCGROUP});

} // namespace nestwright::measure
