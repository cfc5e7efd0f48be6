// SPDX-License-Identifier: Apache-2.0
/// Entry point of the programs in the relocatable bundle: maps the dynamic loader that lies in the bundle and
/// starts it.
///
/// An ELF file names its loader by an absolute path, and the loader of an older system cannot load libraries
/// of a newer one. So scripts/package_bundle.py hides the name from the kernel, which then begins here. From
/// here on all is as if the kernel had mapped the loader: /proc/self/exe is the program, and $ORIGIN is its
/// folder.
///
/// This runs before anything is relocated: no library, no global data, no table of pointers.

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef __x86_64__
#error "the entry point of the bundle is written for x86-64"
#endif
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns") // no loop becomes a call of memcpy or memset
#endif

asm(R"(
    .text
    .globl nw_bundle_start
    .hidden nw_bundle_start
    .type nw_bundle_start, @function
nw_bundle_start:
    xor %ebp, %ebp
    mov %rsp, %rbx
    mov %rsp, %rdi
    lea _start(%rip), %rsi
    call nw_map_bundled_loader
    mov %rbx, %rsp
    xor %edx, %edx
    jmp *%rax
)");

namespace {

constexpr std::size_t pageSize = 4096, longestPath = 4096, mostHeaders = 32;
constexpr std::uint32_t hiddenInterpreter = 0x6e770003; ///< PT_INTERP, as scripts/package_bundle.py hides it
constexpr char loaderPath[] = "../lib/ld-linux-x86-64.so.2"; ///< from the program's folder

// NOLINTBEGIN(performance-no-int-to-ptr): the kernel and the headers of a file give addresses as numbers

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0)
{
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    long result = number;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

bool failed(long result) { return result < 0 && result > -static_cast<long>(pageSize); }

template <class T> long address(T *pointer) { return reinterpret_cast<long>(pointer); }

[[noreturn]] void stop(const char *reason, std::size_t length)
{
    constexpr int badStart = 127;
    call(SYS_write, 2, address(reason), static_cast<long>(length));
    while (true)
        call(SYS_exit_group, badStart);
}

template <std::size_t length> [[noreturn]] void stop(const char (&reason)[length])
{
    stop(reason, length - 1);
}

std::uintptr_t pageDown(std::uintptr_t at) { return at & ~(pageSize - 1); }
std::uintptr_t pageUp(std::uintptr_t at) { return pageDown(at + pageSize - 1); }

int openLoader()
{
    char path[longestPath + sizeof loaderPath];
    long length = call(SYS_readlink, address("/proc/self/exe"), address(path), longestPath);
    if (failed(length) || length == static_cast<long>(longestPath))
        stop("nestwright: the program's own place cannot be read from /proc/self/exe\n");
    while (length > 0 && path[length - 1] != '/')
        --length;
    for (std::size_t i = 0; i < sizeof loaderPath; ++i)
        path[static_cast<std::size_t>(length) + i] = loaderPath[i];
    const long file = call(SYS_openat, AT_FDCWD, address(path), O_RDONLY | O_CLOEXEC);
    if (failed(file))
        stop("nestwright: the bundle is not whole: lib/ld-linux-x86-64.so.2 cannot be opened\n");
    return static_cast<int>(file);
}

struct Headers {
    Elf64_Ehdr file;
    Elf64_Phdr segments[mostHeaders];
};

void readHeaders(int file, Headers &headers)
{
    const long wanted = sizeof headers.file;
    if (call(SYS_pread64, file, address(&headers.file), wanted, 0) != wanted
        || headers.file.e_phentsize != sizeof(Elf64_Phdr) || headers.file.e_phnum > mostHeaders)
        stop("nestwright: lib/ld-linux-x86-64.so.2 is no dynamic loader\n");
    const long bytes = static_cast<long>(sizeof(Elf64_Phdr)) * headers.file.e_phnum;
    if (call(SYS_pread64, file, address(headers.segments), bytes, static_cast<long>(headers.file.e_phoff))
        != bytes)
        stop("nestwright: lib/ld-linux-x86-64.so.2 is no dynamic loader\n");
}

std::uintptr_t map(std::uintptr_t where, std::size_t bytes, int protection, int flags, int file,
                   std::size_t offset)
{
    const long mapped = call(SYS_mmap, static_cast<long>(where), static_cast<long>(bytes), protection,
                             MAP_PRIVATE | flags, file, static_cast<long>(offset));
    if (failed(mapped))
        stop("nestwright: the dynamic loader cannot be mapped\n");
    return static_cast<std::uintptr_t>(mapped);
}

void mapSegment(int file, std::uintptr_t base, const Elf64_Phdr &segment)
{
    const int protection = ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0)
                           | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0)
                           | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    const std::uintptr_t begin = base + pageDown(segment.p_vaddr);
    const std::uintptr_t fileEnd = base + segment.p_vaddr + segment.p_filesz;
    const std::uintptr_t end = pageUp(base + segment.p_vaddr + segment.p_memsz);
    map(begin, fileEnd - begin, protection, MAP_FIXED, file, pageDown(segment.p_offset));
    if (segment.p_memsz == segment.p_filesz)
        return;
    for (std::uintptr_t at = fileEnd; at < pageUp(fileEnd); ++at)
        *reinterpret_cast<volatile char *>(at) = 0;
    if (end > pageUp(fileEnd))
        map(pageUp(fileEnd), end - pageUp(fileEnd), protection, MAP_FIXED | MAP_ANONYMOUS, -1, 0);
}

/// Shows the loader the header that the kernel must not see: it does not run a program without one.
void showInterpreter(Elf64_Phdr *headers, std::size_t count)
{
    const std::uintptr_t begin = pageDown(static_cast<std::uintptr_t>(address(headers)));
    const std::uintptr_t end = pageUp(static_cast<std::uintptr_t>(address(headers + count)));
    const auto protect = [&](int protection) {
        if (failed(call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin), protection)))
            stop("nestwright: the program's headers cannot be changed\n");
    };
    protect(PROT_READ | PROT_WRITE);
    for (std::size_t i = 0; i < count; ++i) {
        if (headers[i].p_type == hiddenInterpreter)
            headers[i].p_type = PT_INTERP;
    }
    protect(PROT_READ);
}

std::uintptr_t mapLoader()
{
    const int file = openLoader();
    Headers headers; // NOLINT(cppcoreguidelines-pro-type-member-init): it is read
    readHeaders(file, headers);
    std::uintptr_t span = 0;
    for (std::size_t i = 0; i < headers.file.e_phnum; ++i) {
        const Elf64_Phdr &segment = headers.segments[i];
        if (segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > span)
            span = segment.p_vaddr + segment.p_memsz;
    }
    const std::uintptr_t base = map(0, pageUp(span), PROT_NONE, MAP_ANONYMOUS, -1, 0);
    for (std::size_t i = 0; i < headers.file.e_phnum; ++i) {
        if (headers.segments[i].p_type == PT_LOAD)
            mapSegment(file, base, headers.segments[i]);
    }
    call(SYS_close, file);
    return base;
}

std::uintptr_t entryOf(std::uintptr_t base)
{
    return base + reinterpret_cast<const Elf64_Ehdr *>(base)->e_entry;
}

} // namespace

/// The loader's entry point. `stack`: what the kernel put there; the loader finds the program by it.
extern "C" [[gnu::visibility("hidden"), gnu::used]] std::uintptr_t
nw_map_bundled_loader(std::uintptr_t *stack, std::uintptr_t start)
{
    const std::uintptr_t base = mapLoader();
    std::uintptr_t *at = stack + 1 + *stack + 1; // the number of arguments, they, and a null pointer
    while (*at++ != 0) {                         // the environment
    }
    Elf64_Phdr *headers = nullptr;
    std::size_t count = 0;
    for (; *at != AT_NULL; at += 2) {
        if (*at == AT_BASE)
            at[1] = base;
        else if (*at == AT_ENTRY)
            at[1] = start;
        else if (*at == AT_PHDR)
            headers = reinterpret_cast<Elf64_Phdr *>(at[1]);
        else if (*at == AT_PHNUM)
            count = at[1];
    }
    if (headers != nullptr)
        showInterpreter(headers, count);
    return entryOf(base);
}

// NOLINTEND(performance-no-int-to-ptr)
