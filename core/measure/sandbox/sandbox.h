// SPDX-License-Identifier: Apache-2.0
/// The sandbox: keeps generated code from everything but computing, applied to a process before such code
/// runs in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nestwright::measure {

struct SandboxLimits {
    std::uint64_t memoryBytes = 0; ///< of address space; 0: no limit
    std::uint64_t cpuSeconds = 0;  ///< of all threads together; 0: no limit
    bool hasDriver = false; ///< of a device, which loads code of its own when a kernel runs: files that
                            ///< confineFiles left may still be read, and devices that are open be told things
};

/// The restrictions that the system allowed.
struct Sandbox {
    bool noNewPrivileges = false; ///< no program can give it more rights
    bool limits = false;          ///< files written, files open, core dumps, and those of SandboxLimits
    bool systemCalls = false;     ///< a short list of calls; others end the process (seccomp)
    bool files = false;           ///< no file can be opened (Landlock)
    bool network = false;         ///< none: by the list of calls, or a network of its own with nothing in it
    bool rights = false;          ///< none of a superuser (capabilities)
    bool environment = false;     ///< the variables of a clean one only

    /// Whether a stranger's code can neither reach files nor other processes in it.
    bool holdsStrangers() const { return systemCalls && files; }
};

/// Leaves this process, and threads that it makes from now on, the system's programs and libraries to read,
/// the folder of `library` where one is named, its devices, and `folder` to write to. For a driver that
/// compiles kernels; call enterSandbox afterwards. False where the system cannot restrict files.
bool confineFiles(const std::filesystem::path &folder, const std::filesystem::path &library = {});

/// Leaves this process, and compilers that it starts, the system's programs and libraries to read, those
/// beside `compiler`, and `folder` to write to; no devices, no network, no other process. For text that a
/// stranger may have written. Restrictions that the system does not support are left out.
void confineCompiler(const std::filesystem::path &folder, const std::filesystem::path &compiler,
                     const SandboxLimits &limits);

/// Leaves this process what loading a library takes, whose code may run then: system calls of memory and
/// threads, files of the system and in the folder of `library` to read, `limits`. That holds whatever the
/// library does; enterSandbox, called afterwards, takes the files too. OpenMP's threads, where the library
/// has any, are made before. Restrictions that the system does not have are left out; throws
/// support::UserError "edited.sandbox" where it has one and does not apply it.
void confineLoading(const std::filesystem::path &library, const SandboxLimits &limits = {});

/// Keeps this process, all its threads and later programs from files, network, processes and other programs.
/// Memory it has, threads and open descriptors stay. Restrictions that the system does not support are left
/// out. There is no way back.
Sandbox enterSandbox(const SandboxLimits &limits);

/// The sandbox that enterSandbox would set up here: tried in a process that ends with it.
Sandbox probeSandbox();

/// The result of `probeSandbox`, which runs once per process.
const Sandbox &sandboxHere();

/// Takes the variables that a clean environment (core/process/environment.h) lacks from this process, and
/// their values from its memory.
void forgetEnvironment();

/// One of the sandbox's parts, for people and machines.
struct SandboxPart {
    std::string name;        ///< "system-calls"
    std::string description; ///< "a short list of system calls (seccomp)"
    bool isApplied = false;
};
std::vector<SandboxPart> partsOf(const Sandbox &sandbox);

} // namespace nestwright::measure
