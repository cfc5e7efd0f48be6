// SPDX-License-Identifier: Apache-2.0
// Intrinsics of LLVM in plainer ones, and the arguments that they take.
#include "core/ir/build/builder.h"
#include "core/ir/build/conversions.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/intrinsic_meaning.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"

#include <QTest>

using namespace nestwright;
using ir::DataType;
using ir::Expr;

namespace {

Expr llvmCall(const char *name, DataType type, std::vector<Expr> args)
{
    args.insert(args.begin(), ir::stringImm(name));
    return ir::callIntrinsic("call_llvm_pure_intrin", std::move(args), type);
}

Expr variable(const char *name, DataType type) { return ir::Var(name, type); }

QString meaning(const Expr &call)
{
    const Expr found = ir::meaningOf(*call.as<ir::Call>());
    return found ? QString::fromStdString(script::printExpr(found)) : QString();
}

QString fault(const Expr &call)
{
    return QString::fromStdString(ir::intrinsicFault(*call.as<ir::Call>()).value_or(""));
}

} // namespace

class IntrinsicMeaningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesWithTypes()
    {
        const Expr x = variable("x", DataType::float_(32, 4));
        for (const char *name : {"llvm.sqrt", "llvm.sqrt.f32", "llvm.sqrt.v4f32", "llvm.sqrt.v4f32.i64"})
            QCOMPARE(meaning(llvmCall(name, x.dtype(), {x})), QString("T.sqrt(x)"));
        QCOMPARE(meaning(llvmCall("llvm.sqrt", x.dtype(), {ir::intImm(1, DataType::uint(32)), x})),
                 QString("T.sqrt(x)")); // older versions say how many types there are
        for (const char *name :
             {"llvm.sqrty", "sqrt", "llvm.", "", "llvm.sqrt.nxv4", "llvm.f32", "llvm.sqrt.v",
              "llvm.sqrt.vf32", "llvm.sqrt.f", "llvm.sqrt.f32x", "llvm.sqrt.v4", "f32"})
            QVERIFY2(meaning(llvmCall(name, x.dtype(), {x})).isEmpty(), name);
        QVERIFY(!ir::meaningOf(*ir::callIntrinsic("sqrt", {x}).as<ir::Call>()));
        const std::vector<Expr> args{ir::stringImm("llvm.sqrt"), x};
        QVERIFY(ir::meaningOf(*ir::callIntrinsic("call_llvm_intrin", args, x.dtype()).as<ir::Call>()));
        QVERIFY(!ir::meaningOf(*ir::call(x.dtype(), "call_pure_extern", args).as<ir::Call>()));
        const auto nameIn = [&](const char *name) {
            return ir::llvmIntrinsicName(*llvmCall(name, x.dtype(), {x}).as<ir::Call>());
        };
        QCOMPARE(nameIn("llvm.sqrt.v4f32"), std::string("llvm.sqrt"));
        QCOMPARE(nameIn("llvm.f32"), std::string("llvm.f32"));
        QCOMPARE(nameIn("f32"), std::string("f32"));
        QCOMPARE(ir::llvmIntrinsicName(*ir::call(x.dtype(), "call_llvm_pure_intrin", {}).as<ir::Call>()),
                 std::string());
        QCOMPARE(ir::llvmIntrinsicName(*ir::call(x.dtype(), "call_pure_extern", args).as<ir::Call>()),
                 std::string());
    }

    void plainOnes()
    {
        const Expr x = variable("x", DataType::float32()), y = variable("y", DataType::float32());
        const Expr i = variable("i", DataType::int32()), j = variable("j", DataType::int32());
        QCOMPARE(meaning(llvmCall("llvm.rint", x.dtype(), {x})), QString("T.nearbyint(x)"));
        QCOMPARE(meaning(llvmCall("llvm.fmuladd", x.dtype(), {x, y, x})), QString("T.fma(x, y, x)"));
        QCOMPARE(meaning(llvmCall("llvm.smax", i.dtype(), {i, j})), QString("T.max(i, j)"));
        QCOMPARE(meaning(llvmCall("llvm.umin", i.dtype(), {i, j})),
                 QString("T.Cast(\"int32\", T.min(T.Cast(\"uint32\", i), T.Cast(\"uint32\", j)))"));
        QCOMPARE(meaning(llvmCall("llvm.maxnum", x.dtype(), {x, y})),
                 QString("T.Select(T.isnan(x), y, T.Select(T.isnan(y), x, T.max(x, y)))"));
        QVERIFY(!meaning(llvmCall("llvm.maximum", x.dtype(), {x, ir::floatImm(1)})).contains("where"));
        QVERIFY(!meaning(llvmCall("llvm.smax", i.dtype(), {i, Expr(1)})).contains("where"));
        const DataType lanes = DataType::uint(32, 4), bytes = DataType::uint(8, 16);
        QCOMPARE(ir::meaningOf(*llvmCall("llvm.aarch64.neon.udot", lanes,
                                         {variable("s", lanes), variable("a", bytes), variable("b", bytes)})
                                    .as<ir::Call>())
                     .dtype(),
                 lanes);
        // A value that is used several times is computed once.
        QVERIFY(meaning(llvmCall("llvm.maximum", x.dtype(), {x + y, y})).contains("where={x: x_1 + y}"));
    }

    void argumentsThatDoNotFit()
    {
        const Expr x = variable("x", DataType::float32()), i = variable("i", DataType::int32());
        const Expr h = variable("h", DataType::handle()), d = variable("d", DataType::float_(64));
        QVERIFY(fault(llvmCall("llvm.sqrt", DataType::float32(), {x})).isEmpty());
        QVERIFY(fault(llvmCall("llvm.sqrt", DataType::float32(), {x, x}))
                    .contains("takes 1 argument, but is given 2"));
        QVERIFY(fault(llvmCall("llvm.sqrt", DataType::int32(), {i})).contains("'int32'"));
        QVERIFY(fault(llvmCall("llvm.sqrt", DataType::float32(), {d})).contains("'float64'"));
        QVERIFY(fault(llvmCall("llvm.fma", DataType::float32(), {x, x, h})).contains("argument 3"));
        QVERIFY(fault(llvmCall("llvm.smax", DataType::float32(), {x, x})).contains("'float32'"));
        QVERIFY(fault(llvmCall("llvm.sadd.sat", DataType::int64(),
                               {variable("l", DataType::int64()), variable("m", DataType::int64())}))
                    .contains("'int64'"));
        QVERIFY(fault(llvmCall("llvm.abs", DataType::int32(), {i, variable("b", DataType::boolean())}))
                    .contains("constant"));
        QVERIFY(fault(llvmCall("llvm.x86.avx512.vpdpbusd.512", DataType::int_(32, 16),
                               {variable("c", DataType::int_(32, 16)), variable("a", DataType::int_(32, 16)),
                                variable("b", DataType::int_(32, 8))}))
                    .contains("argument 3"));
        QVERIFY_THROWS_EXCEPTION(
            support::UserError, ir::meaningOf(*llvmCall("llvm.sqrt", DataType::int32(), {i}).as<ir::Call>()));
        const Expr u = variable("u", DataType::uint(32));
        for (const Expr &count : {u, Expr(1)}) // only a constant of this type says how many types there are
            QVERIFY(fault(llvmCall("llvm.sqrt", DataType::float32(), {count, x})).contains("is given 2"));
        const DataType four = DataType::float_(32, 4);
        QVERIFY(fault(llvmCall("llvm.powi", DataType::float32(), {x, i})).isEmpty());
        QVERIFY(fault(llvmCall("llvm.powi", DataType::float32(), {d, i})).contains("argument 1"));
        QVERIFY(fault(llvmCall("llvm.powi", DataType::int32(), {i, i})).contains("argument 1"));
        QVERIFY(fault(llvmCall("llvm.powi", DataType::float32(), {x, x})).contains("argument 2"));
        QVERIFY(fault(llvmCall("llvm.powi", four, {variable("y", four), i})).contains("argument 2"));
        const Expr flag = ir::boolImm(true);
        QVERIFY(fault(llvmCall("llvm.abs", DataType::int32(), {i, flag})).isEmpty());
        QVERIFY(fault(llvmCall("llvm.abs", DataType::int64(), {i, flag})).contains("argument 1"));
        QVERIFY(fault(llvmCall("llvm.abs", DataType::float32(), {x, flag})).contains("argument 1"));
        const DataType sixteen = DataType::int_(32, 16);
        const Expr c = variable("c", sixteen);
        QVERIFY(fault(llvmCall("llvm.x86.avx512.vpdpbusd.512", sixteen, {c, c, c})).isEmpty());
        QVERIFY(fault(llvmCall("llvm.x86.avx512.vpdpbusd.512", sixteen,
                               {variable("g", DataType::float_(32, 16)), c, c}))
                    .contains("argument 1"));
        const auto perAxis = [&](std::size_t place, const Expr &other) {
            std::vector<Expr> args{i, i, Expr(1), Expr(2), Expr(3), flag, flag};
            args[place] = other;
            return fault(ir::callIntrinsic("q_multiply_shift_per_axis", args));
        };
        QVERIFY(perAxis(0, i).isEmpty() && perAxis(5, i).isEmpty());
        QVERIFY(perAxis(0, flag).contains("argument 1"));
        QVERIFY(perAxis(4, flag).contains("argument 5"));
        QVERIFY(perAxis(6, x).contains("argument 7"));
        // Products of fixed-point numbers.
        QVERIFY(fault(ir::callIntrinsic("q_multiply_shift", {i, i, Expr(31), Expr(0)})).isEmpty());
        QVERIFY(
            fault(ir::callIntrinsic("q_multiply_shift", {x, i, Expr(31), Expr(0)})).contains("argument 1"));
        QVERIFY(
            fault(ir::callIntrinsic("q_multiply_shift", {i, i, Expr(31), variable("s", DataType::int64())}))
                .contains("argument 4"));
    }

    void conversions()
    {
        QVERIFY(ir::canReinterpret(DataType::float32(), DataType::int32()));
        QVERIFY(ir::canReinterpret(DataType::int_(8, 4), DataType::float32()));
        QVERIFY(!ir::canReinterpret(DataType::float32(), DataType::int64()));
        QVERIFY(!ir::canReinterpret(DataType::int_(8, 4), DataType::int_(8, 2)));
        QVERIFY(ir::canReinterpret(DataType::handle(), DataType::uint(64)));
        QVERIFY(ir::canReinterpret(DataType::handle(), DataType::handle()));
        QVERIFY(!ir::canReinterpret(DataType::handle(), DataType::int32()));
        QVERIFY(!ir::canReinterpret(DataType::float_(64), DataType::handle()));
        QVERIFY(!ir::canCast(DataType::handle(), DataType::float32()));
        QVERIFY(!ir::canCast(DataType::int64(), DataType::handle()));
        QVERIFY(ir::canCast(DataType::boolean(), DataType::float32()));
        const Expr x = variable("x", DataType::float32());
        QVERIFY(fault(ir::callIntrinsic("reinterpret", {x}, DataType::int64())).contains("'int64'"));
        QVERIFY(fault(ir::callIntrinsic("reinterpret", {x}, DataType::int32())).isEmpty());
    }
};

QTEST_APPLESS_MAIN(IntrinsicMeaningTest)
#include "intrinsic_meaning_test.moc"
