// SPDX-License-Identifier: Apache-2.0
// A library to be preloaded: lets one system call of a program fail, as a full disk or a used-up limit would.
//   NESTWRIGHT_FAULT=KIND:N:ERROR   KIND is open, write, fsync, rename, mmap or fork; the N-th call (from 1)
//   of each process fails
//                                   with the error of that number
//   NESTWRIGHT_FAULT_MARK=FILE      is made when a call was made to fail
// Or a program that finds nestwrightArmFault in itself says when: calls are counted from then on.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum Kind { None, Open, Write, Sync, Rename, Map, Fork };

std::atomic<Kind> wanted = None;
std::atomic<int> place = 0, code = 0, calls = 0;
std::atomic<bool> filesOnly = false; ///< only writes to files fail

/// "write:3:28"; nothing fails where it is none.
void arm(const char *wish)
{
    constexpr std::array names{"", "open", "write", "fsync", "rename", "mmap", "fork"};
    char kind[16] = "";
    int n = 0, error = 0;
    wanted = None;
    if (!wish || std::sscanf(wish, "%15[a-z]:%d:%d", kind, &n, &error) != 3)
        return;
    place = n;
    code = error;
    calls = 0;
    for (std::size_t i = Open; i <= Fork; ++i) {
        if (std::strcmp(kind, names[i]) == 0)
            wanted = static_cast<Kind>(i);
    }
}

__attribute__((constructor)) void readWish() { arm(std::getenv("NESTWRIGHT_FAULT")); }

/// Events and pipes, by which a program's own threads speak, never fail in reality.
bool isFile(int descriptor)
{
    struct stat info{};
    return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

bool fails(Kind kind)
{
    if (kind != wanted || ++calls != place)
        return false;
    if (const char *mark = std::getenv("NESTWRIGHT_FAULT_MARK"))
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600));
    errno = code;
    return true;
}

} // namespace

// NOLINTBEGIN: they are declared by the C library
#define REAL(name) reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))
#define MODE_OF(flags)                                                                                       \
    mode_t mode = 0;                                                                                         \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                 \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode = va_arg(list, mode_t);                                                                         \
        va_end(list);                                                                                        \
    }

extern "C" {

void nestwrightArmFault(const char *wish)
{
    filesOnly = true;
    arm(wish);
}

int open(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return fails(Open) ? -1 : REAL(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return fails(Open) ? -1 : REAL(open64)(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return fails(Open) ? -1 : REAL(openat)(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return fails(Open) ? -1 : REAL(openat64)(folder, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) { return fails(Open) ? nullptr : REAL(fopen)(path, mode); }
FILE *fopen64(const char *path, const char *mode)
{
    return fails(Open) ? nullptr : REAL(fopen64)(path, mode);
}
char *mkdtemp(char *name) noexcept { return fails(Open) ? nullptr : REAL(mkdtemp)(name); }
int pipe(int ends[2]) noexcept { return fails(Open) ? -1 : REAL(pipe)(ends); }
int pipe2(int ends[2], int flags) noexcept { return fails(Open) ? -1 : REAL(pipe2)(ends, flags); }

ssize_t write(int file, const void *bytes, size_t count)
{
    return (!filesOnly || isFile(file)) && fails(Write) ? -1 : REAL(write)(file, bytes, count);
}
ssize_t writev(int file, const struct iovec *parts, int count)
{
    return (!filesOnly || isFile(file)) && fails(Write) ? -1 : REAL(writev)(file, parts, count);
}

int fsync(int file) { return fails(Sync) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails(Sync) ? -1 : REAL(fdatasync)(file); }

int rename(const char *from, const char *to) noexcept { return fails(Rename) ? -1 : REAL(rename)(from, to); }
int renameat(int folder, const char *from, int other, const char *to) noexcept
{
    return fails(Rename) ? -1 : REAL(renameat)(folder, from, other, to);
}

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) noexcept
{
    return fails(Map)
               ? MAP_FAILED
               : reinterpret_cast<void *>(syscall(SYS_mmap, at, length, protection, flags, file, offset));
}
void *mmap64(void *at, size_t length, int protection, int flags, int file, off64_t offset) noexcept
{
    return fails(Map)
               ? MAP_FAILED
               : reinterpret_cast<void *>(syscall(SYS_mmap, at, length, protection, flags, file, offset));
}

pid_t fork() noexcept { return fails(Fork) ? -1 : REAL(fork)(); }
int posix_spawn(pid_t *__restrict child, const char *__restrict path,
                const posix_spawn_file_actions_t *__restrict actions,
                const posix_spawnattr_t *__restrict attributes, char *const argv[], char *const env[])
{
    return fails(Fork) ? code.load() : REAL(posix_spawn)(child, path, actions, attributes, argv, env);
}
int posix_spawnp(pid_t *__restrict child, const char *__restrict path,
                 const posix_spawn_file_actions_t *__restrict actions,
                 const posix_spawnattr_t *__restrict attributes, char *const argv[], char *const env[])
{
    return fails(Fork) ? code.load() : REAL(posix_spawnp)(child, path, actions, attributes, argv, env);
}

} // extern "C"
// NOLINTEND
