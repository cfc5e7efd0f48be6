// SPDX-License-Identifier: Apache-2.0
/// Programs of a vector A, a scalar s and a vector B: results as they are and with bounds on rounding errors.
#pragma once

#include "core/interp/interpreter.h"
#include "core/measure/verify/error_bounds.h"
#include "tests/support/programs.h"

#include <QTest>

#include <array>
#include <bit>
#include <format>
#include <string>
#include <vector>

namespace nestwright::tests {

inline const ir::DataType float64 = ir::DataType::float_(64);

/// B[vi] = `value` of A[vi], a vector of 8, and of the scalar s.
inline ir::Module computing(const std::string &value, const std::string &type = "float16")
{
    return parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8,), "{1}"), s: T.{1}, B: T.Buffer((8,), "{1}")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = {0}
)",
                              value, type));
}

/// B of a program, with its bounds.
struct Results {
    std::vector<double> values, bounds;
};

inline ir::NdArray vectorOf(ir::DataType dtype, const std::vector<double> &values)
{
    ir::NdArray array(dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), values[i]);
    return array;
}

inline std::vector<double> numbersOf(const ir::NdArray &array)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < array.size(); ++i)
        numbers.push_back(array.at(i));
    return numbers;
}

/// A = -3.5, -2.5, … and s = 1.25.
inline const std::vector<double> someNumbers{-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5};

/// B of the program in float64 for the numbers A.
inline Results boundedResults(const ir::Module &module, const std::vector<double> &numbers = someNumbers)
{
    const auto bounded = measure::withErrorBounds(module, "main");
    if (!bounded || bounded->bounded != std::vector<std::size_t>{1})
        return {};
    ir::NdArray a = vectorOf(float64, numbers), b(float64, {8}), bounds(float64, {8});
    const std::int64_t scalar = std::bit_cast<std::int64_t>(1.25);
    const auto ran =
        interp::run(*bounded->module.find("main"), std::array{&a, &b, &bounds}, std::array{scalar});
    if (!ran)
        qFatal("%s", ran.error().render().c_str());
    return {numbersOf(b), numbersOf(bounds)};
}

inline std::vector<double> preciseResults(const ir::Module &module) { return boundedResults(module).values; }

/// B of the program as it is.
inline std::vector<double> plainResults(const ir::Module &module, ir::DataType dtype,
                                        const std::vector<double> &numbers = someNumbers)
{
    ir::NdArray a = vectorOf(dtype, numbers), b(dtype, {8});
    const std::int64_t scalar = std::bit_cast<std::int64_t>(1.25);
    const auto ran = interp::run(*module.find("main"), std::array{&a, &b}, std::array{scalar});
    if (!ran)
        qFatal("%s", ran.error().render().c_str());
    return numbersOf(b);
}

} // namespace nestwright::tests
