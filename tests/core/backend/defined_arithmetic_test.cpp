// SPDX-License-Identifier: Apache-2.0
// Where machines differ, every backend agrees with the interpreter: guards before guarded expressions, casts
// and shifts beyond the range, division of the least integer, unsigned numbers above the signed ones; one by
// one and in vectors.
#include "tests/core/backend/value_rows.h"

#include <QtTest>

#include <cmath>
#include <format>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;
using ir::DataType;
using ir::NdArray;

namespace {

constexpr double notNumber = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

} // namespace

class DefinedArithmeticTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSecondHalfIsComputedWhereItIsAskedFor()
    {
        const NdArray a = array("int32", {0, 3, 7, 1, 0, 5, 2, 9});
        checkRows({a}, "int32",
                  {// Without the guard the index lies far outside.
                   {"T.if_then_else(A[vi] == 0 and A[A[vi] * 100000000] == 0, 1, 2)", "1 2 2 2 1 2 2 2"},
                   {"T.if_then_else(A[vi] != 0 or A[A[vi] * 100000000] != 0, 1, 2)", "2 1 1 1 2 1 1 1"},
                   {"T.if_then_else(A[vi] != 0 and 10 // A[vi] > 2, 1, 2)", "2 1 2 1 2 2 1 2"},
                   {"T.if_then_else(A[vi] == 0 or 10 % A[vi] == 0, 1, 2)", "1 2 2 1 1 1 1 2"},
                   {"T.Select(A[vi] != 0 and 10 // A[vi] > 2, 1, 2)", "2 1 2 1 2 2 1 2"},
                   {"T.if_then_else(vi < 4 and A[vi + 4] > 1 and A[vi * A[vi + 4] % 8] > 0, A[vi + 4], 0)",
                    "0 5 0 9 0 0 0 0"},
                   {"T.if_then_else(A[vi] > 2, T.if_then_else(A[vi] < 8 and 10 // (A[vi] - 2) > 3, 1, 2), 0)",
                    "0 1 2 0 0 2 0 2"},
                   {"T.if_then_else(T.likely(A[vi] == 0) and T.likely(A[A[vi] * 100000000] == 0), 1, 2)",
                    "1 2 2 2 1 2 2 2"}});
        checkRows({a}, "bool",
                  {{"not (A[vi] != 0 and 10 // A[vi] > 2)", "1 0 1 0 1 1 0 1"},
                   {"A[vi] > 1 and A[7 - vi] > 1", "0 1 1 0 0 1 1 0"},
                   {"A[vi] > 1 or (A[vi] == 1 and A[8 // A[vi] - 1] > 0)", "0 1 1 1 0 1 1 1"}});
    }

    void castsBeyondTheRange()
    {
        const std::vector<double> values{notNumber, infinity, -infinity, 3e9, -3e9, 300.7, -1.5, 127.5};
        std::vector<NdArray> inputs;
        for (const char *from : {"float32", "float64", "float16", "bfloat16"})
            inputs.push_back(array(from, values));
        for (const std::string to :
             {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}) {
            std::vector<std::string> casts, expected;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                casts.push_back(std::format("T.Cast(\"{}\", {}[vi])", to, static_cast<char>('A' + i)));
                NdArray cut(*DataType::parse(to), inputs[i].shape());
                for (std::int64_t k = 0; k < cut.size(); ++k)
                    cut.set(k, std::isnan(inputs[i].at(k)) ? 0 : std::trunc(inputs[i].at(k)));
                expected.push_back(text(cut));
            }
            QCOMPARE(computed(inputs, to, casts), expected);
        }
    }

    /// A number that becomes a boolean is true where it is not 0.
    void arithmeticOfBooleans()
    {
        const NdArray a = array("bool", {0, 0, 1, 1}), b = array("bool", {0, 1, 0, 1});
        checkRows({a, b}, "int32",
                  {{"T.Cast(\"int32\", A[vi] + B[vi])", "0 1 1 1"},
                   {"T.Cast(\"int32\", A[vi] - B[vi])", "0 1 1 0"},
                   {"T.Cast(\"int32\", A[vi] * B[vi])", "0 0 0 1"},
                   {"T.Cast(\"int32\", A[vi] + B[vi] - B[vi])", "0 0 1 0"},
                   {"T.Cast(\"int32\", T.max(A[vi], B[vi]))", "0 1 1 1"},
                   {"T.Cast(\"int32\", T.min(A[vi], B[vi]))", "0 0 0 1"},
                   {"T.Cast(\"int32\", T.bitwise_not(A[vi]))", "1 1 0 0"},
                   {"T.Cast(\"int32\", T.bitwise_xor(A[vi], B[vi]))", "0 1 1 0"},
                   {"T.Cast(\"int32\", T.shift_left(A[vi], B[vi]))", "0 0 1 0"},
                   {"T.Cast(\"int32\", T.bool(True) + T.bool(True))", "1 1 1 1"}});
        checkRows({a, b}, "bool",
                  {{"A[vi] + B[vi]", "0 1 1 1"},
                   {"A[vi] - B[vi]", "0 1 1 0"},
                   {"(A[vi] + B[vi]) == B[vi]", "1 1 0 1"},
                   {"A[vi] < B[vi] + A[vi]", "0 1 0 0"}});
    }

    void doublesAreRoundedOnceToHalves()
    {
        const NdArray nearTies = array("float64", {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1 + 0x1p-11 - 0x1p-40,
                                                   -(1 + 3 * 0x1p-11 - 0x1p-40), 65519.9999999, 65520,
                                                   0x1p-25 + 0x1p-60, -infinity});
        checkRows({nearTies}, "float16",
                  {{"T.Cast(\"float16\", A[vi])",
                    "1.0009765625 1 1 -1.0009765625 65504 inf 5.96046447753906e-08 -inf"}});
        const double half = 0x1p-8, beyond = 0x1.ffp127;
        const NdArray nearTiesOfBrain =
            array("float64", {1 + half + 0x1p-40, 1 + half, 1 + half - 0x1p-40, -(1 + 3 * half - 0x1p-40),
                              beyond - 0x1p90, beyond, 0x1p-134 + 0x1p-170, 1e300});
        checkRows({nearTiesOfBrain}, "bfloat16",
                  {{"T.Cast(\"bfloat16\", A[vi])",
                    "1.0078125 1 1 -1.0078125 3.38953138925154e+38 inf 9.18354961579912e-41 inf"}});
    }

    void halvesOfBothKinds()
    {
        checkRows({array("float16", {1.0009765625, -2049, 65504, infinity})}, "float32",
                  {{"T.Cast(\"float32\", T.Cast(\"bfloat16\", A[vi]))", "1 -2048 65536 inf"}});
        checkRows({array("bfloat16", {1.0078125, -3.5, 1e30, 9.18354961579912e-41})}, "float32",
                  {{"T.Cast(\"float32\", T.Cast(\"float16\", A[vi]))", "1.0078125 -3.5 inf 0"}});
    }

    void shiftsByAnyAmount()
    {
        checkRows({array("int32", {5, -5, 1, 7, -7, 3, -3, -1}),
                   array("int32", {0, 1, 31, 32, 33, -1, -32, 2147483647})},
                  "int32",
                  {{"T.shift_left(A[vi], B[vi])", "5 -10 -2147483648 0 0 0 0 0"},
                   {"T.shift_right(A[vi], B[vi])", "5 -3 0 0 -1 0 -1 -1"},
                   {"T.shift_right(A[vi], 1)", "2 -3 0 3 -4 1 -2 -1"},
                   {"T.shift_left(A[vi], 40)", "0 0 0 0 0 0 0 0"}});
        checkRows({array("uint32", {4294967295, 4294967295, 4294967295, 7, 7, 3, 3, 1}),
                   array("uint32", {0, 1, 31, 32, 33, 4294967295, 40, 2})},
                  "uint32",
                  {{"T.shift_right(A[vi], B[vi])", "4294967295 2147483647 1 0 0 0 0 0"},
                   {"T.shift_left(A[vi], B[vi])", "4294967295 4294967294 2147483648 0 0 0 0 4"}});
        checkRows(
            {array("int8", {100, -100, 1, -1, 5, 6, 7, -8}), array("int8", {1, 1, 7, 8, -1, 2, 3, 100})},
            "int8",
            {{"T.shift_left(A[vi], B[vi])", "-56 56 -128 0 0 24 56 0"},
             {"T.shift_right(A[vi], B[vi])", "50 -50 0 -1 0 1 0 -1"}});
    }

    void divisionsOfTheLeastInteger()
    {
        const std::vector<double> divisors{-1, 1, -2, 2, 2, -2, 3, -1};
        const auto numbers = [](double low) { return std::vector<double>{low, low, 7, -7, 7, -7, low, 1}; };
        checkRows({array("int32", numbers(-2147483648.0)), array("int32", divisors)}, "int32",
                  {{"T.truncdiv(A[vi], B[vi])", "-2147483648 -2147483648 -3 -3 3 3 -715827882 -1"},
                   {"A[vi] // B[vi]", "-2147483648 -2147483648 -4 -4 3 3 -715827883 -1"},
                   {"T.truncmod(A[vi], B[vi])", "0 0 1 -1 1 -1 -2 0"},
                   {"A[vi] % B[vi]", "0 0 -1 1 1 -1 1 0"}});
        checkRows({array("int64", numbers(-0x1p63)), array("int64", divisors)}, "int64",
                  {{"T.truncdiv(A[vi], B[vi])",
                    "-9223372036854775808 -9223372036854775808 -3 -3 3 3 -3074457345618258602 -1"},
                   {"A[vi] % B[vi]", "0 0 -1 1 1 -1 1 0"}});
        checkRows(
            {array("int8", numbers(-128)), array("int8", divisors)}, "bool",
            {{"A[vi] // B[vi] < A[vi]", "0 0 1 0 1 0 0 1"}, // as an operand, not only as the stored value
             {"T.truncdiv(A[vi], B[vi]) == A[vi]", "1 1 0 0 0 0 0 0"}});
        checkRows(
            {array("int32", numbers(-2147483648.0)), array("int32", divisors)}, "bool",
            {{"T.truncdiv(A[vi], B[vi]) > 0", "0 0 0 0 1 1 0 0"}, {"A[vi] // B[vi] > 0", "0 0 0 0 1 1 0 0"}});
    }

    void unsignedNumbersAboveTheSignedOnes()
    {
        const NdArray a = array("uint32",
                                {4294967295, 3000000000, 2147483648, 5, 2147483647, 4000000000, 7, 0}),
                      b = array("uint32",
                                {7, 3000000001, 2147483649, 2147483648, 3, 4294967295, 2, 4294967295});
        checkRows({a, b}, "uint32",
                  {{"A[vi] // B[vi]", "613566756 0 0 0 715827882 0 3 0"},
                   {"A[vi] % B[vi]", "3 3000000000 2147483648 5 1 4000000000 1 0"},
                   {"A[vi] // T.uint32(3000000000)", "1 1 0 0 0 1 0 0"},
                   {"A[vi] % T.uint32(3000000000)", "1294967295 0 2147483648 5 2147483647 1000000000 7 0"},
                   {"T.truncdiv(A[vi], T.uint32(2147483648))", "1 1 1 0 0 1 0 0"},
                   {"T.truncmod(A[vi], T.uint32(2147483648))",
                    "2147483647 852516352 0 5 2147483647 1852516352 7 0"},
                   {"(A[vi] + B[vi]) // T.uint32(2)",
                    "3 852516352 0 1073741826 1073741825 1999999999 4 2147483647"},
                   {"(A[vi] * T.uint32(6)) % T.uint32(6)", "4 2 0 0 4 4 0 0"},
                   {"T.min(A[vi], B[vi])", "7 3000000000 2147483648 5 3 4000000000 2 0"},
                   {"T.Cast(\"uint32\", vi) * T.uint32(1000000000) // T.uint32(3)",
                    "0 333333333 666666666 1000000000 1333333333 235010901 568344234 901677568"},
                   {"(T.uint32(3) - T.Cast(\"uint32\", vi)) % T.uint32(5)", "3 2 1 0 0 4 3 2"}});
        checkRows({a, b}, "bool",
                  {{"A[vi] - T.uint32(1) < A[vi]", "1 1 1 1 1 1 1 0"},
                   {"A[vi] > T.uint32(2147483648)", "1 1 0 0 0 1 0 0"}});
        checkRows(
            {a}, "float64",
            {{"T.Cast(\"float64\", A[vi])", "4294967295 3000000000 2147483648 5 2147483647 4000000000 7 0"}});
        checkRows({array("uint64", {0x1p63, 5, 0x1.8p63, 7})}, "uint64",
                  {{"A[vi] // T.uint64(2)", "4611686018427387904 2 6917529027641081856 3"},
                   {"A[vi] % T.uint64(10)", "8 5 2 7"}});
    }

    void quotientsOfRamps()
    {
        const NdArray a = array("int32", {0, 0, 0, 0, 0, 0, 0, 0});
        std::vector<std::string> values;
        for (const char *op : {"T.truncdiv", "T.truncmod", "T.floordiv", "T.floormod"}) {
            for (const char *line : {"vi", "vi * 4", "vi - 4", "2 - vi * 4", "1 - vi * 2", "vi * 3 - 11"}) {
                for (const char *divisor : {"4", "3", "-4", "-3"})
                    values.push_back(std::format("{}({}, {})", op, line, divisor));
            }
        }
        const std::vector<std::string> found = computed({a}, "int32", values);
        QVERIFY2(found.size() == values.size(), found.front().c_str());
        checkRows({a}, "int32",
                  {{"T.truncmod(1 - vi * 4, 4)", "1 -3 -3 -3 -3 -3 -3 -3"},
                   {"T.truncdiv(2 - vi * 4, 4)", "0 0 -1 -2 -3 -4 -5 -6"}});
        checkRows({array("uint8", {0, 0, 0, 0, 0, 0, 0, 0})}, "uint8",
                  {{"(T.Cast(\"uint8\", vi) * T.uint8(60)) // T.uint8(3)", "0 20 40 60 80 14 34 54"},
                   {"(T.Cast(\"uint8\", vi) * T.uint8(60)) % T.uint8(7)", "0 4 1 5 2 2 6 3"}});
    }

    void sumsOfDataWrapAround()
    {
        checkRows({array("int32", {2147483647, -2147483648.0, 2000000000, 65536, 1, 2, 3, 4})}, "int32",
                  {{"A[vi] + A[vi]", "-2 0 -294967296 131072 2 4 6 8"},
                   {"A[vi] * A[vi]", "1 0 -1651507200 0 1 4 9 16"}});
        checkRows({array("int8", {127, -128, 100, 1})}, "int8",
                  {{"A[vi] + T.int8(1)", "-128 -127 101 2"},
                   {"(A[vi] * T.int8(3)) // T.int8(3)", "41 -43 14 1"},
                   {"T.max(A[vi] + T.int8(1), A[vi])", "127 -127 101 2"}});
        checkRows({array("uint8", {255, 0, 100, 1})}, "uint8",
                  {{"T.max(A[vi] + T.uint8(1), A[vi])", "255 1 101 2"},
                   {"(A[vi] * T.uint8(6)) % T.uint8(6)", "4 0 4 0"}});
    }

    void notANumber()
    {
        const NdArray a = array("float32", {notNumber, 1, 2, infinity, -infinity, notNumber, 0, 3}),
                      b = array("float32", {1, notNumber, 2, infinity, 1, notNumber, -1, 4});
        checkRows({a, b}, "bool",
                  {{"A[vi] == A[vi]", "0 1 1 1 1 0 1 1"},
                   {"not A[vi] < B[vi]", "1 1 1 1 0 1 1 0"},
                   {"A[vi] < B[vi] or B[vi] <= A[vi]", "0 0 1 1 1 0 1 1"},
                   {"A[vi] <= B[vi] or B[vi] < A[vi]", "0 0 1 1 1 0 1 1"},
                   {"A[vi] - A[vi] == T.float32(0)", "0 1 1 0 0 0 1 1"},
                   {"A[vi] * T.float32(0) == T.float32(0)", "0 1 1 0 0 0 1 1"},
                   {"T.float32(0) / A[vi] == T.float32(0)", "0 1 1 1 1 0 0 1"},
                   {"(A[vi] + B[vi]) - B[vi] == A[vi]", "0 0 1 0 1 0 1 1"}});
        checkRows({a, b}, "float32",
                  {{"T.min(A[vi], B[vi])", "1 nan 2 inf -inf nan -1 3"},
                   {"T.max(A[vi], B[vi])", "1 nan 2 inf 1 nan 0 4"}});
    }
};

QTEST_GUILESS_MAIN(DefinedArithmeticTest)
#include "defined_arithmetic_test.moc"
