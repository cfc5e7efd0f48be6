// SPDX-License-Identifier: Apache-2.0
/// Runs of models: `nestc run-model`, `nestc bench-model`.
#pragma once

#include "core/graph/output_labels.h"
#include "core/graph/tensor_statistics.h"
#include "core/ir/ndarray.h"
#include "core/measure/statistics.h"
#include "core/ops/table/tensor_op.h"
#include "core/session/model/model_times.h"
#include "core/support/text/json_fwd.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::workbench {

/// Statistics of a node's result.
struct ResultStatistics {
    std::string name;
    ops::TensorType type;
    graph::TensorStatistics statistics;
    bool isOutput = false; ///< of the model itself
};

/// {"nodes": [{"name", "type", "output", "elements", "zeros", "not_finite", "least", "greatest", "mean",
/// "deviation", "histogram"}]}
support::Json toJson(const std::vector<ResultStatistics> &results);

/// The text of an element; a place outside the table is shown as a number.
std::string labelAt(const graph::OutputLabels &labels, const ir::NdArray &array, std::int64_t i);
/// Text: a list of lists, as the dimensions are. Named columns: a list of objects by name.
support::Json toJson(const graph::OutputLabels &labels, const ir::NdArray &array);

/// Tokens that a model generated one by one.
struct Generated {
    std::vector<double> seconds;      ///< of each token
    std::vector<std::int64_t> tokens; ///< as they were generated
    std::int64_t places = 0;
    std::size_t kernels = 0;
    double compiling = 0; ///< seconds
    double otherLoad = 0; ///< as in measure::Measurement
    bool disturbed = false;

    double tokensPerSecond() const { return measure::perSecond(seconds); }
};

/// {"tokens_per_second", "seconds": [of each], "tokens", "places", "kernels", "compile_seconds",
/// "other_load", "disturbed"}
support::Json toJson(const Generated &found);

/// A timed model, beside its times.
struct BenchFigures {
    double compiling = 0; ///< seconds
    std::int64_t memoryBytes = 0, processBytes = 0;
    std::optional<measure::Speedup> speedup{}; ///< over the schedules that it is compared with
    std::vector<measure::Speedup> kernels{};   ///< where it is compared
};
/// session::toJson of the times with "compile_seconds", "memory_bytes", "process_bytes" and, where it is
/// compared, "speedup", of each kernel, too.
support::Json toJson(const session::ModelTimes &times, const BenchFigures &figures);

/// Lines that tell how far a command is, for whoever waits: {"compiled", "of"}, {"ran", "of"}, {"token",
/// "of", "seconds"}.
support::Json compiledLine(std::size_t done, std::size_t all);
support::Json runLine(std::size_t done, int all);
support::Json tokenLine(std::size_t done, int all, double seconds);

} // namespace nestwright::workbench
