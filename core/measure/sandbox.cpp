// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox.h"

#include "core/support/sanitized.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if NESTWRIGHT_HAS_SECCOMP
#include <seccomp.h>
#endif

namespace nestwright::measure {

namespace {

constexpr rlim_t mostDescriptors = 64;
constexpr std::uint64_t rightsOverOneFile =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr rlim_t mostProcesses =
    4096; ///< of the user, threads counted: only a bound where calls cannot be restricted

bool limit(int resource, rlim_t most)
{
    const rlimit both{most, most};
    return setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

bool applyLimits(const SandboxLimits &limits)
{
    bool all = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, mostDescriptors);
    rlimit processes{};
    if (getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur > mostProcesses)
        all = limit(RLIMIT_NPROC, mostProcesses) && all;
    if (limits.memoryBytes > 0 && !support::isSanitized)
        all = limit(RLIMIT_AS, limits.memoryBytes) && all;
    if (limits.cpuSeconds > 0)
        all = limit(RLIMIT_CPU, limits.cpuSeconds) && all;
    return all;
}

/// The rights over files that this system's Landlock knows; 0 where it has none.
std::uint64_t rightsOverFiles()
{
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return 0;
    constexpr std::array<std::uint64_t, 5> rightsOf{(1ULL << 13) - 1, (1ULL << 14) - 1, (1ULL << 15) - 1,
                                                    (1ULL << 15) - 1, (1ULL << 16) - 1};
    return rightsOf[static_cast<std::size_t>(std::min<long>(version, rightsOf.size())) - 1];
}

/// A folder, or file, and the rights over all that is below it.
struct Granted {
    std::string path;
    std::uint64_t rights;
};

/// Takes every right over files away but those that are granted.
bool forbidFiles(const std::vector<Granted> &granted)
{
    const std::uint64_t all = rightsOverFiles();
    if (all == 0)
        return false;
    // The first version's structure: the rights over files alone.
    const long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return false;
    bool done = true;
    for (const Granted &each : granted) {
        const int place = open(each.path.c_str(), O_PATH | O_CLOEXEC);
        if (place < 0)
            continue; // what is not there needs no right
        struct stat info{};
        const bool isFolder = fstat(place, &info) == 0 && S_ISDIR(info.st_mode);
        landlock_path_beneath_attr beneath{};
        beneath.allowed_access = each.rights & all & (isFolder ? ~std::uint64_t{0} : rightsOverOneFile);
        beneath.parent_fd = place;
        done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0 && done;
        close(place);
    }
    done = syscall(SYS_landlock_restrict_self, rules, 0) == 0 && done;
    close(static_cast<int>(rules));
    return done;
}

#if NESTWRIGHT_HAS_SECCOMP

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

/// Threads by the call whose flags can be looked at; processes by none. Signals to this process only (abort).
bool addExceptions(scmp_filter_ctx filter)
{
    constexpr std::uint64_t thread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0
           && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread))
                  == 0
           && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                               SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())))
                  == 0;
}

bool restrictCalls(bool hasDriver)
{
    // A driver tries this and that, and goes on without.
    scmp_filter_ctx filter = seccomp_init(hasDriver ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return false;
    constexpr std::uint32_t binaryTree = 2;
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

#endif

} // namespace

bool confineFiles(const std::filesystem::path &folder, const std::filesystem::path &library)
{
    constexpr std::uint64_t read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
                            run = read | LANDLOCK_ACCESS_FS_EXECUTE;
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::vector<Granted> granted{{folder.string(), all}, {"/dev", all}};
    for (const char *place : {"/usr", "/lib", "/lib64", "/bin", "/opt"})
        granted.push_back({place, run});
    if (library.has_parent_path())
        granted.push_back({library.parent_path().string(), run});
    // NVIDIA's driver names its threads there, and does not begin where it cannot.
    constexpr std::uint64_t truncate = 1ULL << 14; // by a name that older headers lack
    granted.push_back({"/proc/self", read | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate});
    for (const char *place :
         {"/proc", "/sys", "/etc/OpenCL", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"})
        granted.push_back({place, read});
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && forbidFiles(granted);
}

Sandbox enterSandbox(const SandboxLimits &limits)
{
    Sandbox sandbox;
    sandbox.noNewPrivileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    sandbox.limits = applyLimits(limits);
    if (support::isSanitized)
        return sandbox;
    sandbox.files = limits.hasDriver || forbidFiles({});
    sandbox.systemCalls = restrictCalls(limits.hasDriver);
    // A network of its own takes the system some time, and is only needed where sockets can be had.
    sandbox.network = sandbox.systemCalls || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    return sandbox;
}

Sandbox probeSandbox()
{
    void *shared = mmap(nullptr, sizeof(Sandbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return {};
    auto *result = new (shared) Sandbox;
    const pid_t child = fork();
    if (child == 0) {
        *result = enterSandbox({});
        _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const Sandbox sandbox = child > 0 && WIFEXITED(status) ? *result : Sandbox();
    munmap(shared, sizeof(Sandbox));
    return sandbox;
}

std::vector<std::string> cleanEnvironment()
{
    constexpr auto names = std::to_array<std::string_view>(
        {"PATH", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "LD_PRELOAD", "XDG_CACHE_HOME", "NESTWRIGHT_CACHE",
         "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"});
    constexpr auto prefixes = std::to_array<std::string_view>({"LC_", "OMP_", "GOMP_", "NESTWRIGHT_"});
    std::vector<std::string> kept;
    for (char **each = environ; *each; ++each) {
        const std::string_view variable = *each;
        const std::string_view name = variable.substr(0, variable.find('='));
        if (std::ranges::find(names, name) != names.end()
            || std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); }))
            kept.emplace_back(variable);
    }
    return kept;
}

std::vector<SandboxPart> partsOf(const Sandbox &sandbox)
{
    return {
        {"system-calls", "only a short list of system calls (seccomp)", sandbox.systemCalls},
        {"files", "no files (Landlock)", sandbox.files},
        {"network", "no network", sandbox.network},
        {"privileges", "no new privileges", sandbox.noNewPrivileges},
        {"limits", "limits on memory, processor time, open files and written files", sandbox.limits},
        {"environment", "a clean environment", true},
    };
}

} // namespace nestwright::measure
