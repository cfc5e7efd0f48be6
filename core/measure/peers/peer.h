// SPDX-License-Identifier: Apache-2.0
/// The time that a tuned library takes for the computation of a kernel, to compare with.
#pragma once

#include "core/analysis/kernel/library_kernel.h"
#include "core/measure/measurement.h"
#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace nestwright::measure {

struct PeerTime {
    std::string library; ///< "OpenBLAS 0.3.29"
    Interval seconds;    ///< of one call
    double flops = 0;    ///< of one call
    double otherLoad = 0;
    bool disturbed = false; ///< both as in Measurement

    double gflops() const { return flops / seconds.median * 1e-9; }
};

support::Json toJson(const PeerTime &time);
/// Error: "peer.bad-time".
support::Result<PeerTime> peerTimeFromJson(const support::Json &value);

/// "peer.unknown": `kernel` is none that libraries have functions for.
support::Diagnostic noLibraryFor(const std::string &kernel);

/// Whether the arrays are neither too large for the integers of `library` nor for memory: "peer.size".
support::Result<void> checkSize(const analysis::LibraryKernel &kernel, const std::string &library);

enum class PeerLibrary : std::uint8_t {
    OpenBlas, ///< float32 and float64
    OneDnn,   ///< float32, also convolutions and softmax
};

/// "OpenBLAS".
std::string_view nameOf(PeerLibrary library);

/// For a process that asks a library.
support::Json toJson(const analysis::LibraryKernel &kernel);
/// Throws what the library of JSON throws where it is none.
analysis::LibraryKernel libraryKernelFromJson(const support::Json &value);

/// The library's function on random numbers, in this process.
struct PeerCall {
    std::string library; ///< "OpenBLAS 0.3.29"
    std::function<void()> run;
    void *handle = nullptr; ///< as of dlopen; loaded as long as the process lives
};

/// Threads: 0: all cores. Errors: as timePeer.
support::Result<PeerCall> peerCall(const analysis::LibraryKernel &kernel, int threads, PeerLibrary library);

/// Times the library's function in this process with so many threads (0: all cores), on random numbers. The
/// library is looked for on this machine and needs not be there. Errors: "peer.none" (it is not there, or has
/// no such function), "peer.size" (too large for its integers or for memory).
support::Result<PeerTime> timePeer(const analysis::LibraryKernel &kernel, int threads, PeerLibrary library);

/// The fastest of the libraries that are there. Errors as above.
support::Result<PeerTime> timeFastestPeer(const analysis::LibraryKernel &kernel, int threads);

} // namespace nestwright::measure
