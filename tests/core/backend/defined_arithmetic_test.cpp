// SPDX-License-Identifier: Apache-2.0
// Where machines differ, every backend agrees with the interpreter: guards before guarded expressions, casts
// and shifts beyond the range, division of the least integer, unsigned numbers above the signed ones; one by
// one and in vectors.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "core/ir/exact_integers.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <format>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <source_location>

using namespace nestwright;
using ir::DataType;
using ir::NdArray;

namespace {

constexpr double notNumber = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

NdArray array(const char *type, const std::vector<double> &values)
{
    NdArray result(*DataType::parse(type), {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        result.set(static_cast<std::int64_t>(i), values[i]);
    return result;
}

std::vector<NdArray *> pointers(std::vector<NdArray> &arrays)
{
    std::vector<NdArray *> result;
    for (NdArray &each : arrays)
        result.push_back(&each);
    return result;
}

std::string text(const NdArray &values)
{
    std::string result;
    for (std::int64_t i = 0; i < values.size(); ++i) {
        const ir::DataType type = values.dtype();
        const std::int64_t whole = type.isIntegral() ? ir::integerAt(values, i) : 0;
        result += (i ? " " : "")
                  + (type.isUInt()       ? std::format("{}", static_cast<std::uint64_t>(whole))
                     : type.isIntegral() ? std::format("{}", whole)
                                         : std::format("{:.15g}", values.at(i)));
    }
    return result;
}

/// For each of the values an array Z0[vi] = value, Z1[vi] = value, … over all vi below the length of the
/// arrays.
std::string program(const std::vector<NdArray> &inputs, const std::string &outputType,
                    const std::vector<std::string> &values)
{
    const std::int64_t count = inputs[0].shape()[0];
    std::string parameters, body;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        parameters += std::format("{}: T.Buffer(({},), \"{}\"), ", std::string(1, static_cast<char>('A' + i)),
                                  inputs[i].shape()[0], inputs[i].dtype().str());
    for (std::size_t i = 0; i < values.size(); ++i) {
        parameters += std::format("Z{}: T.Buffer(({},), \"{}\"), ", i, count, outputType);
        body += std::format(R"(    for i in range({1}):
        with T.block("Z{0}"):
            vi = T.axis.spatial({1}, i)
            Z{0}[vi] = {2}
)",
                            i, count, values[i]);
    }
    return std::format("@T.prim_func\ndef main({}):\n{}", parameters.substr(0, parameters.size() - 2), body);
}

/// Why a backend computes something else than the interpreter did; empty when it does not.
std::string whyNotAs(const std::vector<NdArray> &expected, std::vector<NdArray> arguments,
                     const ir::Module &module, const char *target)
{
    const auto artifact = backend::compile(module, *target::parseTarget(target));
    if (!artifact)
        return artifact.error().render();
    const auto kernel = backend::load(*artifact);
    if (!kernel)
        return kernel.error().render();
    const auto called = backend::call(**kernel, artifact->mainEntry()->name, pointers(arguments), {});
    if (!called)
        return called.error().render();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!ir::compare(expected[i], arguments[i], 0, 0).withinTolerance)
            return std::format("argument {} is {}, expected {}", i, text(arguments[i]), text(expected[i]));
    }
    return {};
}

/// The interpreter's result for each value; fails where a backend computes something else, with vectorized
/// loops or without.
std::vector<std::string> computed(std::vector<NdArray> inputs, const std::string &outputType,
                                  const std::vector<std::string> &values)
{
    const schedule::State initial = tests::scheduled(program(inputs, outputType, values));
    const std::size_t first = inputs.size();
    for (std::size_t i = 0; i < values.size(); ++i)
        inputs.emplace_back(*DataType::parse(outputType), inputs[0].shape());
    std::vector<NdArray> expected = inputs;
    const ir::PrimFunc &function = *initial.module.mainEntry()->function;
    if (const auto ran = interp::run(function, pointers(expected), {}); !ran)
        return {"the interpreter: " + ran.error().render()};
    for (const bool isVector : {false, true}) {
        std::string script;
        for (std::size_t i = 0; isVector && i < values.size(); ++i)
            script += std::format("sch.vectorize(sch.get_loops('Z{}')[0])\n", i);
        const auto run = schedule::runScheduleScript(initial, script, "test.py");
        if (!run)
            return {run.error().render()};
        for (const char *target : {"llvm", "c"}) {
            if (!backend::isBuilt(target::parseTarget(target)->kind))
                continue;
            const std::string why = whyNotAs(expected, inputs, run->state.module, target);
            if (!why.empty())
                return {std::format("{}{}: {}", target, isVector ? ", vectorized" : "", why)};
        }
    }
    std::vector<std::string> result;
    for (std::size_t i = first; i < expected.size(); ++i)
        result.push_back(text(expected[i]));
    return result;
}

/// A value and the expected result for each element.
using Row = std::pair<const char *, const char *>;

void checkRows(const std::vector<NdArray> &inputs, const char *outputType, const std::vector<Row> &rows,
               std::source_location where = std::source_location::current())
{
    std::vector<std::string> values;
    for (const Row &row : rows)
        values.emplace_back(row.first);
    const std::vector<std::string> found = computed(inputs, outputType, values);
    if (found.size() != rows.size())
        return QTest::qFail(found.front().c_str(), where.file_name(), static_cast<int>(where.line()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (found[i] != rows[i].second)
            QTest::qFail(
                std::format("{} is {}, expected {}", rows[i].first, found[i], rows[i].second).c_str(),
                where.file_name(), static_cast<int>(where.line()));
    }
}

/// A row of the table in docs/arithmetic.md.
struct DocumentedRow {
    std::string expression, type, result;
};

std::vector<DocumentedRow> documentedRows()
{
    std::ifstream file("docs/arithmetic.md");
    const std::regex form(R"(\| `(T\..*)` \| (\w+) \| (\S+) \|)");
    std::vector<DocumentedRow> rows;
    for (std::string line; std::getline(file, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, form))
            rows.push_back({parts[1], parts[2], parts[3]});
    }
    return rows;
}

/// Arrays of one element for constants.
struct Constants {
    std::vector<std::string> names; ///< as a program writes them: T.int8(100)
    std::vector<NdArray> arrays;

    /// The expression with an array in place of each constant.
    std::string replaced(const std::string &expression)
    {
        const std::regex constant(R"(T\.((?:u?int|float|bool)\d*)\(\"?([-\w.]+)\"?\))");
        std::string result;
        auto end = expression.begin();
        for (std::sregex_iterator it(expression.begin(), expression.end(), constant), last; it != last;
             ++it) {
            const std::smatch &found = *it;
            auto known = std::ranges::find(names, found.str());
            if (known == names.end()) {
                const std::string value = found[2];
                const double number = value == "True" ? 1 : std::strtod(value.c_str(), nullptr);
                arrays.push_back(array(found[1].str().c_str(), {number}));
                known = names.insert(known, found.str());
            }
            result.append(end, found[0].first);
            result += std::format("{}[vi]", static_cast<char>('A' + (known - names.begin())));
            end = found[0].second;
        }
        return result.append(end, expression.end());
    }
};

} // namespace

class DefinedArithmeticTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The table of docs/arithmetic.md, with its constants and with arrays that hold them.
    void documentedTable()
    {
        std::map<std::string, std::vector<DocumentedRow>> ofTypes;
        std::size_t count = 0;
        for (DocumentedRow &row : documentedRows()) {
            ofTypes[row.type].push_back(std::move(row));
            ++count;
        }
        QVERIFY(count > 20);
        for (const auto &[type, rows] : ofTypes) {
            Constants constants;
            std::vector<std::string> expressions;
            for (const DocumentedRow &row : rows)
                expressions.push_back(constants.replaced(row.expression));
            std::vector<Row> folded, computed;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                folded.emplace_back(rows[i].expression.c_str(), rows[i].result.c_str());
                computed.emplace_back(expressions[i].c_str(), rows[i].result.c_str());
            }
            checkRows({array("int32", {0})}, type.c_str(), folded);
            checkRows(constants.arrays, type.c_str(), computed);
        }
    }

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
