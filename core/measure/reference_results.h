// SPDX-License-Identifier: Apache-2.0
/// The results of the reference for each set of arguments, and the judgement of a candidate's by them.
#pragma once

#include "core/measure/comparison.h"
#include "core/measure/kernel_process.h"

#include <memory>
#include <string>
#include <vector>

namespace nestwright::measure {

/// The results for one set, in memory that no process of a kernel has.
struct ReferenceResults {
    std::vector<ir::NdArray> results; ///< all arguments after a call
    std::vector<ir::NdArray> precise; ///< the same in double precision, empty without bounds
    std::vector<ir::NdArray> bounds;  ///< of the buffers that `bounded` names
    /// The results do not depend on what was in the buffers that are written.
    bool overwritesAll = false;
    std::vector<bool> changes; ///< of each buffer: the reference writes to it

    Expected of(std::size_t buffer, const MeasureRequest &request) const;
};

/// Results kept between requests with the same key.
class References {
public:
    /// Results for the set. Errors: those of running the reference.
    support::Result<const ReferenceResults *> find(const MeasureRequest &request, std::size_t set,
                                                   Teller &teller);

private:
    std::string m_key;
    std::vector<std::unique_ptr<ReferenceResults>> m_sets;
};

/// Sets every byte of what is written to `pattern`, if the reference overwrites all of it.
void spoil(std::vector<ir::NdArray> &arguments, const ReferenceResults &reference, std::byte pattern);

/// How near results are that are right.
struct Judgement {
    double difference = 0;       ///< the largest relative one
    std::optional<double> share; ///< of their bounds, the largest; nothing where there are none
};

/// Compares all arguments after calls, those that are only read bit by bit. Errors: "measure.wrong-result".
support::Result<Judgement> judged(const MeasureRequest &request, const KernelFile &kernel, std::size_t set,
                                  const ReferenceResults &reference, const std::vector<ir::NdArray> &before,
                                  const std::vector<ir::NdArray> &after);

/// "small numbers; NaN and infinities", and which set cannot tell a right kernel from a wrong one.
std::string evidenceOf(const MeasureRequest &request,
                       const std::vector<const ReferenceResults *> &references);

} // namespace nestwright::measure
