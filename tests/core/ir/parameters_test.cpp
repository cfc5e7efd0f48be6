// SPDX-License-Identifier: Apache-2.0
// Queries on functions and calls: layouts of parameters, shared memory, constructs that cannot be run, calls
// by name.
#include "core/ir/build/builder.h"
#include "core/ir/build/custom_intrinsics.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/calls.h"
#include "core/ir/node/equality.h"
#include "core/ir/parameter_layout.h"
#include "core/ir/runnable.h"
#include "core/ir/shared_memory.h"
#include "core/ir/strides.h"
#include "core/script/print/printer.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using ir::DataType;
using ir::Expr;

namespace {

/// A function whose parameter "a" is a buffer with these strides and offset.
std::string strided(const std::string &shape, const std::string &layout, const std::string &body)
{
    return std::format(R"(
@T.prim_func
def main(a: T.handle, b: T.handle, n: T.int32):
    s = T.int32()
    t = T.int32()
    m = T.int32()
    A = T.match_buffer(a, {}, "float32"{})
    B = T.match_buffer(b, (m, 8), "float32")
    {}
)",
                       shape, layout, body);
}

QString compact(const std::string &text)
{
    const ir::Module module = ir::withCompactParameters(tests::parsed(text));
    return QString::fromStdString(script::print(module).text);
}

std::string unrunnable(const std::string &body)
{
    const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    )" + body + "\n");
    return ir::notRunnable(*module.find("main")).value_or("");
}

ir::AttrValue places(std::initializer_list<int> numbers)
{
    std::vector<ir::AttrValue> list;
    for (const int number : numbers)
        list.emplace_back(Expr(number));
    return {std::move(list)};
}

} // namespace

class ParametersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stridesLeftToTheCallerAreCompact()
    {
        const QString text = compact(
            strided("(4, m, 8)", ", strides=(s, t, 1)", "B[0, 0] = A[1, 2, 3] + T.Cast(\"float32\", s + t)"));
        QVERIFY2(text.contains("A = T.match_buffer(a, (4, m, 8))\n"), qPrintable(text));
        QVERIFY2(text.contains("T.Cast(\"float32\", 8 * m + 8)"), qPrintable(text));
        const QString last =
            compact(strided("(4, 8)", ", strides=(8, s)", "B[0, 0] = A[1, 2] + T.Cast(\"float32\", s)"));
        QVERIFY2(last.contains("main(A: T.Buffer((4, 8), \"float32\"), "), qPrintable(last));
        QVERIFY2(last.contains("A[1, 2] + T.float32(1.0)")
                     || last.contains("A[1, 2] + T.Cast(\"float32\", 1)"),
                 qPrintable(last));
    }

    void stridesThatAreNotCompactStay()
    {
        const QString text = compact(strided("(4, 8)", ", strides=(16, s)", "B[0, 0] = A[1, 2]"));
        QVERIFY2(text.contains("strides=(16, 1)"), qPrintable(text));
    }

    void offsetsLeftToTheCallerAreNone()
    {
        const QString text =
            compact(strided("(4, 8)", ", elem_offset=s", "B[0, 0] = A[1, 2] + T.Cast(\"float32\", s)"));
        QVERIFY2(text.contains("main(A: T.Buffer((4, 8), \"float32\"), "), qPrintable(text));
    }

    void sizesAndParametersAreNoLayout()
    {
        // `m` is a size and `n` a parameter: both are known.
        for (const char *layout : {", strides=(m, 1)", ", strides=(n, 1)", ", elem_offset=n"}) {
            const ir::Module module = tests::parsed(strided("(4, 8)", layout, "B[0, 0] = A[1, 2]"));
            QVERIFY2(ir::structurallyEqual(module, ir::withCompactParameters(module)), layout);
        }
        const ir::Module plain = tests::program("matmul");
        QVERIFY(ir::withCompactParameters(plain.functions().front().function)
                == plain.functions().front().function);
    }

    void aVariableWithTwoValuesStays()
    {
        const ir::Module twice = tests::parsed(strided("(4, 8)", ", strides=(s, s)", "B[0, 0] = A[1, 2]"));
        QVERIFY(ir::structurallyEqual(twice, ir::withCompactParameters(twice)));
        // The same value twice is one.
        const QString same = compact(strided("(1, 1)", ", strides=(s, s)", "B[0, 0] = A[0, 0]"));
        QVERIFY2(same.contains("main(A: T.Buffer((1, 1), \"float32\"), "), qPrintable(same));
    }

    void parametersThatMayShareMemory()
    {
        ir::PrimFunc function;
        QVERIFY(ir::isNoAlias(function, 0));
        function.attrs["tir.noalias"] = {ir::boolImm(true)};
        QVERIFY(ir::isNoAlias(function, 0));
        function.attrs["tir.noalias"] = {ir::boolImm(false)};
        QVERIFY(!ir::isNoAlias(function, 0));
        function.attrs["tir.noalias"] = {Expr(ir::stringImm("no"))}; // says nothing
        QVERIFY(ir::isNoAlias(function, 0));
        function.attrs.clear();
        const std::string key(ir::sharedMemoryKey);
        function.attrs[key] = places({1, 2});
        QVERIFY(ir::isNoAlias(function, 0));
        QVERIFY(!ir::isNoAlias(function, 1));
        QVERIFY(!ir::isNoAlias(function, 2));
        function.attrs[key] = {Expr(ir::stringImm("all"))};
        QVERIFY(!ir::isNoAlias(function, 0));
        function.attrs[key] = {std::vector<ir::AttrValue>{{Expr(ir::stringImm("all"))}}};
        QVERIFY(!ir::isNoAlias(function, 0));
    }

    void programsThatCannotBeRun()
    {
        QCOMPARE(unrunnable("A[0] = T.exp(A[1])"), std::string());
        QCOMPARE(unrunnable("T.evaluate(T.call_intrin(\"int32\", \"tir.dma_wait\", n))"),
                 std::string("the intrinsic 'dma_wait'"));
        QCOMPARE(unrunnable("T.evaluate(T.float8_e4m3fn(0.5))"), std::string("the type float8_e4m3fn"));
        QCOMPARE(unrunnable("A[0:T.vscale() * 4] = T.Broadcast(T.float32(1), T.vscale() * 4)"),
                 std::string("the type float32xvscalex4"));
        QCOMPARE(unrunnable("T.attr(n, \"pragma\", 1)\n    A[0] = T.float32(1)"), std::string());
    }

    void callsByName()
    {
        const Expr x = ir::Var("x", DataType::float32());
        const Expr e = ir::callIntrinsic("exp", {x}) + ir::callIntrinsic("log", {x});
        QVERIFY(ir::calls(e, ir::intrinsics::exp) && ir::calls(e, ir::intrinsics::log));
        QVERIFY(!ir::calls(e, ir::intrinsics::sin) && !ir::calls(x, ir::intrinsics::exp));
        const Expr own = ir::call(DataType::float32(), "mylog", {x});
        QVERIFY(ir::customCall(own) == own.as<ir::Call>());
        QVERIFY(!ir::customCall(x));
        QVERIFY(!ir::customCall(ir::callIntrinsic("exp", {x})));
        QVERIFY(!ir::customCall(ir::call(DataType::float32(), "call_function", {ir::stringImm("f")})));
        QCOMPARE(ir::signatureOf(*ir::call(DataType::int32(), "f", {x, Expr(1)}).as<ir::Call>()),
                 std::string("f(float32, int32) -> int32"));
        QCOMPARE(ir::ruleParameters(*own.as<ir::Call>()).front().name(), std::string("x0"));
    }

    /// Strides of a dimension of one element are never taken; symbolic ones become what the array has.
    void stridesOfCompactArrays()
    {
        ir::BufferNode node = *ir::Buffer("A", {2, 3, 4}).get();
        const auto isCompact = [&](std::vector<Expr> strides, const std::vector<std::int64_t> &shape) {
            node.strides = std::move(strides);
            const auto checked = ir::checkStrides(ir::Buffer(ir::BufferNode(node)), shape);
            return checked ? std::string() : checked.error().message;
        };
        QCOMPARE(isCompact({12, 4, 1}, {2, 3, 4}), std::string());
        QCOMPARE(isCompact({}, {2, 3, 4}), std::string());
        QCOMPARE(isCompact({99, 4, 1}, {1, 3, 4}), std::string());
        QCOMPARE(isCompact({12, 99, 1}, {2, 1, 4}),
                 std::string("stride 0 of 'A' is 12, but programs are called "
                             "with compact arrays: it would have to be 4"));
        QCOMPARE(isCompact({4, 99, 7}, {2, 1, 1}),
                 std::string("stride 0 of 'A' is 4, but programs are called "
                             "with compact arrays: it would have to be 1"));
        QVERIFY(isCompact({12, 4, 2}, {2, 3, 4}).starts_with("stride 2 of 'A' is 2"));
        QVERIFY(isCompact({13, 4, 1}, {2, 3, 4}).starts_with("stride 0 of 'A' is 13"));
        QCOMPARE(isCompact({ir::Var("s"), 4, 1}, {2, 3, 4}), std::string());
    }

    void offsetsThatSayNothing()
    {
        ir::BufferNode node = *ir::Buffer("A", {4}).get();
        const auto isDefault = [&](const Expr &offset) {
            node.elemOffset = offset;
            return ir::Buffer(ir::BufferNode(node)).hasDefaultOffset();
        };
        QVERIFY(isDefault({}));
        QVERIFY(isDefault(0));
        QVERIFY(!isDefault(1));
        QVERIFY(!isDefault(ir::intImm(0, DataType::int64())));
        QVERIFY(!isDefault(ir::Var("n")));
    }

    void elementsOfBuffers()
    {
        const auto of = [](std::vector<Expr> shape, std::optional<std::int64_t> late = {}) {
            return ir::elementsOf(ir::Buffer("A", std::move(shape)), late);
        };
        const ir::Var n("n");
        QVERIFY(of({}) == 1 && of({4, 6}) == 24 && of({4, 0}) == 0);
        QVERIFY(!of({4, n}));
        QVERIFY(of({4, n}, 1) == 4 && of({4, n, n}, 3) == 36);
        QVERIFY(!of({1 << 30, 1 << 30, 1 << 30}));
    }
};

QTEST_APPLESS_MAIN(ParametersTest)
#include "parameters_test.moc"
