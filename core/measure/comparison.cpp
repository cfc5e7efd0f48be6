// SPDX-License-Identifier: Apache-2.0
#include "core/measure/comparison.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::measure {

using ir::NdArray;

namespace {

/// Rounding errors of a sum of n terms grow with the root of n where their signs are chance; this many times
/// that is allowed.
constexpr double sumAllowance = 2;
/// Times the largest error of the reference: another order of the same sum may be less lucky.
constexpr double referenceAllowance = 4;

/// Of all lanes of all elements.
std::int64_t numbersIn(const NdArray &array) { return array.size() * array.dtype().lanes; }

double rootMeanSquare(const NdArray &array)
{
    double sum = 0;
    for (std::int64_t i = 0; i < numbersIn(array); ++i) {
        const double value = array.at(i);
        sum += std::isfinite(value) ? value * value : 0;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::int64_t>(1, numbersIn(array))));
}

double largestDifference(const NdArray &a, const NdArray &b)
{
    double largest = 0;
    for (std::int64_t i = 0; i < numbersIn(a); ++i) {
        const double difference = std::abs(a.at(i) - b.at(i));
        if (std::isfinite(difference))
            largest = std::max(largest, difference);
    }
    return largest;
}

bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

} // namespace

double unitRoundoff(ir::DataType dtype)
{
    if (dtype.code == ir::TypeCode::BFloat)
        return 0x1p-8;
    if (dtype.code != ir::TypeCode::Float)
        return 0;
    return dtype.bits == 16 ? 0x1p-11 : dtype.bits == 32 ? 0x1p-24 : 0x1p-53;
}

std::optional<Excess> firstExcess(const NdArray &expected, const NdArray &actual, const Tolerance &tolerance,
                                  const NdArray *precise)
{
    const double unit = unitRoundoff(expected.dtype());
    const bool isExact = unit == 0;
    const double size = isExact ? 0 : rootMeanSquare(expected);
    const double referenceError = precise && !isExact ? largestDifference(expected, *precise) : 0;
    const double ofSum = sumAllowance * unit * std::sqrt(static_cast<double>(tolerance.terms));
    const double absolute = precise ? referenceAllowance * referenceError + tolerance.absolute * size
                                    : std::max(tolerance.absolute, ofSum) * size;
    const double relative = std::max(tolerance.relative, 2 * unit);
    if (!precise && ir::compare(expected, actual, isExact ? 0 : relative, absolute).withinTolerance)
        return std::nullopt;
    std::optional<Excess> worst;
    double worstFactor = 0;
    const std::int64_t lanes = expected.dtype().lanes;
    for (std::int64_t i = 0; i < numbersIn(expected); ++i) {
        const double want = expected.at(i), got = actual.at(i);
        if (isSame(want, got))
            continue;
        const double centre = precise && std::isfinite(want) ? precise->at(i) : want;
        const double bound = isExact ? 0 : absolute + relative * std::abs(centre);
        const double difference = std::abs(got - centre);
        if (difference <= bound && std::isfinite(want))
            continue;
        const double factor = std::isfinite(difference) ? difference / (bound + 1e-300) : 1e308;
        if (worst && factor <= worstFactor)
            continue;
        worstFactor = factor;
        worst =
            Excess{i / lanes,     want, got, bound, precise ? std::optional(precise->at(i)) : std::nullopt,
                   referenceError};
    }
    return worst;
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
    const double centre = excess.precise.value_or(excess.expected);
    if (excess.precise)
        text += std::format(" and double precision {:.7g}", *excess.precise);
    text += std::format("; it is off by {:.2g}, and {} with sums of {} term{} allows {:.2g}",
                        std::abs(excess.actual - centre), dtype.element().str(), tolerance.terms,
                        tolerance.terms == 1 ? "" : "s", excess.bound);
    if (excess.precise)
        text +=
            std::format(" (the unscheduled program itself is off by up to {:.2g})", excess.referenceError);
    return text;
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
