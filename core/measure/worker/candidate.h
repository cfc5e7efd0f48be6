// SPDX-License-Identifier: Apache-2.0
/// A candidate on its way through checking and timing, in a process of its own from the first call to the
/// last.
#pragma once

#include "core/measure/verify/reference_results.h"

#include <optional>

namespace nestwright::measure {

class Candidate {
public:
    Candidate(const MeasureRequest &request, const KernelFile &file, Teller &teller);

    /// Calls it with all sets of arguments and compares what it leaves, what was spoiled before among it.
    void check(References &references);
    /// A verified one is made ready to be timed.
    support::Result<void> prepare(References &references);
    /// Finds how many calls and samples it gets. One call of a slow one is its first sample.
    support::Result<void> firstLook(References &references);
    /// One more sample, and calls that show whether it does its work each time.
    support::Result<void> repeat(References &references);
    /// Seconds of one call, of so many.
    support::Result<double> timed(std::int64_t iterations) { return m_process->time(0, iterations); }
    /// Checks the results of the last calls as well. Error "measure.wrong-result".
    support::Result<void> checkLastCall(References &references);
    /// Ends its process; its result stays.
    void end() { m_process.reset(); }

    /// Whether it was checked, and nothing was wrong; the verdict also asks whether the inputs could tell.
    bool isRight() const { return m_isRight; }
    bool isReference() const;
    bool isComplete() const { return result.samples.size() >= m_samples; }
    bool isSlow() const { return m_isSlow; }
    std::int64_t iterations() const { return m_iterations; }
    pid_t process() const { return m_process ? m_process->process() : -1; }
    const KernelFile &file() const { return m_file; }
    void failWith(const support::Diagnostic &reason);

    Measurement result;

private:
    support::Result<void> start();
    /// Calls it with what m_before has.
    support::Result<void> checkCall(std::size_t set, const ReferenceResults &reference, std::byte filling);
    /// Arguments of the set in `m_before`, what is overwritten spoiled.
    void fill(std::size_t set, const ReferenceResults &reference, std::byte pattern);
    support::Result<void> checkSet(std::size_t set, const ReferenceResults &reference, std::byte pattern);
    /// Calls it where all but one element of its results are there from the call before.
    support::Result<void> checkNearlyDone(std::size_t set, const ReferenceResults &reference);
    /// Calls it many times, where that takes little time, to find calls that skip their work.
    support::Result<void> audit(References &references);
    support::Result<void> compareShown(std::size_t set, const ReferenceResults &reference);
    support::Result<void> takeSpoiled(References &references, std::byte pattern);

    const MeasureRequest &m_request;
    const KernelFile &m_file;
    Teller &m_teller;
    std::optional<KernelProcess> m_process;
    std::vector<ir::NdArray> m_before;   ///< the arguments of the calls that are compared next
    std::optional<std::size_t> m_filled; ///< the set that they are of
    std::int64_t m_iterations = 1;       ///< calls in a sample
    std::size_t m_samples = 0;           ///< how many are wanted
    bool m_isRight = false;              ///< it was checked, and nothing was wrong
    bool m_isSlow = false;               ///< there is no time for all repetitions
};

} // namespace nestwright::measure
