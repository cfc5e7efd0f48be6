// SPDX-License-Identifier: Apache-2.0
#include "tests/support/missing_layer.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::tests {

void withoutLayer(const char *missing)
{
    const std::string_view name = missing;
    if (name.empty())
        return;
    const bool isSeccomp = name == "seccomp";
    const std::uint32_t call = isSeccomp ? SYS_seccomp : SYS_landlock_create_ruleset;
    std::array<sock_filter, 8> program{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, isSeccomp ? SYS_prctl : call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    }};
    const sock_fprog filter{program.size(), program.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        std::abort();
}

measure::Sandbox sandboxWithout(const char *missing)
{
    void *memory =
        mmap(nullptr, sizeof(measure::Sandbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto *sandbox = new (memory) measure::Sandbox;
    const pid_t child = fork();
    if (child == 0) {
        withoutLayer(missing);
        *sandbox = measure::probeSandbox();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    const measure::Sandbox found = *sandbox;
    munmap(memory, sizeof(measure::Sandbox));
    return found;
}

} // namespace nestwright::tests
