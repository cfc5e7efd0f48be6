// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox.h"

#include "core/measure/call_filters.h"
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

constexpr std::uint64_t readFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
                        runFiles = readFiles | LANDLOCK_ACCESS_FS_EXECUTE;

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

} // namespace

bool confineFiles(const std::filesystem::path &folder, const std::filesystem::path &library)
{
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::vector<Granted> granted = systemFiles();
    granted.insert(granted.end(), {{folder.string(), all}, {"/dev", all}});
    if (library.has_parent_path())
        granted.push_back({library.parent_path().string(), runFiles});
    // NVIDIA's driver names its threads there, and does not begin where it cannot.
    constexpr std::uint64_t truncate = 1ULL << 14; // by a name that older headers lack
    granted.push_back({"/proc/self", readFiles | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate});
    for (const char *place : {"/proc", "/sys", "/etc/OpenCL"})
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

void confineLoading(const std::filesystem::path &library)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (support::isSanitized)
        return;
    std::vector<Granted> granted = systemFiles();
    if (library.has_parent_path())
        granted.push_back({library.parent_path().string(), readFiles});
    forbidFiles(granted);
    allowLoading();
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
