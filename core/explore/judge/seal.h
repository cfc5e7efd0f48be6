// SPDX-License-Identifier: Apache-2.0
/// The seal of a scheduled program: equal to the unscheduled one for every input, rounding apart.
///
/// Both run in the interpreter with every floating-point value read as an element of the field of 2^61 - 1
/// (interp::Field), on random elements. Sums, products and quotients are exact there, so that two programs
/// that are the same formula agree whatever their order of adding, and two that are not agree with a
/// probability of at most degree / 2^61 for each element: J. T. Schwartz, "Fast probabilistic algorithms for
/// verification of polynomial identities", JACM 27 (1980); R. Zippel, "Probabilistic algorithms for sparse
/// polynomials", EUROSAM (1979). Judging tensor programs so: M. Wu et al., "Mirage: a multi-level
/// superoptimizer for tensor programs", OSDI 2025. Functions such as exp are unknown ones here: what rests on
/// exp(a) * exp(b) = exp(a + b) differs. Coefficients that 2^61 - 1 divides are not seen.
///
/// Comparisons follow an order of the values that is drawn at random, and integer data are drawn too: there
/// equality is that of all numbers with the same outcomes of comparisons and with these integers, in several
/// draws. Where conditions depend on values, some draws take constants of the programs, 0, infinity, NaN, or
/// equal values in several places. The result of an operation on NaN and that of a division by 0 count as
/// numbers like any other.
///
/// Iterations of parallel loops may run at the same time: the interpreter looks for races between them, and
/// for reads of integers that were never written, since neither shows in the values.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/target/target.h"

#include <map>
#include <stop_token>
#include <string>

namespace nestwright::explore {

struct SealOptions {
    std::uint64_t seed = 1;
    std::map<std::string, std::int64_t> sizes{}; ///< symbolic ones; others are small primes
    std::int64_t steps = 2'000'000'000;          ///< of the interpreter, for each program
    target::Target target{};                     ///< whose rules a script's own intrinsics follow
    std::stop_token stop{};
};

struct Seal {
    enum class Outcome : std::uint8_t { Equal, Differs, DoesNotApply };
    Outcome outcome = Outcome::Equal;
    support::Diagnostic reason{}; ///< of all but Equal
    bool isOfOrder = false;       ///< values are compared: in the orders that were drawn
    bool isOfIntegers = false;    ///< integers are data: those that were drawn
    int draws = 0;                ///< of inputs
    double seconds = 0;

    /// "equal for every input", or what restricts it.
    std::string claim() const;
};

/// Compares all functions that both modules have, in all their buffers. Errors only "cancelled".
support::Result<Seal> seal(const ir::Module &unscheduled, const ir::Module &scheduled,
                           const SealOptions &options = {});

/// Whether both take the same buffers, as long as one comes of the other by steps: one that lays a parameter
/// out anew makes a new buffer.
bool keepsBuffers(const ir::Module &before, const ir::Module &after);

/// Differences say nothing where a parameter was laid out anew.
void withdraw(Seal &seal);

} // namespace nestwright::explore
