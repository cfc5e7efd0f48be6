// SPDX-License-Identifier: Apache-2.0
/// Many elements at a time: the results of the interpreter, to the bit, or none.
#include "core/interp/elementwise.h"

#include "core/interp/interpreter.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>
#include <format>

using namespace nestwright;

namespace {

struct Argument {
    std::string shape, dtype;
};

/// C = `value` of A and B over these loops, at the indices of C; variables v0, v1, … are the loops.
ir::Module program(const Argument &a, const Argument &b, const Argument &c, const std::string &loops,
                   const std::string &value, const std::string &at)
{
    std::string text = "@T.prim_func\ndef main(";
    for (const auto &[name, argument] : {std::pair("A", a), std::pair("B", b), std::pair("C", c)})
        text += std::format("{}{}: T.Buffer({}, \"{}\")", name[0] == 'A' ? "" : ", ", name, argument.shape,
                            argument.dtype);
    const auto count = std::ranges::count(loops, ',') + 1;
    std::string names, variables;
    for (int i = 0; i < count; ++i) {
        names += std::format("{}l{}", i == 0 ? "" : ", ", i);
        variables += std::format("{}v{}", i == 0 ? "" : ", ", i);
    }
    text += std::format("):\n    for {} in T.grid({}):\n        with T.block(\"C\"):\n            {} = "
                        "T.axis.remap(\"{}\", [{}])\n            C[{}] = {}\n",
                        names, loops, variables, std::string(static_cast<std::size_t>(count), 'S'), names, at,
                        value);
    return tests::parsed(text);
}

/// "same", "another result", or "not here" where the function is none that is run so.
QString comparedWithInterpreter(const ir::Module &module)
{
    const ir::PrimFunc &function = *module.mainEntry()->function;
    std::vector<ir::NdArray> arrays;
    for (const ir::Param &param : function.params) {
        std::vector<std::int64_t> shape;
        for (const ir::Expr &size : param.buffer.shape())
            shape.push_back(size.as<ir::IntImm>()->value);
        arrays.emplace_back(param.buffer.dtype(), shape).fillRandom(arrays.size() + 1);
    }
    ir::NdArray result = arrays.back();
    if (!interp::runElementwise(function, std::vector<const ir::NdArray *>{&arrays[0], &arrays[1]}, result))
        return std::ranges::equal(result.bytes(), arrays.back().bytes()) ? "not here" : "changed";
    if (const auto ran = interp::run(function, std::vector{&arrays[0], &arrays[1], &arrays[2]}); !ran)
        qFatal("%s", ran.error().message.c_str());
    return std::ranges::equal(result.bytes(), arrays.back().bytes()) ? "same" : "another result";
}

} // namespace

class ElementwiseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultsOfTheInterpreter_data()
    {
        QTest::addColumn<ir::Module>("module");
        const Argument rows{"(7, 1300)", "float32"}, row{"(1300,)", "float32"}, one{"(1,)", "float32"};
        QTest::newRow("scaled rows") << program(rows, row, rows, "7, 1300",
                                                "A[v0, v1] * B[v1] + A[v0, v1] / B[v1]", "v0, v1");
        QTest::newRow("constants") << program(rows, one, rows, "7, 1300",
                                              "(A[v0, v1] - B[0]) * T.float32(0.1)", "v0, v1");
        QTest::newRow("transposed") << program({"(1300, 7)", "float32"}, one, rows, "7, 1300",
                                               "A[v1, v0] * B[0]", "v0, v1");
        QTest::newRow("loops that join")
            << program({"(3, 4, 1, 5)", "float32"}, {"(3, 1, 1, 1)", "float32"}, {"(3, 4, 1, 5)", "float32"},
                       "3, 4, 1, 5", "A[v0, v1, v2, v3] * B[v0, 0, 0, 0]", "v0, v1, v2, v3");
        QTest::newRow("a diagonal") << program({"(9, 9)", "float32"}, one, {"(9,)", "float32"}, "9",
                                               "A[v0, v0] - B[0]", "v0");
        QTest::newRow("scaled bytes") << program(
            {"(3, 600)", "int8"}, {"(3,)", "int8"}, {"(3, 600)", "float32"}, "3, 600",
            "T.Cast(\"float32\", T.Cast(\"int32\", A[v0, v1]) - T.Cast(\"int32\", B[v0])) * T.float32(0.25)",
            "v0, v1");
        for (const char *type : {"int8", "uint8", "int16", "uint16", "int32", "uint32"}) {
            const Argument numbers{"(600,)", type};
            QTest::addRow("wrapping %s", type)
                << program(numbers, numbers, numbers, "600",
                           "A[v0] * A[v0] * A[v0] * A[v0] * A[v0] - B[v0] * A[v0]", "v0");
        }
        QTest::newRow("narrowed") << program({"(600,)", "int32"}, {"(600,)", "int32"}, {"(600,)", "uint8"},
                                             "600", "T.Cast(\"uint8\", A[v0] * B[v0] - 300)", "v0");
        QTest::newRow("nothing") << program({"(0,)", "float32"}, one, {"(0,)", "float32"}, "0",
                                            "A[v0] * B[0]", "v0");
    }

    void resultsOfTheInterpreter()
    {
        QFETCH(ir::Module, module);
        QCOMPARE(comparedWithInterpreter(module), "same");
    }

    void othersAreLeft_data()
    {
        QTest::addColumn<ir::Module>("module");
        const Argument row{"(9,)", "float32"}, wide{"(9,)", "int64"};
        const auto each = [&](const std::string &value) { return program(row, row, row, "9", value, "v0"); };
        QTest::newRow("a function") << each("T.exp(A[v0]) + B[v0]");
        QTest::newRow("a choice") << each("T.if_then_else(v0 < 3, A[v0], B[v0])");
        QTest::newRow("a place that is computed") << each("A[8 - v0] + B[v0]");
        QTest::newRow("reads outside") << program({"(5,)", "float32"}, row, row, "9", "A[v0] + B[v0]", "v0");
        QTest::newRow("wide integers") << program(wide, wide, wide, "9", "A[v0] + B[v0]", "v0");
        QTest::newRow("a float as an integer")
            << program(row, row, {"(9,)", "int32"}, "9", "T.Cast(\"int32\", A[v0] + B[v0])", "v0");
        QTest::newRow("quotients of integers")
            << program({"(9,)", "int32"}, {"(9,)", "int32"}, {"(9,)", "int32"}, "9", "A[v0] // B[v0]", "v0");
        QTest::newRow("two blocks") << tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((9,), "float32"), B: T.Buffer((9,), "float32"), C: T.Buffer((9,), "float32")):
    D = T.alloc_buffer((9,))
    for i in range(9):
        with T.block("D"):
            vi = T.axis.spatial(9, i)
            D[vi] = A[vi] + B[vi]
    for i in range(9):
        with T.block("C"):
            vi = T.axis.spatial(9, i)
            C[vi] = D[vi] * D[vi]
)");
    }

    void othersAreLeft()
    {
        QFETCH(ir::Module, module);
        QCOMPARE(comparedWithInterpreter(module), "not here");
    }
};

QTEST_APPLESS_MAIN(ElementwiseTest)
#include "elementwise_test.moc"
