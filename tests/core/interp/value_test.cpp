// SPDX-License-Identifier: Apache-2.0
// Values of every type: rounding, wrapping, casts, operators, intrinsics.
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace nestwright;
using ir::Buffer;
using ir::DataType;
using ir::Expr;

namespace {

/// The value of `e`, computed into an array of its type.
ir::NdArray evaluated(const Expr &e)
{
    const Buffer out("out", {}, e.dtype().element());
    ir::PrimFunc f;
    f.params.push_back({ir::Var("out", DataType::handle()), out});
    f.body = store(out, e, {});
    ir::NdArray array(e.dtype(), {});
    const std::array<ir::NdArray *, 1> buffers{&array};
    if (const auto done = interp::run(f, buffers); !done)
        qFatal("%s", done.error().render().c_str());
    return array;
}

double real(const Expr &e) { return evaluated(e).at(0); }

/// Not folded while the expression is built.
Expr f(double value, DataType dtype = DataType::float32())
{
    return ir::call(dtype, "likely", {ir::floatImm(value, dtype)});
}
Expr i(std::int64_t value, DataType dtype = DataType::int32())
{
    return ir::call(dtype, "likely", {ir::intImm(value, dtype)});
}
Expr call(const char *name, std::vector<Expr> args) { return ir::callIntrinsic(name, std::move(args)); }

} // namespace

class ValueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void float32RoundsAfterEachOperation()
    {
        const float third = 1.0F / 3.0F;
        QCOMPARE(real(truncDiv(f(1), f(3))), static_cast<double>(third));
        const float sum = 16777216.0F + 1.0F; // not representable
        QCOMPARE(real(f(16777216.0) + f(1)), static_cast<double>(sum));
        QCOMPARE(real((f(16777216.0) + f(1)) - f(16777216.0)), 0.0);
        const DataType wide = DataType::float_(64);
        QCOMPARE(real((f(16777216.0, wide) + f(1, wide)) - f(16777216.0, wide)), 1.0);
    }

    void narrowFloatsRound()
    {
        const DataType half = DataType::float_(16), brain = DataType::bfloat16();
        QCOMPARE(real(f(2048, half) + f(1, half)), 2048.0);
        QCOMPARE(real(f(2048, half) + f(3, half)), 2052.0); // halves to even
        QVERIFY(std::isinf(real(f(60000, half) * f(2, half))));
        QCOMPARE(real(f(256, brain) + f(1, brain)), 256.0);
        QCOMPARE(real(f(256, brain) + f(3, brain)), 260.0);
        QCOMPARE(real(cast(brain, f(1.0 / 3.0))),
                 static_cast<double>(ir::bfloat16ToFloat(ir::floatToBfloat16(1.0F / 3.0F))));
    }

    void integersWrap_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<qint64>("a");
        QTest::addColumn<qint64>("b");
        QTest::addColumn<qint64>("sum");
        QTest::addColumn<qint64>("product");
        QTest::newRow("int8") << "int8" << qint64{100} << qint64{100} << qint64{-56} << qint64{16};
        QTest::newRow("uint8") << "uint8" << qint64{200} << qint64{100} << qint64{44} << qint64{32};
        QTest::newRow("int16") << "int16" << qint64{30000} << qint64{30000} << qint64{-5536} << qint64{-5888};
        QTest::newRow("int32") << "int32" << qint64{2147483647} << qint64{2} << qint64{-2147483647}
                               << qint64{-2};
        QTest::newRow("uint32") << "uint32" << qint64{4294967295} << qint64{2} << qint64{1}
                                << qint64{4294967294};
    }
    void integersWrap()
    {
        QFETCH(QString, type);
        QFETCH(qint64, a);
        QFETCH(qint64, b);
        const DataType dtype = *DataType::parse(type.toStdString());
        QTEST(static_cast<qint64>(real(i(a, dtype) + i(b, dtype))), "sum");
        QTEST(static_cast<qint64>(real(i(a, dtype) * i(b, dtype))), "product");
    }

    void divisions()
    {
        for (const auto &[a, b] : {std::pair{7, 2}, {-7, 2}, {7, -2}, {-7, -2}, {6, 3}, {-6, 3}}) {
            const double quotient = static_cast<double>(a) / b;
            QCOMPARE(real(truncDiv(i(a), i(b))), std::trunc(quotient));
            QCOMPARE(real(floorDiv(i(a), i(b))), std::floor(quotient));
            QCOMPARE(real(truncMod(i(a), i(b))), a - std::trunc(quotient) * b);
            QCOMPARE(real(floorMod(i(a), i(b))), a - std::floor(quotient) * b);
        }
        QCOMPARE(real(truncDiv(i(std::numeric_limits<std::int32_t>::min()), i(-1))),
                 -2147483648.0); // wraps, does not trap
        const DataType wide = DataType::uint(64);
        QCOMPARE(evaluated(floorDiv(i(-1, wide), i(2, wide))).data<std::uint64_t>()[0],
                 ~std::uint64_t{0} / 2);
        QVERIFY(real(gt(i(-1, wide), i(1, wide))) != 0);
        QVERIFY(real(lt(i(-1, DataType::int64()), i(1, DataType::int64()))) != 0);
    }

    void casts()
    {
        QCOMPARE(real(cast(DataType::int32(), f(-2.7))), -2.0);
        QCOMPARE(real(cast(DataType::int_(8), i(300))), 44.0);
        QCOMPARE(real(cast(DataType::boolean(), f(0.5))), 1.0);
        QCOMPARE(real(cast(DataType::float32(), i(16777217))), 16777216.0);
        QCOMPARE(real(cast(DataType::float_(64), i(-1, DataType::uint(64)))), 0x1p64);
        QCOMPARE(
            evaluated(cast(DataType::uint(64), f(0x1p63, DataType::float_(64)))).data<std::uint64_t>()[0],
            1ULL << 63);
        QCOMPARE(real(ir::callIntrinsic("reinterpret", {f(1.0)}, DataType::int32())), 1065353216.0);
        QCOMPARE(real(ir::callIntrinsic("reinterpret", {i(1065353216)}, DataType::float32())), 1.0);
    }

    void floatIntrinsics_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("x");
        QTest::addColumn<double>("expected");
        QTest::newRow("exp") << "exp" << 0.5 << std::exp(0.5);
        QTest::newRow("exp2") << "exp2" << 0.5 << std::exp2(0.5);
        QTest::newRow("exp10") << "exp10" << 0.5 << std::pow(10.0, 0.5);
        QTest::newRow("log") << "log" << 2.0 << std::log(2.0);
        QTest::newRow("log1p") << "log1p" << 1e-3 << std::log1p(static_cast<double>(1e-3F));
        QTest::newRow("rsqrt") << "rsqrt" << 4.0 << 0.5;
        QTest::newRow("tanh") << "tanh" << 0.5 << std::tanh(0.5);
        QTest::newRow("erf") << "erf" << 0.5 << std::erf(0.5);
        QTest::newRow("sigmoid") << "sigmoid" << 0.0 << 0.5;
        QTest::newRow("floor") << "floor" << -1.5 << -2.0;
        QTest::newRow("ceil") << "ceil" << -1.5 << -1.0;
        QTest::newRow("trunc") << "trunc" << -1.5 << -1.0;
        QTest::newRow("round") << "round" << 2.5 << 3.0;
        QTest::newRow("nearbyint") << "nearbyint" << 2.5 << 2.0;
        QTest::newRow("nearbyint up") << "nearbyint" << 3.5 << 4.0;
        QTest::newRow("fabs") << "fabs" << -2.0 << 2.0;
        QTest::newRow("abs") << "abs" << -2.0 << 2.0;
    }
    void floatIntrinsics()
    {
        QFETCH(QString, name);
        QFETCH(double, x);
        QFETCH(double, expected);
        QCOMPARE(real(call(name.toStdString().c_str(), {f(x)})),
                 static_cast<double>(static_cast<float>(expected)));
    }

    void otherIntrinsics()
    {
        QCOMPARE(real(call("pow", {f(2), f(10)})), 1024.0);
        QCOMPARE(real(call("atan2", {f(1), f(1)})),
                 static_cast<double>(static_cast<float>(std::atan2(1.0, 1.0))));
        QCOMPARE(real(call("copysign", {f(2), f(-1)})), -2.0);
        QCOMPARE(real(call("ldexp", {f(1.5), i(4)})), 24.0);
        QCOMPARE(real(call("fma", {f(2), f(3), f(4)})), 10.0);
        QCOMPARE(real(call("nextafter", {f(1), f(2)})), static_cast<double>(std::nextafter(1.0F, 2.0F)));
        const DataType half = DataType::float_(16);
        QCOMPARE(real(call("nextafter", {f(1, half), f(2, half)})), 1.0 + 0x1p-10);
        QCOMPARE(real(call("nextafter", {f(0, half), f(-1, half)})), -0x1p-24);
        QCOMPARE(real(call("isnan", {f(std::nan(""))})), 1.0);
        QCOMPARE(real(call("isinf", {f(1)})), 0.0);
        QCOMPARE(real(call("isfinite", {f(1)})), 1.0);
        QVERIFY(std::isinf(real(ir::callIntrinsic("infinity", {}, DataType::float32()))));
        QCOMPARE(real(call("popcount", {i(-1)})), 32.0);
        QCOMPARE(real(call("clz", {i(1)})), 31.0);
        QCOMPARE(real(call("clz", {i(1, DataType::uint(8))})), 7.0);
        QCOMPARE(real(call("clz", {i(1, DataType::int64())})), 63.0);
        QCOMPARE(call("clz", {i(1, DataType::int64())}).dtype(), DataType::int32());
        QCOMPARE(real(call("shift_left", {i(3), i(4)})), 48.0);
        QCOMPARE(real(call("shift_right", {i(-8), i(1)})), -4.0);
        QCOMPARE(real(call("shift_right", {i(248, DataType::uint(8)), i(1, DataType::uint(8))})), 124.0);
        QCOMPARE(real(call("bitwise_xor", {i(6), i(3)})), 5.0);
        QCOMPARE(real(call("bitwise_not", {i(0, DataType::uint(8))})), 255.0);
        QCOMPARE(real(call("abs", {i(-3)})), 3.0);
        QCOMPARE(real(call("q_multiply_shift", {i(1 << 30), i(1 << 30), i(31), i(1)})), 1073741824.0);
    }

    void everyPureIntrinsicOfFloatsRuns()
    {
        for (const ir::Intrinsic &intrinsic : ir::intrinsics::table) {
            if (!intrinsic.transcendental)
                continue;
            const std::vector<Expr> args(static_cast<std::size_t>(intrinsic.minArgs), f(0.5));
            QVERIFY2(!std::isnan(real(ir::callIntrinsic(intrinsic, args))) || intrinsic.name == "acosh",
                     std::string(intrinsic.name).c_str());
        }
    }

    void logicIsLazyAndNaNComparesFalse()
    {
        const Expr nan = f(std::nan(""));
        QCOMPARE(real(lt(nan, f(1))), 0.0);
        QCOMPARE(real(ge(nan, f(1))), 0.0);
        QCOMPARE(real(ne(nan, nan)), 1.0);
        const Expr no = call("likely", {cast(DataType::boolean(), i(0))});
        const Expr divides = eq(floorDiv(i(1), i(0)), 1);
        QCOMPARE(real(ir::binaryNode(ir::BinaryOp::And, no, divides)), 0.0);
        QCOMPARE(real(ir::binaryNode(ir::BinaryOp::Or, logicalNot(no), divides)), 1.0);
    }

    void vectors()
    {
        const Buffer a("A", {8}), b("B", {8}), c("C", {4}, DataType::float_(32, 2));
        const Expr reversed = load(a, {ir::ramp(7, -1, 8)});
        const Expr doubled = reversed * ir::broadcast(ir::floatImm(2), 8);
        const ir::Var v("v", DataType::float_(32, 8));
        const Expr lane = cast(DataType::float_(32, 8), ir::ramp(0, 1, 8));
        ir::LetStmt let;
        let.var = v;
        let.value = doubled;
        let.body = ir::seq({store(b, v + lane, {ir::ramp(0, 1, 8)}),
                            store(c, load(b, {ir::ramp(0, 1, 8)}), {ir::ramp(0, 1, 4)})});
        ir::PrimFunc function;
        for (const Buffer &buffer : {a, b, c})
            function.params.push_back({ir::Var(buffer.name(), DataType::handle()), buffer});
        function.body = make(let);
        auto arrays = interp::makeArguments(function, 5);
        QVERIFY(arrays);
        const std::array<ir::NdArray *, 3> buffers{&(*arrays)[0], &(*arrays)[1], &(*arrays)[2]};
        const auto done = interp::run(function, buffers);
        QVERIFY2(done, done ? "" : done.error().render().c_str());
        for (int x = 0; x < 8; ++x) {
            const float expected = (*arrays)[0].data<float>()[7 - x] * 2 + static_cast<float>(x);
            QCOMPARE((*arrays)[1].data<float>()[x], expected);
            QCOMPARE((*arrays)[2].data<float>()[x], expected);
        }
    }

    void eachArgumentHasItsOwnNumbers()
    {
        ir::PrimFunc function;
        for (const char *name : {"A", "B", "C"})
            function.params.push_back({ir::Var(name, DataType::handle()), Buffer(name, {16})});
        function.body = ir::evaluate(0);
        const auto arrays = interp::makeArguments(function, 5), others = interp::makeArguments(function, 6);
        QVERIFY(arrays && others);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j)
                QCOMPARE(ir::compare((*arrays)[i], (*arrays)[j], 0, 0).withinTolerance, i == j);
            QVERIFY(!ir::compare((*arrays)[i], (*others)[i], 0, 0).withinTolerance);
        }
    }

    void vectorStoresReadAllLanesFirst()
    {
        const Buffer a("A", {9});
        ir::PrimFunc function;
        function.params.push_back({ir::Var("A", DataType::handle()), a});
        function.body = store(a, load(a, {ir::ramp(0, 1, 8)}), {ir::ramp(1, 1, 8)}); // moves on by one
        ir::NdArray array(DataType::float32(), {9});
        for (int x = 0; x < 9; ++x)
            array.set(x, x);
        const std::array<ir::NdArray *, 1> buffers{&array};
        QVERIFY(interp::run(function, buffers));
        for (int x = 1; x < 9; ++x)
            QCOMPARE(array.at(x), x - 1.0);
    }
};

QTEST_GUILESS_MAIN(ValueTest)
#include "value_test.moc"
