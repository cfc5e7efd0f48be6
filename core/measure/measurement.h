// SPDX-License-Identifier: Apache-2.0
/// The measurement of one variant: samples, interval, verdict, or the reason why there is none.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::measure {

/// A median with a 95 % bootstrap interval; seconds unless said otherwise.
struct Interval {
    double low = 0, median = 0, high = 0;
};

enum class Verdict : std::uint8_t {
    Verified,    ///< equal to the unscheduled program within the tolerance
    Wrong,       ///< differs; `failure` names the worst element
    NotVerified, ///< nothing to compare with yet, or it did not run
};

/// Stage at which a variant failed.
enum class Failure : std::uint8_t {
    None,
    Compile,
    Crash,
    TimeOut,
    Memory,
    WrongResult,
    Cancelled,
    Worker,
    Impossible, ///< the time is one that the machine cannot reach, and was confirmed
};

/// How this variant compares with the first one of the same interleaved run, as a ratio of times (> 1 is
/// faster).
struct Speedup {
    Interval ratio;
    bool significant = false; ///< outside the noise of the A/A run
};

/// Events that the system counted while the kernel ran, of all its threads (perf_counters.h).
struct Counters {
    std::map<std::string, double> counts; ///< of one call, by the event's name
    std::string absent;                   ///< which are missing, and why; empty where none is
};

/// An argument of a kernel that a person gives, as a NumPy file.
struct GivenInput {
    std::string path;
    std::uint64_t content = 0; ///< of the array as it was read last (contentOf); 0: it was not read yet
    bool operator==(const GivenInput &) const = default;
};
using GivenInputs = std::map<std::string, GivenInput>; ///< by the argument's name; the others are random

/// One variant's result on one target with one number of threads.
struct Measurement {
    std::vector<double> samples; ///< seconds per call, one per repetition, in the order taken
    Interval time;
    Verdict verdict = Verdict::NotVerified;
    /// Difference from the results of the unscheduled program, as in largestRelativeDifference; nothing where
    /// it is not verified, or is that program.
    std::optional<double> difference{};
    /// The largest part of what rounding may do to an element (error_bounds.h) that its error takes; nothing
    /// where it is not verified, is that program, or has no such bounds.
    std::optional<double> boundShare{};
    std::string evidence{}; ///< the inputs that it was checked with, for a person
    Failure failed = Failure::None;
    std::optional<support::Diagnostic> failure; ///< set exactly when `failed` is not None
    double flops = 0;        ///< floating-point operations of one call, from the definition
    double peakFraction = 0; ///< of the machine's multiply-add peak for these threads; 0 when not known
    double bytes = 0;        ///< bytes of all arguments: compulsory traffic
    double writtenBytes = 0; ///< that each call has to write, as far as is known
    int threads = 1;
    bool final = false; ///< false: a first quick estimate that a longer run will replace
    std::optional<Speedup> speedup;
    std::optional<Counters> counters{}; ///< where they were asked for
    GivenInputs inputs{};
    double otherLoad = 0;   ///< processors that other programs kept busy while it was timed
    bool disturbed = false; ///< by them: the times are longer than the machine needs
    bool stored = false;    ///< a file says so; it was not measured by this program since

    /// Whether it was found here to compute the results of the unscheduled program, in a time that can be.
    bool isVerified() const { return verdict == Verdict::Verified && failed == Failure::None && !stored; }
    bool ok() const { return failed == Failure::None && time.median > 0; }
    /// GFLOPS of the median, and of the interval's slow and fast ends; 0 without FLOPs or time.
    double gflops() const { return ok() ? flops / time.median * 1e-9 : 0; }
    double gflopsLow() const { return ok() ? flops / time.high * 1e-9 : 0; }
    double gflopsHigh() const { return ok() ? flops / time.low * 1e-9 : 0; }
};

} // namespace nestwright::measure
