// SPDX-License-Identifier: Apache-2.0
/// Machine code of others, to stand beside that of a variant: of a file, which is compiled and read but never
/// run, or of a library at work. Both in a process of its own (`nestc peer-code`).
#pragma once

#include "core/backend/listing/machine_code.h"
#include "core/measure/peers/peer.h"

#include <optional>

namespace nestwright::measure {

/// C, LLVM IR, assembly, an object file or a shared library.
struct PeerFile {
    std::string path;
    std::string function; ///< empty: the only one
};

/// "FILE" or "FILE:FUNCTION".
PeerFile parsePeerFile(const std::string &text);

struct PeerCode {
    std::string name; ///< "sgemm.c", "OpenBLAS 0.3.29 SkylakeX"
    backend::Disassembly code;
    std::optional<PeerTime> time{};
};

/// C is compiled by the system's compiler as for the target `c`, confined as edited code is. Errors: those of
/// backend::functionsIn and backend::disassemble; "code.compile", "open.…", "process.none", "cancelled".
support::Result<PeerCode> codeOfFile(const PeerFile &file, const target::Target &target,
                                     const std::stop_token &stop = {});

/// Names of the functions in a file, at most a thousand. Errors as above.
support::Result<std::vector<std::string>>
functionsOfFile(const std::string &path, const target::Target &target, const std::stop_token &stop = {});

/// The functions in which the library spends its time as it computes the kernel, with how often it was found
/// where; and its time with the target's threads, where `isTimed`. Errors: those of peerCall, codeThatRuns
/// and backend::disassemble; "code.processor" (the target is not this machine), "process.none", "cancelled".
support::Result<PeerCode> codeOfLibrary(PeerLibrary library, const analysis::LibraryKernel &kernel,
                                        const target::Target &target, bool isTimed,
                                        const std::stop_token &stop = {});

/// The other end: reads FOLDER/question and writes FOLDER/answer. Gives the exit status.
int answerPeerCode(const std::string &folder);

} // namespace nestwright::measure
