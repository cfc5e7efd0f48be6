// SPDX-License-Identifier: Apache-2.0
/// The results of the reference for each set of arguments, and the judgement of a candidate's by them.
#pragma once

#include "core/measure/verify/comparison.h"
#include "core/measure/worker/kernel_process.h"

#include <memory>
#include <optional>
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
    /// Bytes that each call has to write.
    double overwrittenBytes() const;

    Expected of(std::size_t buffer, const MeasureRequest &request) const;
};

/// Results kept between requests with the same key.
class References {
public:
    /// Results for the set. Errors: those of running the reference; "measure.unwritten": they change with
    /// what is in memory that it has not written.
    support::Result<const ReferenceResults *> find(const MeasureRequest &request, std::size_t set,
                                                   Teller &teller);

private:
    std::string m_key;
    std::vector<std::unique_ptr<ReferenceResults>> m_sets;
};

/// Sets every byte of what is written to `pattern`, if the reference overwrites all of it.
void spoil(std::vector<ir::NdArray> &arguments, const ReferenceResults &reference, std::byte pattern);

/// The same with one element of each such buffer that nobody can foretell spoiled, where `after` is what a
/// call of `before` left: a kernel that looks there for what it has done finds nearly all of it.
std::vector<ir::NdArray> nearlyDone(std::vector<ir::NdArray> before, const std::vector<ir::NdArray> &after,
                                    const ReferenceResults &reference);

/// How near results are that are right.
struct Judgement {
    double difference = 0;       ///< the largest relative one
    std::optional<double> share; ///< of their bounds, the largest; nothing where there are none
};

/// Compares all arguments after calls, those that are only read bit by bit. Errors: "measure.wrong-result".
support::Result<Judgement> judged(const MeasureRequest &request, const KernelFile &kernel, std::size_t set,
                                  const ReferenceResults &reference, const std::vector<ir::NdArray> &before,
                                  const std::vector<ir::NdArray> &after);

/// A buffer whose every element each call writes, another one with each call of this; nothing where there is
/// none.
std::optional<std::size_t> drawnOverwritten(const ReferenceResults &reference);
/// Error "measure.wrong-result" of a call that left an element as it was.
support::Diagnostic leftAsItWas(const KernelFile &kernel, std::size_t buffer, const std::string &indices);

struct Evidence {
    std::string text;   ///< "small numbers; NaN and infinities", and which set cannot tell
    bool tells = false; ///< some set tells a right kernel from a wrong one
};
Evidence evidenceOf(const MeasureRequest &request, const std::vector<const ReferenceResults *> &references);

} // namespace nestwright::measure
