// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/sandbox.h"

#include "core/process/environment.h"

#include "core/measure/peers/openmp_threads.h"
#include "core/measure/sandbox/call_filters.h"
#include "core/support/errors/errors.h"
#include "core/support/sanitized.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <format>
#include <fstream>
#include <linux/capability.h>
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
#include <utility>

namespace nestwright::measure {

namespace {

constexpr rlim_t mostDescriptors = 64;
// Bits and a structure that older headers lack.
constexpr std::uint64_t truncating = 1ULL << 14, tellingDevices = 1ULL << 15;
constexpr std::uint64_t rightsOverOneFile = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE
                                            | LANDLOCK_ACCESS_FS_READ_FILE | truncating | tellingDevices;
struct Ruleset {
    std::uint64_t files, network, scope;
};
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

/// Address space that no process can use more of: the machine's memory beside what is mapped already, files
/// among it.
std::uint64_t memoryOfTheMachine()
{
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return (pages + static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)))
           * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Gives up what a superuser may do beyond others, so that limits cannot be raised again.
bool giveRightsUp()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    return syscall(SYS_capset, &header, none.data()) == 0;
}

/// The version of this system's Landlock; 0 where it has none.
long landlockVersion()
{
    return std::max(0L, syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

/// All that this version can take: rights over files; TCP; signals to processes, and sockets without a file,
/// of those that are not restricted alike.
Ruleset rulesetOf(long version)
{
    constexpr std::array<std::uint64_t, 5> rightsOf{(1ULL << 13) - 1, (1ULL << 14) - 1, (1ULL << 15) - 1,
                                                    (1ULL << 15) - 1, (1ULL << 16) - 1};
    constexpr long knowsNetwork = 4, knowsScope = 6;
    return {rightsOf[static_cast<std::size_t>(std::min<long>(version, rightsOf.size())) - 1],
            version >= knowsNetwork ? 3ULL : 0ULL, version >= knowsScope ? 3ULL : 0ULL};
}

/// The bytes of the structure that this version reads.
std::size_t sizeOfRuleset(long version)
{
    constexpr long knowsNetwork = 4, knowsScope = 6;
    return sizeof(std::uint64_t) * (version >= knowsScope ? 3 : version >= knowsNetwork ? 2 : 1);
}

/// A folder, or file, and the rights over all that is below it.
struct Granted {
    std::string path;
    std::uint64_t rights;
};

/// Takes every right over files away but those that are granted, and what else Landlock can take.
bool forbidFiles(const std::vector<Granted> &granted)
{
    const long version = landlockVersion();
    if (version == 0)
        return false;
    const Ruleset ruleset = rulesetOf(version);
    const std::uint64_t all = ruleset.files;
    const long rules = syscall(SYS_landlock_create_ruleset, &ruleset, sizeOfRuleset(version), 0);
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

constexpr std::uint64_t readFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
                        runFiles = readFiles | LANDLOCK_ACCESS_FS_EXECUTE;

/// Facts of the machine and its drivers; nothing of other processes.
constexpr auto factsOfTheSystem =
    std::to_array<const char *>({"/sys", "/etc/OpenCL", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
                                 "/proc/version", "/proc/devices", "/proc/modules", "/proc/filesystems",
                                 "/proc/cmdline", "/proc/driver", "/proc/sys/kernel", "/proc/sys/vm"});

/// Devices that compute, and those that every program may use; no disks, terminals, consoles or machines.
std::vector<std::string> devices()
{
    std::vector<std::string> found{"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                   "/dev/urandom", "/dev/dri",  "/dev/kfd",  "/dev/dxg"};
    std::error_code error;
    for (std::filesystem::directory_iterator at("/dev", error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().filename().string().starts_with("nvidia"))
            found.push_back(at->path().string());
    }
    return found;
}

/// The system's programs and libraries, to read and to run.
std::vector<Granted> systemFiles()
{
    std::vector<Granted> granted;
    for (const char *place : {"/usr", "/lib", "/lib64", "/bin", "/opt"})
        granted.push_back({place, runFiles});
    for (const char *place : {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"})
        granted.push_back({place, readFiles});
    return granted;
}

bool isEnvironmentClean()
{
    for (char **each = environ; each && *each; ++each) {
        if (!process::isKept(*each))
            return false;
    }
    return true;
}

} // namespace

void forgetEnvironment()
{
    char **kept = environ;
    for (char **each = environ; each && *each; ++each) {
        if (process::isKept(*each))
            *kept++ = *each;
        else
            std::memset(*each, 0, std::strlen(*each)); // it lies in memory that code could search
    }
    if (kept)
        *kept = nullptr;
}

bool confineFiles(const std::filesystem::path &folder, const std::filesystem::path &library)
{
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::vector<Granted> granted = systemFiles();
    granted.push_back({folder.string(), all});
    for (const std::string &device : devices())
        granted.push_back({device, readFiles | LANDLOCK_ACCESS_FS_WRITE_FILE | tellingDevices});
    if (library.has_parent_path())
        granted.push_back({library.parent_path().string(), runFiles});
    // NVIDIA's driver names its threads there, and does not begin where it cannot.
    granted.push_back({"/proc/self", readFiles | LANDLOCK_ACCESS_FS_WRITE_FILE | truncating});
    for (const char *place : factsOfTheSystem)
        granted.push_back({place, readFiles});
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && forbidFiles(granted);
}

void confineCompiler(const std::filesystem::path &folder, const std::filesystem::path &compiler,
                     const SandboxLimits &limits)
{
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::vector<Granted> granted = systemFiles();
    granted.push_back({folder.string(), all});
    granted.push_back({"/dev/null", readFiles | LANDLOCK_ACCESS_FS_WRITE_FILE});
    if (compiler.has_parent_path())
        granted.push_back({compiler.parent_path().string(), runFiles});
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    giveRightsUp();
    limit(RLIMIT_CORE, 0);
    if (limits.cpuSeconds > 0)
        limit(RLIMIT_CPU, limits.cpuSeconds);
    if (support::isSanitized)
        return;
    if (limits.memoryBytes > 0)
        limit(RLIMIT_AS, limits.memoryBytes);
    forbidFiles(granted);
    forbidOthers();
}

void confineLoading(const std::filesystem::path &library, const SandboxLimits &limits)
{
    static bool isConfined = false; // once is enough: all kernels of a process lie in one folder
    if (std::exchange(isConfined, true))
        return;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    forgetEnvironment();
    if (support::isSanitized)
        return;
    const auto hold = [](const char *what, bool isThere, bool isApplied) {
        if (isThere && !isApplied)
            throw support::UserError(
                support::diagnostic("edited.sandbox",
                                    std::format("edited code is not loaded: the system has {} and did not "
                                                "apply it",
                                                what))
                    .withHint("nestc list machine says what kernels run with"));
    };
    std::vector<Granted> granted = systemFiles();
    if (library.has_parent_path())
        granted.push_back({library.parent_path().string(), readFiles});
    giveRightsUp();
    hold("Landlock", landlockVersion() > 0, forbidFiles(granted));
    startOpenMpThreads(library); // they have what this thread has now: neither rights nor files
    SandboxLimits bounds = limits;
    bounds.memoryBytes = limits.memoryBytes > 0 ? limits.memoryBytes : memoryOfTheMachine();
    applyLimits(bounds);
    hold("seccomp", canRestrictCalls(), allowLoading());
}

namespace {

Sandbox restricted(const SandboxLimits &limits, bool hasOpenMp)
{
    Sandbox sandbox;
    sandbox.noNewPrivileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (!limits.hasDriver) // a driver has its own variables (loadEnclosed)
        forgetEnvironment();
    sandbox.environment = isEnvironmentClean();
    sandbox.rights = giveRightsUp();
    sandbox.files = !support::isSanitized && (limits.hasDriver || forbidFiles({}));
    if (hasOpenMp) // threads have what their maker has, but for limits and calls, which are those of all
        keepOpenMpThreads();
    sandbox.limits = applyLimits(limits);
    if (support::isSanitized)
        return sandbox;
    sandbox.systemCalls = restrictCalls(limits.hasDriver);
    // A network of its own takes the system some time, and is only needed where sockets can be had.
    sandbox.network = sandbox.systemCalls || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    return sandbox;
}

} // namespace

Sandbox enterSandbox(const SandboxLimits &limits)
{
    return restricted(limits, !limits.hasDriver && !support::isSanitized);
}

Sandbox probeSandbox()
{
    void *shared = mmap(nullptr, sizeof(Sandbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return {};
    auto *result = new (shared) Sandbox;
    const pid_t child = fork();
    if (child == 0) {
        *result = restricted({}, false);
        _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const Sandbox sandbox = child > 0 && WIFEXITED(status) ? *result : Sandbox();
    munmap(shared, sizeof(Sandbox));
    return sandbox;
}

const Sandbox &sandboxHere()
{
    static const Sandbox sandbox = probeSandbox();
    return sandbox;
}

std::vector<SandboxPart> partsOf(const Sandbox &sandbox)
{
    return {
        {"system-calls", "only a short list of system calls (seccomp)", sandbox.systemCalls},
        {"files", "no files (Landlock)", sandbox.files},
        {"network", "no network", sandbox.network},
        {"privileges", "no new privileges", sandbox.noNewPrivileges},
        {"rights", "no rights of a superuser", sandbox.rights},
        {"limits", "limits on memory, processor time, open files and written files", sandbox.limits},
        {"environment", "a clean environment", sandbox.environment},
    };
}

} // namespace nestwright::measure
