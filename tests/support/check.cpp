// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check.h"

#include "core/analysis/access/unwritten.h"
#include "core/analysis/kernel/allocation_plan.h"
#include "core/analysis/kernel/reduction.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "tests/support/extremes.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::tests {

namespace {

struct Tolerance {
    double relative, absolute;
};

/// How far another order may lead a sum of `terms` numbers in a type of this unit roundoff u, where rounding
/// errors are chance (N. J. Higham and T. Mary, SIAM J. Sci. Comput. 41(5), 2019). Of terms of one sign, by
/// (min(n, 4√n) + 1)·u of the sum (as core/measure/error_bounds.h has it). Of n numbers uniform in [-1, 1),
/// as arguments are, an addition errs by u·s/√3, s the sum so far, whose square is k/3 after k terms:
/// together u·n/√18 is the standard deviation, of which four, rounded up, count.
Tolerance deviationOfSum(double unitRoundoff, std::int64_t terms)
{
    const auto n = static_cast<double>(terms);
    return {(std::min(n, 4 * std::sqrt(n)) + 1) * unitRoundoff, n * unitRoundoff};
}

/// Wide enough for another order of the sums in the programs of tests. Types of sixteen bits have so few
/// digits that their sums need more the longer they are.
Tolerance toleranceOf(ir::DataType dtype, std::int64_t terms)
{
    const auto atLeast = [&](Tolerance least, double unitRoundoff) -> Tolerance {
        const Tolerance sum = deviationOfSum(unitRoundoff, terms);
        return {std::max(least.relative, sum.relative), std::max(least.absolute, sum.absolute)};
    };
    if (!dtype.isFloating())
        return {0, 0};
    if (dtype.code == ir::TypeCode::BFloat)
        return atLeast({1e-1, 1e-1}, 0x1p-8);
    switch (dtype.bits) {
    case 16: return atLeast({2e-2, 2e-2}, 0x1p-11);
    case 32: return {1e-4, 1e-5};
    default: return {1e-10, 1e-12};
    }
}

/// The size that a parameter stands for in the shape of an array, if it does.
std::optional<std::int64_t> sizeNamed(const ir::Var &variable, const ir::PrimFunc &function,
                                      const std::vector<ir::NdArray> &arrays)
{
    std::size_t at = 0;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        const std::vector<std::int64_t> &shape = arrays[at++].shape();
        for (std::size_t i = 0; i < shape.size() && i < param.buffer.shape().size(); ++i) {
            if (param.buffer.shape()[i].as<ir::VarNode>() == variable.get())
                return shape[i];
        }
    }
    return std::nullopt;
}

std::vector<std::int64_t> randomScalars(const ir::PrimFunc &function, const std::vector<ir::NdArray> &arrays,
                                        std::uint64_t seed)
{
    std::vector<std::int64_t> scalars;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            continue;
        ir::NdArray value(param.var.dtype().isFloating() ? ir::DataType::float_(64) : ir::DataType::int64(),
                          {1});
        value.fillRandom(seed + scalars.size());
        const auto size = sizeNamed(param.var, function, arrays);
        scalars.push_back(size ? *size : *value.data<std::int64_t>());
    }
    return scalars;
}

bool hasThreads(const ir::PrimFunc &function)
{
    bool found = false;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        found = found || s.as<ir::AttrStmt>() || (loop && loop->forKind == ir::ForKind::ThreadBinding);
        return !found;
    });
    return found;
}

std::optional<std::string> runOn(const ir::PrimFunc &function, std::vector<ir::NdArray> &arrays,
                                 const std::vector<std::int64_t> &scalars, const interp::Limits &limits,
                                 const char *which)
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    const auto done = interp::run(function, pointers, scalars, limits);
    if (done)
        return std::nullopt;
    return std::format("the {} function does not run: {}", which, done.error().render());
}

/// Whether the function itself reads no memory that nobody wrote; `arguments` change.
bool writesBeforeItReads(const ir::PrimFunc &function, std::vector<ir::NdArray> &arguments,
                         const std::vector<std::int64_t> &scalars, interp::Limits limits)
{
    limits.findUnwritten = true;
    limits.findRaces = false;
    return !runOn(function, arguments, scalars, limits, "expected");
}

} // namespace

std::int64_t termsOf(const ir::PrimFunc &function)
{
    return analysis::longestReduction(function, [](const ir::Expr &extent) {
        const std::int64_t *number = ir::asInt(extent);
        return number ? std::optional(*number) : std::nullopt;
    });
}

std::optional<std::string> whyNotClose(const ir::NdArray &expected, const ir::NdArray &actual,
                                       bool exactFloats, std::int64_t terms)
{
    const Tolerance tolerance = exactFloats ? Tolerance{0, 0} : toleranceOf(expected.dtype(), terms);
    const ir::Deviation worst = ir::compare(expected, actual, tolerance.relative, tolerance.absolute);
    if (worst.withinTolerance)
        return std::nullopt;
    return std::format("element {} is {}, expected {}", worst.index, worst.actual, worst.expected);
}

std::optional<std::string> whyNotEquivalent(const ir::PrimFunc &expected, const ir::PrimFunc &actual,
                                            const Equivalence &options)
{
    const std::int64_t terms = termsOf(expected);
    for (int i = 0; i < options.runs; ++i) {
        const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
        auto arguments = interp::makeArguments(expected, seed, options.sizes);
        if (!arguments)
            return "no arguments can be made: " + arguments.error().render();
        if (options.extremes)
            addExtremes(*arguments, seed);
        std::vector<ir::NdArray> ours = *arguments, begin = *arguments;
        const std::vector<std::int64_t> scalars = randomScalars(expected, *arguments, seed);
        interp::Limits limits;
        limits.vectorScale = 3 + i;
        if (auto why = runOn(expected, *arguments, scalars, limits, "expected"))
            return why;
        limits.findRaces = options.findRaces || !hasThreads(actual);
        limits.outputs = analysis::pureOutputs(expected);
        // Threads that do not meet before lowering run one by one: what others write comes too late then.
        limits.findUnwritten = options.findUnwritten && !hasThreads(actual)
                               && writesBeforeItReads(expected, begin, scalars, limits);
        limits.ownMemories = analysis::memoriesOfRounds(actual);
        if (auto why = runOn(actual, ours, scalars, limits, "actual"))
            return why;
        std::size_t at = 0;
        for (const ir::Param &param : expected.params) {
            if (!param.buffer)
                continue;
            if (auto why = whyNotClose((*arguments)[at], ours[at], options.exactFloats, terms))
                return std::format("'{}' differs (seed {}): {}", param.buffer.name(), seed, *why);
            ++at;
        }
    }
    return std::nullopt;
}

std::optional<std::string> whyNotEquivalent(const ir::Module &expected, const ir::Module &actual,
                                            const Equivalence &options)
{
    const bool single = expected.functions().size() == 1 && actual.functions().size() == 1;
    for (const ir::Module::Entry &entry : expected.functions()) {
        const ir::Function other = single ? actual.functions().front().function : actual.find(entry.name);
        if (!other)
            return "there is no function '" + entry.name + '\'';
        if (auto why = whyNotEquivalent(*entry.function, *other, options))
            return why;
    }
    return std::nullopt;
}

bool checkEquivalent(const ir::Module &expected, const ir::Module &actual, const Equivalence &options,
                     std::source_location where)
{
    const auto why = whyNotEquivalent(expected, actual, options);
    return QTest::qVerify(!why, "checkEquivalent", why.value_or("").c_str(), where.file_name(),
                          static_cast<int>(where.line()));
}

} // namespace nestwright::tests
