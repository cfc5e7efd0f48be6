// SPDX-License-Identifier: Apache-2.0
/// Ways by which a kernel could try to get out of its process, in C. TRY(call) is won where the call
/// succeeds, REACH(call) also where the system looked at its arguments before it refused it. VICTIM is the
/// number of another process of the user, FOLDER a folder with a file "own".
#pragma once

#include <array>
#include <cstdint>

namespace nestwright::tests {

/// Barrier that stops it where the list of calls (seccomp) is missing.
enum class Without : std::uint8_t {
    Refused, ///< nothing: such code is not run unasked
    Files,   ///< Landlock, or a right or limit that was given up
};

struct Breakout {
    const char *name;
    const char *code;
    Without calls = Without::Refused;
    bool readsAsLoaded = false; ///< by what a library is loaded with: only Landlock stops it then
};

inline constexpr auto breakouts = std::to_array<Breakout>({
    // Other processes.
    {"a signal to another", "TRY(S(62, VICTIM, 9))"},
    {"a signal to the group", "TRY(S(62, 0, 0))"},
    {"a signal to all", "TRY(S(62, -1, 0))"},
    {"a signal to a thread of another", "TRY(S(200, VICTIM, 9))"},
    {"a signal to a thread of a process", "TRY(S(234, VICTIM, VICTIM, 9))"},
    {"a signal with a value", "long v[16] = {9}; REACH(S(129, VICTIM, 9, v))"},
    {"a signal by a descriptor", "long f = S(434, VICTIM, 0); TRY(f) TRY(S(424, f, 9, 0, 0))"},
    {"a signal by an owner of a line", "TRY(S(72, 3, 8, VICTIM)) S(72, 3, 10, 9); S(72, 3, 4, 0x2000);"},
    {"an owner by its structure", "int v[2] = {1, VICTIM}; TRY(S(72, 3, 15, v))"},
    {"the signal of a line", "TRY(S(72, 3, 10, 9))"},
    {"flags of a line", "TRY(S(72, 3, 4, 0x2800))"},
    {"an owner by a request", "int v = VICTIM; TRY(S(16, 3, 0x8901, &v))"},
    {"news of a folder", "REACH(S(72, 3, 1026, 2))"},
    {"a lease", "REACH(S(72, 3, 1024, 1))"},
    {"the size of a pipe", "REACH(S(72, 3, 1031, 1 << 20))"},
    {"the place of another", "long m[16] = {1}; S(203, VICTIM, sizeof m, m);"},
    {"the place of another, in other bits", "long m[16] = {1}; S(203, (1l << 32) | VICTIM, sizeof m, m);"},
    {"where another runs", "long m[128]; TRY(S(204, VICTIM, sizeof m, m))"},
    {"the turn of another", "int v = 0; TRY(S(144, VICTIM, 3, &v))"},
    {"the priority of another", "TRY(S(141, 0, VICTIM, 19))"},
    {"the disk of another", "TRY(S(251, 1, VICTIM, 3 << 13))"},
    {"the limits of another", "long v[2] = {1, 1}; TRY(S(302, VICTIM, 7, v, 0))"},
    {"a lock that lends a priority", "int v = VICTIM; long t[2] = {0, 1000}; REACH(S(202, &v, 6, 0, t))"},
    {"another is traced", "TRY(S(101, 16, VICTIM, 0, 0))"},
    {"memory of another is read", "long m, v[2] = {(long)&m, 8}; REACH(S(310, VICTIM, v, 1, v, 1, 0))"},
    {"memory of another is written", "long m, v[2] = {(long)&m, 8}; REACH(S(311, VICTIM, v, 1, v, 1, 0))"},
    {"memory of another is dropped", "REACH(S(440, VICTIM, 0, 0, 21, 0))"},
    {"another is compared", "TRY(S(312, VICTIM, VICTIM, 0, 0, 0))"},
    {"memory is moved", "TRY(S(279, VICTIM, 0, 0, 0, 0, 0))"},
    // Processes of its own.
    {"fork", "TRY(S(57))"},
    {"fork for a word", "TRY(S(56, 17, 0, 0, 0, 0))"},
    {"fork with a space of users", "TRY(S(56, 0x10000000 | 17, 0, 0, 0, 0))"},
    {"a thread with a space of files", "REACH(S(56, 0x10f00 | 0x20000, 0, 0, 0, 0))"},
    {"fork by a structure", "long v[11] = {0}; v[4] = 17; TRY(S(435, v, 88))"},
    {"fork by the old gate",
     "long r; __asm__ volatile(\"int $0x80\" : \"=a\"(r) : \"a\"(2) : \"memory\"); TRY(r)"},
    {"fork by the narrow gate", "TRY(S(0x40000000 + 57))"},
    {"another program", "char *v[2] = {\"/bin/true\", 0}; TRY(S(59, \"/bin/true\", v, v + 1))"},
    {"a program in memory", "long f = S(319, \"x\", 0); TRY(f) S(322, f, \"\", 0, 0, 0x1000);"},
    // Spaces and rights.
    {"unshare", "TRY(S(272, 0x10000000))"},
    {"a space of another", "REACH(S(308, 3, 0))"},
    {"chroot", "TRY(S(161, \"/tmp\"))", Without::Files},
    {"mount", "REACH(S(165, \"none\", \"/nowhere\", \"tmpfs\", 0, 0))"},
    {"unmount", "REACH(S(166, \"/nowhere\", 0))"},
    {"rights", "int h[2] = {0x20080522, 0}, d[6] = {~0, ~0, 0, ~0, ~0, 0}; TRY(S(126, h, d))",
     Without::Files},
    {"limits raised", "long v[2] = {-1, -1}; TRY(S(302, 0, 1, v, 0))", Without::Files},
    {"limits raised by the old call", "long v[2] = {1 << 20, 1 << 20}; TRY(S(160, 7, v))", Without::Files},
    {"no word of the parent's death", "TRY(S(157, 1, 0, 0, 0, 0))"},
    {"a parent's word in other bits", "TRY(S(157, (1l << 32) | 1, 0, 0, 0, 0))"},
    {"to be looked into", "TRY(S(157, 4, 1, 0, 0, 0))"},
    {"to be traced", "TRY(S(157, 0x59616d61, -1, 0, 0, 0))"},
    {"to be given orphans", "TRY(S(157, 36, 1, 0, 0, 0))"},
    {"a listener of calls", "long v[2] = {0}; REACH(S(317, 1, 8, v))"},
    // Files.
    {"a file is read", "TRY(S(2, \"/etc/passwd\", 0))", Without::Files, true},
    {"a file is read from a folder", "TRY(S(257, -100, \"/etc/passwd\", 0))", Without::Files, true},
    {"a file is read by a structure", "long v[3] = {0}; TRY(S(437, -100, \"/etc/passwd\", v, 24))",
     Without::Files},
    {"a file is made", "TRY(S(257, -100, \"FOLDER/made\", 0101, 0600))", Without::Files},
    {"a file is made by the old call", "TRY(S(85, \"FOLDER/made\", 0600))", Without::Files},
    {"a file is cut off", "TRY(S(257, -100, \"FOLDER/own\", 01001))", Without::Files},
    {"a file is cut off as it is read", "TRY(S(257, -100, \"FOLDER/own\", 01000))", Without::Files},
    {"a file is cut off by its name", "TRY(S(76, \"FOLDER/own\", 0))", Without::Files},
    {"a file without a name", "TRY(S(257, -100, \"FOLDER\", 020200002, 0600))", Without::Files},
    {"a file is renamed", "TRY(S(82, \"FOLDER/own\", \"FOLDER/other\"))", Without::Files},
    {"a file is renamed from a folder", "TRY(S(316, -100, \"FOLDER/own\", -100, \"FOLDER/other\", 0))",
     Without::Files},
    {"a file is removed", "TRY(S(87, \"FOLDER/own\"))", Without::Files},
    {"a folder is made", "TRY(S(83, \"FOLDER/made\", 0700))", Without::Files},
    {"a link is made", "TRY(S(88, \"/etc/passwd\", \"FOLDER/made\"))", Without::Files},
    {"a second name", "TRY(S(86, \"FOLDER/own\", \"FOLDER/made\"))", Without::Files},
    {"a device is made", "TRY(S(133, \"FOLDER/made\", 0020600, 0x0501))", Without::Files},
    {"rights to a file", "TRY(S(90, \"FOLDER/own\", 0777))"},
    {"its own memory as a file", "TRY(S(257, -100, \"/proc/self/mem\", 2))", Without::Files},
    {"variables of another", "TRY(S(257, -100, \"/proc/VICTIM/environ\", 0))", Without::Files, true},
    {"memory of another as a file", "TRY(S(257, -100, \"/proc/VICTIM/mem\", 2))", Without::Files},
    {"a terminal", "TRY(S(257, -100, \"/dev/tty\", 2))", Without::Files},
    {"a file by a handle", "long v[4] = {8, 1}; REACH(S(304, -100, v, 0))"},
    {"files are watched", "TRY(S(253))"},
    {"files are stopped", "REACH(S(300, 4, 0))"},
    {"a file is read by other threads",
     "\n#pragma omp parallel for\nfor (int q = 0; q < 64; ++q) { TRY(S(2, \"/etc/passwd\", 0)) }\n",
     Without::Files, true},
    {"limits are raised by other threads",
     "\n#pragma omp parallel for\nfor (int q = 0; q < 64; ++q) { long v[2] = {-1, -1}; TRY(S(302, 0, 1, v, "
     "0)) }\n",
     Without::Files},
    // Networks, lines and terminals.
    {"a network", "TRY(S(41, 2, 1, 0))"},
    {"a line of the machine", "TRY(S(41, 1, 1, 0))"},
    {"the kernel's line", "TRY(S(41, 16, 3, 0))"},
    {"a pair of lines", "int v[2]; TRY(S(53, 1, 1, 0, v))"},
    {"a name without a file", "long f = S(41, 1, 1, 0); TRY(f) S(49, f, \"\\1\\0\\0nw\", 5);"},
    {"a message to an address", "TRY(S(44, 3, \"x\", 1, 0, \"\\1\\0\\0nw\", 5))"},
    {"a descriptor to another", "long v[7] = {0}; TRY(S(46, 3, v, 0))"},
    {"typing into a terminal",
     "TRY(S(16, 0, 0x5412, \"x\")) TRY(S(16, 1, 0x5412, \"x\")) TRY(S(16, 2, 0x5412, \"x\"))"},
    {"the terminal's group", "int v = 1; TRY(S(16, 1, 0x5410, &v))"},
    // Parts of the system.
    {"rings of calls", "long v[16] = {0}; REACH(S(425, 1, v))"},
    {"keys", "REACH(S(250, 0, -3, 0))"},
    {"a key is kept", "TRY(S(248, \"user\", \"nw\", \"x\", 1, -3))"},
    {"a program of the kernel", "long v[16] = {0}; REACH(S(321, 0, v, 128))"},
    {"counters", "long v[16] = {0x7000000001}; REACH(S(298, v, 0, -1, -1, 0))"},
    {"faults of pages", "TRY(S(323, 1))"},
    {"shared memory by a number", "TRY(S(29, 0, 4096, 0600))"},
    {"semaphores", "TRY(S(64, 0, 1, 0600))"},
    {"messages by a number", "TRY(S(68, 0, 0600))"},
    {"messages by a name", "TRY(S(240, \"nw\", 0102, 0600, 0))"},
    {"a timer with a signal", "long v; TRY(S(222, 1, 0, &v))"},
    {"a timer of the process", "long v[4] = {0, 0, 100, 0}; TRY(S(38, 0, v, 0))"},
    {"the clock", "TRY(S(164, 0, 0))"},
    {"the kernel's messages", "TRY(S(103, 5, 0, 0))", Without::Files},
    {"a module of the kernel", "REACH(S(175, 0, 0, \"\"))", Without::Files},
    {"ports of the machine", "TRY(S(172, 3))", Without::Files},
    {"another personality", "TRY(S(135, 0x40000))"},
    {"segments", "long v[2] = {0}; REACH(S(154, 1, v, 16))"},
    {"the base of a segment", "long v; TRY(S(158, 0x1004, &v))"},
    {"all processors wait", "TRY(S(324, 1, 0, 0))"},
    {"broken memory", "REACH(S(28, ((long)&won) & ~4095l, 4096, 100))"},
    {"the system's large pages", "REACH(S(9, 0, 2l << 20, 3, 0x40022, -1, 0))"},
    // Messages told to it.
    {"a variable of the user", "char *getenv(const char *); won |= getenv(\"NW_SECRET_TOKEN\") != 0;",
     Without::Files},
    {"files that it may write",
     "long v[2] = {1, 1}; long r = S(302, 0, 1, 0, v); won |= r == 0 && (v[0] != 0 || v[1] != 0);",
     Without::Files},
});

/// Texts by which a compiler could be brought to read a file of the user.
struct CompilerBreakout {
    const char *name;
    const char *text;
};
inline constexpr auto compilerBreakouts = std::to_array<CompilerBreakout>({
    {"include", "#include \"/etc/passwd\""},
    {"include behind a macro", "#define F \"/etc/passwd\"\n#include F"},
    {"include by another spelling", "?\?=include \"/etc/passwd\""},
    {"embed", "static const char secret[] = {\n#embed \"/etc/passwd\"\n};"},
    {"a pragma", "_Pragma(\"GCC dependency \\\"/etc/passwd\\\"\")"},
    {"incbin", "__asm__(\".incbin \\\"/etc/passwd\\\"\");"},
    {"assembly included", "__asm__(\".include \\\"/etc/passwd\\\"\");"},
    {"memory of the compiler", "__asm__(\".incbin \\\"/proc/self/environ\\\"\");"},
    {"a file of the user's folder", "__asm__(\".incbin \\\"FOLDER/own\\\"\");"},
});

} // namespace nestwright::tests
