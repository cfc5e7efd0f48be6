// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/comparison.h"

#include "core/ir/exact_integers.h"
#include "core/measure/codes.h"
#include "core/measure/verify/error_bounds.h"
#include "core/measure/worker/kernel_arrays.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>

namespace nestwright::measure {

using ir::NdArray;

namespace {

/// Rounding errors of a sum of n terms grow with the root of n where their signs are chance; this many times
/// that is allowed.
constexpr double sumAllowance = 2;
/// Times the error of the reference at the same element: another order of the same sum may be less lucky.
constexpr double referenceAllowance = 4;

double rootMeanSquare(const NdArray &array)
{
    double sum = 0;
    for (std::int64_t i = 0; i < numbersIn(array); ++i) {
        const double value = array.at(i);
        sum += std::isfinite(value) ? value * value : 0;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::int64_t>(1, numbersIn(array))));
}

bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The values that an element may have.
struct Allowed {
    double centre = 0;
    double bound = 0;           ///< infinite: any value
    double most = 0;            ///< the largest number of the type; numbers beyond may have become infinite
    bool hasOverflowed = false; ///< on the way, in the declared type: numbers beyond the bound are not finite
    bool isAnything() const { return std::isinf(bound); }
    bool tells() const { return !isAnything() && !hasOverflowed; }
    bool takes(double got) const
    {
        if (hasOverflowed)
            return !std::isfinite(got) || std::abs(got - centre) <= bound;
        if (isAnything() || isSame(got, centre))
            return true;
        if (!std::isfinite(centre))
            return false;
        const bool mayOverflow = std::isinf(got) && std::abs(centre) + bound >= most;
        return std::abs(got - centre) <= bound || (mayOverflow && std::signbit(got) == std::signbit(centre));
    }
};

double largestOf(ir::DataType dtype)
{
    if (dtype.code == ir::TypeCode::Float && dtype.bits == 16)
        return 65504;
    return dtype.bits == 64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

/// Types of sixteen bits have so few digits that the bound of a long sum whose terms cancel is larger than
/// the sum. Among as many elements as these the reference's largest error says more: so many times that.
constexpr std::int64_t enoughElements = 16;
constexpr double shortAllowance = 16;

/// The most that bounds may be besides some units of the element itself; infinite where that is not known.
double capOf(const Expected &expected)
{
    const bool isShort = unitRoundoff(expected.results.dtype()) > 0x1p-20;
    if (!isShort || !expected.bounds || numbersIn(expected.results) < enoughElements)
        return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::int64_t i = 0; i < numbersIn(expected.results); ++i) {
        const double error = std::abs(expected.results.at(i) - expected.precise->at(i));
        largest = std::isfinite(error) ? std::max(largest, error) : largest;
    }
    return shortAllowance * largest;
}

/// Numbers of the type nearer to 0 than this may become 0 even where they are only copied: instructions that
/// make bfloat16 of float32 (Intel's VCVTNEPS2BF16) do that whatever the mode.
double flushedBelow(ir::DataType dtype) { return dtype.code == ir::TypeCode::BFloat ? 0x1p-126 : 0; }

/// The most that rounding is taken to move a result, or what cancels on the way to it, where its bound is not
/// known, relative to its size.
constexpr double mostRelative = 0.1;

/// How far the finite results of other orders may be from `want` where the reference has overflowed on the
/// way: a sum of n terms whose parts stay below `most` is off by n units of that.
double boundOfFinite(double want, double most, double unit, std::int64_t terms)
{
    const double ofTerms = referenceAllowance * unit * static_cast<double>(terms - 1);
    return std::min(mostRelative, shortAllowance * unit + ofTerms) * std::abs(want)
           + std::min(mostRelative, ofTerms) * most;
}

/// The bound of an element, from that of its rounding errors.
Allowed withBound(const Expected &expected, std::int64_t i, const Tolerance &tolerance, double most,
                  double cap)
{
    const double want = expected.precise->at(i), plain = expected.results.at(i);
    const double unit = unitRoundoff(expected.results.dtype()), relative = tolerance.relative;
    constexpr double anything = std::numeric_limits<double>::infinity();
    double bound = expected.bounds->at(i);
    if (std::isfinite(want)) {
        if (!std::isfinite(plain))
            return {want, boundOfFinite(want, most, unit, tolerance.terms), most, true};
        if (std::isfinite(bound))
            bound = std::min(bound, cap + shortAllowance * unit * std::abs(want));
        bound = std::max(bound, referenceAllowance * std::abs(plain - want)) + relative * std::abs(want)
                + flushedBelow(expected.results.dtype());
    } else if (!isSame(plain, want)) {
        bound = anything;
    }
    return {want, std::isnan(bound) ? anything : bound, most};
}

/// The values that each element may have, by its number.
auto allowanceOf(const Expected &expected, const Tolerance &tolerance)
{
    const ir::DataType dtype = expected.results.dtype();
    const double unit = unitRoundoff(dtype);
    const double size = unit == 0 || expected.bounds ? 0 : rootMeanSquare(expected.results);
    const double ofSum = sumAllowance * unit * std::sqrt(static_cast<double>(tolerance.terms));
    const double absolute = unit == 0 ? 0 : std::max(tolerance.absolute, ofSum) * size;
    const double relative = unit == 0 ? 0 : std::max(tolerance.relative, 2 * unit);
    return [&expected, tolerance, absolute, relative, most = largestOf(dtype),
            cap = capOf(expected)](std::int64_t i) -> Allowed {
        if (expected.bounds)
            return withBound(expected, i, tolerance, most, cap);
        const double want = expected.results.at(i);
        return {want, std::isfinite(want) ? absolute + relative * std::abs(want) : 0, most};
    };
}

/// The part of `bound` that the error of `got` takes; 0 where the bound or the error is not finite.
double shareOf(const Allowed &allowed, double got, double bound)
{
    const double error = std::abs(got - allowed.centre);
    return !allowed.tells() || !std::isfinite(error) || error == 0 || bound == 0 ? 0 : error / bound;
}

} // namespace

Expected expectedOf(std::size_t buffer, std::span<const NdArray> results, std::span<const NdArray> precise,
                    std::span<const NdArray> bounds, std::span<const std::size_t> bounded)
{
    const auto place = std::ranges::find(bounded, buffer);
    if (place == bounded.end() || bounds.empty())
        return {results[buffer]};
    return {results[buffer], &precise[buffer], &bounds[static_cast<std::size_t>(place - bounded.begin())]};
}

Comparison compared(const Expected &expected, const NdArray &actual, const Tolerance &tolerance)
{
    if (!expected.bounds && std::ranges::equal(expected.results.bytes(), actual.bytes()))
        return {};
    const bool isExact = unitRoundoff(actual.dtype()) == 0 && !expected.bounds; // also beyond 53 bits
    const auto allowance = allowanceOf(expected, tolerance);
    Comparison result;
    double worstFactor = 0;
    const std::int64_t lanes = actual.dtype().lanes;
    for (std::int64_t i = 0; i < numbersIn(actual); ++i) {
        const Allowed allowed = allowance(i);
        const double got = actual.at(i);
        if (expected.bounds)
            result.largestShare =
                std::max(result.largestShare, shareOf(allowed, got, expected.bounds->at(i)));
        if (isExact ? ir::integerAt(actual, i) == ir::integerAt(expected.results, i) : allowed.takes(got))
            continue;
        const double difference = std::abs(got - allowed.centre);
        const double factor = std::isfinite(difference) ? difference / (allowed.bound + 1e-300) : 1e308;
        if (result.excess && factor <= worstFactor)
            continue;
        worstFactor = factor;
        result.excess = Excess{i / lanes, expected.results.at(i), got, allowed.bound,
                               expected.precise ? std::optional(expected.precise->at(i)) : std::nullopt};
    }
    return result;
}

std::optional<Excess> firstExcess(const Expected &expected, const NdArray &actual, const Tolerance &tolerance)
{
    return compared(expected, actual, tolerance).excess;
}

Telling tellingOf(const Expected &expected)
{
    const auto allowance = allowanceOf(expected, {.relative = 0, .absolute = 0, .terms = 1});
    Telling telling;
    std::optional<double> first;
    for (std::int64_t i = 0; i < numbersIn(expected.results); ++i) {
        const Allowed allowed = allowance(i);
        ++telling.elements;
        if (!allowed.tells())
            continue;
        ++telling.told;
        telling.allEqual = telling.allEqual && (!first || isSame(*first, allowed.centre));
        first = first.value_or(allowed.centre);
    }
    return telling;
}

void Telling::add(const Telling &other)
{
    elements += other.elements;
    told += other.told;
    allEqual = allEqual && other.allEqual;
}

support::Diagnostic tellNothing()
{
    return support::diagnostic(codes::untold,
                               "not verified: for none of the inputs that were tried does the "
                               "unscheduled program give a number that rounding leaves as it is")
        .withHint("give it inputs for which it does, with --in or in the window's inputs, or compute in a "
                  "wider type");
}

double largestRelativeDifference(const NdArray &expected, const NdArray &actual)
{
    const double size = rootMeanSquare(expected);
    double largest = 0;
    for (std::int64_t i = 0; i < numbersIn(expected); ++i) {
        const double want = expected.at(i), difference = std::abs(actual.at(i) - want);
        if (difference > 0 && std::isfinite(difference))
            largest = std::max(largest, difference / std::max(size, std::abs(want)));
    }
    return largest;
}

std::string describeDifference(double relative)
{
    return relative == 0 ? "no difference" : std::format("largest relative difference {:.1e}", relative);
}

std::string describe(const Excess &excess, const std::string &element, ir::DataType dtype,
                     const Tolerance &tolerance)
{
    std::string text = std::format("wrong result: '{}' is {:.7g}, but the unscheduled program gives {:.7g}",
                                   element, excess.actual, excess.expected);
    if (unitRoundoff(dtype) == 0 || !std::isfinite(excess.expected) || !std::isfinite(excess.actual))
        return text;
    if (excess.precise)
        return text
               + std::format(
                   " and double precision {:.7g}; it is off by {:.2g}, and rounding in {} allows {:.2g} "
                   "there",
                   *excess.precise, std::abs(excess.actual - *excess.precise), dtype.element().str(),
                   excess.bound);
    return text
           + std::format("; it is off by {:.2g}, and {} with sums of {} term{} allows {:.2g}",
                         std::abs(excess.actual - excess.expected), dtype.element().str(), tolerance.terms,
                         tolerance.terms == 1 ? "" : "s", excess.bound);
}

std::string elementIndices(std::int64_t flat, const std::vector<std::int64_t> &shape)
{
    std::string text;
    for (std::size_t i = shape.size(); i-- > 0;) {
        text.insert(0, std::to_string(flat % shape[i]) + (text.empty() ? "" : ", "));
        flat /= shape[i];
    }
    return '[' + text + ']';
}

} // namespace nestwright::measure
