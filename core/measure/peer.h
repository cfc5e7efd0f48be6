// SPDX-License-Identifier: Apache-2.0
/// The time that a tuned library takes for the computation of a kernel, to compare with.
#pragma once

#include "core/analysis/matrix_product.h"
#include "core/measure/measurement.h"
#include "core/support/json_fwd.h"
#include "core/support/result.h"

#include <cstdint>
#include <string>

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

/// Whether the matrices are neither too large for the integers of `library` nor for memory: "peer.size".
support::Result<void> checkSize(const analysis::MatrixProduct &product, const std::string &library);

enum class PeerLibrary : std::uint8_t {
    OpenBlas, ///< float32 and float64
    OneDnn,   ///< float32
};

/// Times the library's gemm in this process with so many threads (0: all cores), on random numbers. The
/// library is looked for on this machine and needs not be there. Errors: "peer.none" (it is not there, or has
/// no such function), "peer.size" (too large for its integers or for memory).
support::Result<PeerTime> timePeer(const analysis::MatrixProduct &product, int threads, PeerLibrary library);

/// The fastest of the libraries that are there. Errors as above.
support::Result<PeerTime> timeFastestPeer(const analysis::MatrixProduct &product, int threads);

} // namespace nestwright::measure
