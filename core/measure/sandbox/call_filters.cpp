// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/call_filters.h"

#if NESTWRIGHT_HAS_SECCOMP
#include "core/measure/sandbox/call_lists.h"

#include <cerrno>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <span>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#endif

namespace nestwright::measure {

#if NESTWRIGHT_HAS_SECCOMP

namespace {

constexpr std::uint32_t binaryTree = 2;
/// The kernel reads only these bits of an argument that is an int.
constexpr scmp_datum_t intBits = 0xffff'ffff;

/// A filter that is being made. Arguments are compared as the 64 bits that the kernel is given, so that one
/// with other high bits is never taken for an allowed one.
class Filter {
public:
    explicit Filter(std::uint32_t otherwise)
        : m_filter(seccomp_init(otherwise))
        , m_otherwise(otherwise)
        , m_isRight(m_filter)
    {
    }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;
    ~Filter()
    {
        if (m_filter)
            seccomp_release(m_filter);
    }

    template <class... Arguments> void allow(int call, Arguments... arguments)
    {
        add(SCMP_ACT_ALLOW, call, arguments...);
    }
    /// The call does nothing: it fails with `error`, or with 0 is said to have been done.
    template <class... Arguments> void refuse(std::uint16_t error, int call, Arguments... arguments)
    {
        add(SCMP_ACT_ERRNO(error), call, arguments...);
    }
    void allowAll(std::span<const int> calls)
    {
        for (const int call : calls)
            allow(call);
    }
    void refuseAll(std::span<const int> calls)
    {
        for (const int call : calls)
            refuse(EPERM, call);
    }

    /// For this process, with all threads that it has.
    bool load()
    {
        if (!m_isRight)
            return false;
        seccomp_attr_set(m_filter, SCMP_FLTATR_CTL_OPTIMIZE, binaryTree); // best effort
        // Calls by the gates of other processors (int 0x80) end the process, not only the thread.
        seccomp_attr_set(m_filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        return seccomp_attr_set(m_filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 && seccomp_load(m_filter) == 0;
    }

private:
    /// Some architectures lack some calls: they have a negative number that no process can make.
    template <class... Arguments> void add(std::uint32_t action, int call, Arguments... arguments)
    {
        if (!m_isRight || call < 0 || action == m_otherwise)
            return;
        m_isRight = seccomp_rule_add(m_filter, action, call, sizeof...(arguments), arguments...) == 0;
    }

    scmp_filter_ctx m_filter;
    std::uint32_t m_otherwise; ///< what becomes of calls without a rule
    bool m_isRight;
};

/// Descriptors: copies, and what they are. Nothing that has the kernel send signals (F_SETOWN, F_SETSIG,
/// O_ASYNC, F_NOTIFY, F_SETLEASE), nor what changes files that others have open (F_SETFL, F_SETPIPE_SZ,
/// locks).
void allowDescriptors(Filter &filter)
{
    for (const int command : descriptorCommands)
        filter.allow(SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command)));
    // To the other end of the line, never to an address.
    filter.allow(SCMP_SYS(sendto), SCMP_A4(SCMP_CMP_EQ, 0));
}

void allowMemory(Filter &filter)
{
    // No pages of the system's reserve, none that stay in memory.
    filter.allow(SCMP_SYS(mmap), SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_HUGETLB | MAP_LOCKED, 0));
    for (const int advice : memoryAdvice)
        filter.allow(SCMP_SYS(madvise), SCMP_A2(SCMP_CMP_EQ, static_cast<scmp_datum_t>(advice)));
    // Its own processors wait for each other, not all of the machine's.
    constexpr scmp_datum_t allProcesses =
        MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;
    filter.allow(SCMP_SYS(membarrier), SCMP_A0(SCMP_CMP_MASKED_EQ, allProcesses, 0));
}

/// Threads by the call whose flags can be looked at; processes by none. Signals to this process only (abort).
void allowThreads(Filter &filter)
{
    filter.refuse(ENOSYS, SCMP_SYS(clone3));
    constexpr scmp_datum_t thread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
    constexpr scmp_datum_t free = CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID
                                  | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_DETACHED;
    filter.allow(SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, ~free, thread));
    filter.allow(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
    // Locks that lend a priority name a thread, of any process.
    for (const int operation : futexOperations)
        filter.allow(SCMP_SYS(futex),
                     SCMP_A1(SCMP_CMP_MASKED_EQ, ~scmp_datum_t{FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME},
                             static_cast<scmp_datum_t>(operation)));
    // A thread places itself. OpenMP's libraries place those that they make, and end where that fails.
    filter.allow(SCMP_SYS(sched_setaffinity), SCMP_A0(SCMP_CMP_EQ, 0));
    filter.refuse(0, SCMP_SYS(sched_setaffinity), SCMP_A0(SCMP_CMP_NE, 0));
    for (const int question : schedulingQuestions) {
        filter.allow(question, SCMP_A0(SCMP_CMP_EQ, 0));
        filter.refuse(EPERM, question, SCMP_A0(SCMP_CMP_NE, 0));
    }
#ifdef __x86_64__
    // The question for the state of tile registers; with any other argument the call changes a thread's
    // state.
    constexpr scmp_datum_t requestState = 0x1023, tileData = 18;
    filter.allow(SCMP_SYS(arch_prctl), SCMP_A0(SCMP_CMP_EQ, requestState), SCMP_A1(SCMP_CMP_EQ, tileData));
#endif
}

/// Allows the calls that every process with generated code may make.
void allowComputing(Filter &filter)
{
    filter.allowAll(harmlessCalls);
    allowDescriptors(filter);
    allowMemory(filter);
    allowThreads(filter);
}

/// Files to be read, and the restrictions that follow, for a process whose libraries are no longer trusted.
void allowLibraries(Filter &filter)
{
    filter.allowAll(loaderCalls);
    for (const auto &[call, opensBy] : {std::pair{SCMP_SYS(open), 1U}, std::pair{SCMP_SYS(openat), 2U}}) {
        constexpr scmp_datum_t writing =
            O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_ASYNC | O_EXCL | (O_TMPFILE & ~O_DIRECTORY);
        filter.allow(call, SCMP_CMP(opensBy, SCMP_CMP_MASKED_EQ, writing, 0));
    }
    // No word of the parent's death (PR_SET_PDEATHSIG), of who may look into it (PR_SET_DUMPABLE,
    // PR_SET_PTRACER).
    constexpr scmp_datum_t nameOfMemory = 0x53564d41; // PR_SET_VMA
    for (const scmp_datum_t option :
         {scmp_datum_t{PR_SET_NO_NEW_PRIVS}, scmp_datum_t{PR_SET_NAME}, nameOfMemory})
        filter.allow(SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, option));
    constexpr scmp_datum_t forAllThreads = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
    filter.allow(SCMP_SYS(seccomp), SCMP_A0(SCMP_CMP_EQ, SECCOMP_SET_MODE_FILTER),
                 SCMP_A1(SCMP_CMP_MASKED_EQ, ~forAllThreads, 0));
    filter.allow(SCMP_SYS(seccomp), SCMP_A0(SCMP_CMP_EQ, SECCOMP_GET_ACTION_AVAIL));
    filter.allow(SCMP_SYS(prlimit64), SCMP_A0(SCMP_CMP_EQ, 0)); // its own, which it can only lower
}

/// Devices are told things, terminals are not: they would take them for what a person types (TIOCSTI).
void allowDevices(Filter &filter)
{
    for (const scmp_datum_t family : deviceFamilies)
        filter.allow(SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00, family << 8));
}

} // namespace

bool canRestrictCalls()
{
    const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool forbidOthers()
{
    Filter filter(SCMP_ACT_ALLOW);
    filter.refuseAll(callsToOthers);
    for (const int command : signallingCommands)
        filter.refuse(EPERM, SCMP_SYS(fcntl),
                      SCMP_A1(SCMP_CMP_MASKED_EQ, intBits, static_cast<scmp_datum_t>(command)));
    for (const unsigned long request : typingRequests)
        filter.refuse(EPERM, SCMP_SYS(ioctl),
                      SCMP_A1(SCMP_CMP_MASKED_EQ, intBits, static_cast<scmp_datum_t>(request)));
    for (const scmp_datum_t space : ownSpaces)
        filter.refuse(EPERM, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, space, space));
    filter.refuse(ENOSYS, SCMP_SYS(clone3)); // whose flags cannot be looked at
    return filter.load();
}

bool allowLoading()
{
    Filter filter(SCMP_ACT_KILL_PROCESS);
    allowComputing(filter);
    allowLibraries(filter);
    filter.refuseAll(refusedByLoader);
    return filter.load();
}

bool restrictCalls(bool hasDriver)
{
    // A driver tries this and that, and goes on without.
    Filter filter(hasDriver ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
    allowComputing(filter);
    if (hasDriver) {
        filter.allowAll(driverCalls);
        allowDevices(filter);
    } else {
        filter.refuseAll(refusedByLoader);
        filter.refuseAll(refusedCalls);
    }
    return filter.load();
}

#else

bool canRestrictCalls() { return false; }
bool restrictCalls(bool) { return false; }
bool forbidOthers() { return false; }
bool allowLoading() { return false; }

#endif

} // namespace nestwright::measure
