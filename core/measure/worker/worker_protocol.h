// SPDX-License-Identifier: Apache-2.0
/// The protocol between the window (or nestc) and the measuring worker: one JSON object a line.
///
/// To the worker:   {"id": 7, "do": "measure", "request": {…}}   or   {"id": 8, "do": "peak", "threads": 2}
/// From the worker: {"id": 7, "progress": 0.4, "phase": "…", "partial": […]}, as often as it likes, then
///                  {"id": 7, "measurements": […]}, {"id": 8, "peak": {…}} or {"id": 7, "error": {…}}.
#pragma once

#include "core/backend/link/artifact.h"
#include "core/measure/measurement.h"
#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright::measure {

/// A compiled kernel: the artifact without its bytes, which a store has (content_store.h).
struct KernelFile {
    std::string content;        ///< name of the bytes in the store
    std::string path;           ///< of the file that holds them here; each process has its own
    backend::Artifact artifact; ///< `bytes` is empty
    std::string entry;          ///< which of the artifact's functions
    bool isUnscheduled = false; ///< it is the reference program
};

/// A buffer argument of the kernel, in order.
struct BufferSpec {
    ir::DataType dtype;
    std::vector<std::int64_t> shape; ///< symbolic sizes already filled in
    bool written = false;            ///< compared with the reference afterwards
    std::optional<std::pair<std::int64_t, std::int64_t>> range = {}; ///< of random integers; both ends count
    bool isAscending = false;                                        ///< the random integers are in order
    /// Name in the store of the elements as they lie in memory, given by a person; empty: random ones.
    std::string content = {};
    std::string file = {}; ///< that holds them here
    int integerBits = 18;  ///< of random integers of 32 bits, with which the program does not overflow

    /// Bytes of all elements, even where these exceed the memory.
    double bytes() const
    {
        double all = dtype.bytes() * dtype.lanes;
        for (const std::int64_t extent : shape)
            all *= static_cast<double>(extent);
        return all;
    }
};

/// Kinds of random numbers.
enum class Values : std::uint8_t {
    Small,   ///< floats between -1 and 1, integers of one digit
    Wide,    ///< of all magnitudes, zeros and subnormal numbers; integers of the whole range
    Special, ///< small ones, among them NaN and infinities
    Near,    ///< small ones, one of them another than the seed says
};

/// The arguments of one call.
struct ArgumentSet {
    std::vector<BufferSpec> buffers;
    std::vector<std::int64_t> scalars; ///< scalar arguments, in order, a float as the bits of a double
    Values values = Values::Small;
    std::uint64_t seed = 1;
    std::string sizes = {}; ///< "n = 37", for a person; empty: those that are timed
};

/// A program that computes bounds (error_bounds.h).
struct BoundsFile {
    KernelFile kernel;
    std::vector<std::size_t> bounded; ///< as BoundedProgram has it
};

/// Measure `candidates` alternately, each checked against `reference` first, by all sets of arguments.
struct MeasureRequest {
    std::string store; ///< folder of the files
    KernelFile reference;
    std::string referenceKey;         ///< the same key lets the worker reuse the reference results it holds
    std::optional<BoundsFile> bounds; ///< of the reference; nothing: it has none
    bool mayReadUnknown = false;      ///< the reference, from memory of its own or beside its arguments
    std::int64_t reductionLength = 1; ///< terms of the longest sum
    std::vector<KernelFile> candidates;
    std::vector<ArgumentSet> sets; ///< one at least; calls with the first are timed
    int threads = 1;
    double flops = 0; ///< of one call
    double secondsPerRepetition = 0.1;
    int repetitions = 5;
    double secondsPerVariant = 2; ///< for the calls of a slow candidate; two samples at least
    bool flushCache = false;
    bool counters = false;         ///< count events of the processor too, while the caches are warm
    bool verifyOnly = false;       ///< check against the reference, take no times
    std::uint64_t memoryBytes = 0; ///< of address space for each process that runs kernels; 0: no limit
    double silenceSeconds = 20;    ///< a kernel that computes for so long without an end is stopped
    std::optional<double> relativeTolerance; ///< that a person grants beyond rounding
};

support::Json toJson(const MeasureRequest &request);
/// Fails with "measure.bad-request" when a field is missing or of the wrong type.
support::Result<MeasureRequest> requestFromJson(const support::Json &value);
support::Json toJson(const Measurement &measurement);
/// Also reads what sessions store: unknown fields are ignored, missing ones keep their defaults. Fails with
/// "measure.bad-measurement" on a wrong type, and on impossible values: negative or endless times, a time
/// without order, a failure without reason, more samples than anybody takes.
support::Result<Measurement> measurementFromJson(const support::Json &value);

/// The worker's answers to a request with so many candidates. Error "worker.answer": not for this request.
support::Result<std::vector<Measurement>> measurementsFromJson(const support::Json &answer,
                                                               std::size_t candidates);
/// The progress of a worker: a fraction from 0 to 1, the phase, and measurements so far (none, or one per
/// candidate).
struct Progress {
    double fraction = 0;
    std::string phase;
    std::vector<Measurement> partial;
};
/// Nothing where the line is none that a worker writes.
std::optional<Progress> progressFromJson(const support::Json &line, std::size_t candidates);

} // namespace nestwright::measure
