// SPDX-License-Identifier: Apache-2.0
/// What the window (or nestc) and the measuring worker say to each other: one JSON object a line.
///
/// To the worker:   {"id": 7, "do": "measure", "request": {…}}   or   {"id": 8, "do": "peak", "threads": 2}
/// From the worker: {"id": 7, "progress": 0.4, "phase": "…", "partial": […]}, as often as it likes, then
///                  {"id": 7, "measurements": […]}, {"id": 8, "peak": {…}} or {"id": 7, "error": {…}}.
#pragma once

#include "core/backend/artifact.h"
#include "core/measure/measurement.h"
#include "core/support/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace nestwright::measure {

/// A compiled kernel on disk: the artifact without its bytes, which are in the file.
struct KernelFile {
    std::string path;
    backend::Artifact artifact; ///< `bytes` is empty
    std::string entry;          ///< which of the artifact's functions
};

/// A buffer argument of the kernel, in order.
struct BufferSpec {
    ir::DataType dtype;
    std::vector<std::int64_t> shape; ///< symbolic sizes already filled in
    bool written = false;            ///< compared with the reference afterwards
};

/// Measure `candidates` alternately, each checked against `reference` first.
struct MeasureRequest {
    KernelFile reference;
    std::string referenceKey; ///< the same key lets the worker reuse the reference result it holds
    std::vector<KernelFile> candidates;
    std::vector<BufferSpec> buffers;
    std::vector<std::int64_t> scalars; ///< scalar arguments, in order, a float as the bits of a double
    int threads = 1;
    std::uint64_t seed = 1;
    double flops = 0; ///< of one call
    double secondsPerRepetition = 0.1;
    int repetitions = 5;
    bool flushCache = false;
    bool verifyOnly = false; ///< check against the reference, take no times
    double relativeTolerance = 1e-4;
    double absoluteTolerance = 1e-5; ///< times the root mean square of the reference output
};

nlohmann::json toJson(const support::Diagnostic &diagnostic);
support::Diagnostic diagnosticFromJson(const nlohmann::json &value);
nlohmann::json toJson(const MeasureRequest &request);
/// Fails with "measure.bad-request" when a field is missing or of the wrong type.
support::Result<MeasureRequest> requestFromJson(const nlohmann::json &value);
nlohmann::json toJson(const Measurement &measurement);
/// Also reads what sessions store: unknown fields are ignored, missing ones keep their defaults. Fails with
/// "measure.bad-measurement" on a wrong type.
support::Result<Measurement> measurementFromJson(const nlohmann::json &value);

} // namespace nestwright::measure
