// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"

#include "core/ir/build/intrinsics.h"
#include "core/ir/fold.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

std::string shown(const Expr &e) { return script::printExpr(e); }

const Var i("i"), b("b", DataType::boolean()), f("f", DataType::float32()), h("h", DataType::float_(16));
const Var q("q", DataType::int64()), u("u", DataType::uint(8)), p("p", DataType::handle());

} // namespace

class BuilderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endsOfTypes()
    {
        const auto isInt = [](const Expr &e, DataType dtype, std::int64_t value) {
            return e.dtype() == dtype && ir::isConstInt(e, value);
        };
        using Limits = std::numeric_limits<std::int64_t>;
        QVERIFY(isInt(ir::minValue(DataType::int_(8)), DataType::int_(8), -128));
        QVERIFY(isInt(ir::maxValue(DataType::int_(8)), DataType::int_(8), 127));
        QVERIFY(isInt(ir::minValue(DataType::int64()), DataType::int64(), Limits::min()));
        QVERIFY(isInt(ir::maxValue(DataType::int64()), DataType::int64(), Limits::max()));
        QVERIFY(isInt(ir::minValue(DataType::uint(16)), DataType::uint(16), 0));
        QVERIFY(isInt(ir::maxValue(DataType::uint(16)), DataType::uint(16), 65535));
        QVERIFY(isInt(ir::maxValue(DataType::boolean()), DataType::boolean(), 1));
        QCOMPARE(ir::minValue(DataType::float_(16)).as<ir::FloatImm>()->value, -65504.0);
        QCOMPARE(ir::maxValue(DataType::float_(64)).as<ir::FloatImm>()->value,
                 std::numeric_limits<double>::max());
    }

    void folding_data()
    {
        QTest::addColumn<Expr>("e");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const char *name, const Expr &e, const char *expected) {
            QTest::newRow(name) << e << std::string(expected);
        };
        row("2+3", Expr(2) + 3, "5");
        row("i+0", i + 0, "i");
        row("0+i", Expr(0) + i, "i");
        row("i-0", i - 0, "i");
        row("i*1", i * 1, "i");
        row("1*i", Expr(1) * i, "i");
        row("i*0", i * 0, "0");
        row("i//1", ir::floorDiv(i, 1), "i");
        row("i%1", ir::floorMod(i, 1), "0");
        row("0//i", ir::floorDiv(Expr(0), i), "0");
        row("-7//2", ir::floorDiv(Expr(-7), 2), "-4");
        row("-7%2", ir::floorMod(Expr(-7), 2), "1");
        row("7%-2", ir::floorMod(Expr(7), -2), "-1");
        row("-7 div 2", ir::truncDiv(-7, 2), "-3");
        row("-7 mod 2", ir::truncMod(-7, 2), "-1");
        row("7//0", ir::floorDiv(Expr(7), 0), "7 // 0");
        row("0//0", ir::floorDiv(Expr(0), 0), "0 // 0");
        row("min", ir::min(3, 4), "3");
        row("max(i,i)", ir::max(i, i), "i");
        row("3<4", ir::lt(3, 4), "T.bool(True)");
        row("b and true", ir::logicalAnd(b, ir::boolImm(true)), "b");
        row("b and false", ir::logicalAnd(b, ir::boolImm(false)), "T.bool(False)");
        row("b or true", ir::logicalOr(b, ir::boolImm(true)), "T.bool(True)");
        row("false or b", ir::logicalOr(ir::boolImm(false), b), "b");
        row("not true", ir::logicalNot(ir::boolImm(true)), "T.bool(False)");
        row("i and b", ir::logicalAnd(i, b), "i != 0 and b");
        row("f+0", f + 0.0F, "f + T.float32(0.0)"); // -0.0 + 0.0 is 0.0
        row("f*0", f * 0.0F, "f * T.float32(0.0)"); // NaN stays NaN
        row("f*1", f * 1.0F, "f * T.float32(1.0)");
        row("0.1+0.2", Expr(0.1F) + Expr(0.2F), "T.float32(0.29999999999999999)");
        row("int32 wraps", Expr(std::numeric_limits<std::int32_t>::max()) + 1, "-2147483648");
        row("int32 product", Expr(65536) * 65536, "0");
        row("uint8 wraps", ir::intImm(200, DataType::uint(8)) + ir::intImm(100, DataType::uint(8)),
            "T.uint8(44)");
        row("uint64 order", ir::lt(ir::intImm(-1, DataType::uint(64)), ir::intImm(1, DataType::uint(64))),
            "T.bool(False)");
        row("uint64 division",
            ir::floorDiv(ir::intImm(-1, DataType::uint(64)), ir::intImm(2, DataType::uint(64))),
            "T.uint64(9223372036854775807)");
        row("least // -1",
            ir::floorDiv(ir::intImm(INT64_MIN, DataType::int64()), ir::intImm(-1, DataType::int64())),
            "T.int64(-9223372036854775808)");
        row("minus least", -ir::intImm(INT64_MIN, DataType::int64()), "T.int64(-9223372036854775808)");
        row("-i", -i, "0 - i");
        row("-2.5", -Expr(2.5F), "T.float32(-2.5)");
        row("cast", ir::cast(DataType::int_(8), 300), "T.int8(44)");
        row("cast float", ir::cast(DataType::int32(), Expr(-2.75F)), "-2");
        row("cast bool", ir::cast(DataType::boolean(), 2), "T.bool(True)");
        row("cast same", ir::cast(DataType::int32(), i), "i");
        row("cast nan", ir::cast(DataType::int32(), Expr(std::numeric_limits<float>::quiet_NaN())), "0");
        row("cast half", ir::cast(DataType::float32(), ir::floatImm(0.1, DataType::float_(16))),
            "T.float32(0.0999755859375)");
        row("cast bfloat", ir::cast(DataType::float32(), ir::floatImm(0.1, DataType::bfloat16())),
            "T.float32(0.10009765625)");
        row("half overflow", ir::floatImm(70000, DataType::float_(16)), "T.float16(\"inf\")");
        row("half written", ir::floatImm(0.1, DataType::float_(16)), "T.float16(0.10000000000000001)");
        row("broadcast cast", ir::cast(DataType::float_(32, 4), i), "T.Broadcast(T.Cast(\"float32\", i), 4)");
    }
    void folding()
    {
        QFETCH(Expr, e);
        QFETCH(std::string, expected);
        QCOMPARE(shown(e), expected);
    }

    void typeMatching_data()
    {
        QTest::addColumn<Expr>("e");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const char *name, const Expr &e, const char *expected) {
            QTest::newRow(name) << e << std::string(expected);
        };
        row("q+1", q + 1, "q + T.int64(1)");
        row("i+int64 const", i + ir::intImm(1, DataType::int64()), "i + 1");
        row("i+large const", i + Expr(std::int64_t{1} << 40),
            "T.Cast(\"int64\", i) + T.int64(1099511627776)");
        row("i+q", i + q, "T.Cast(\"int64\", i) + q");
        row("u+1", u + 1, "u + T.uint8(1)");
        row("u+300", u + 300, "T.Cast(\"int32\", u) + 300");
        row("u-(-1)", u + -1, "T.Cast(\"int32\", u) + -1");
        row("f+1", f + 1, "f + T.float32(1.0)");
        row("i+f", i + f, "T.Cast(\"float32\", i) + f");
        row("i+0.5", i + 0.5F, "T.Cast(\"float32\", i) + T.float32(0.5)");
        row("h*1.5", h * 1.5F, "h * T.float16(1.5)");
        row("h+f", h + f, "T.Cast(\"float32\", h) + f");
        row("b+1", b + 1, "T.Cast(\"int32\", b) + 1");
        row("b+i", b + i, "T.Cast(\"int32\", b) + i");
        row("i==true", ir::eq(i, ir::boolImm(true)), "i == 1");
        row("ramp+1", ir::ramp(i, 1, 4) + 1, "T.Ramp(i, 1, 4) + T.Broadcast(1, 4)");
        row("select", ir::select(b, i, 0.5F), "T.Select(b, T.Cast(\"float32\", i), T.float32(0.5))");
    }
    void typeMatching()
    {
        QFETCH(Expr, e);
        QFETCH(std::string, expected);
        QCOMPARE(shown(e), expected);
    }

    void halvesOfTwoKinds()
    {
        const Expr half = ir::Var("h", DataType::float_(16)), brain = ir::Var("b", DataType::bfloat16());
        QCOMPARE((half + brain).dtype(), DataType::float_(16));
        QCOMPARE((brain + half).dtype(), DataType::float_(16));
    }

    /// A choice between a number and a vector is one between vectors.
    void lanesOfChoices()
    {
        const auto choice = [](const Expr &yes, const Expr &no) {
            return ir::callIntrinsic("if_then_else", {ir::lt(i, 3), yes, no});
        };
        const Expr vector = ir::ramp(i, 1, 4);
        QCOMPARE(choice(vector, i).dtype().lanes, 4);
        QCOMPARE(choice(i, vector).dtype().lanes, 4);
        QCOMPARE(choice(i, vector).as<ir::Call>()->args[1].dtype().lanes, 4);
        QCOMPARE(choice(vector, i).as<ir::Call>()->args[2].dtype().lanes, 4);
        QCOMPARE(choice(vector, vector).dtype().lanes, 4);
        QCOMPARE(choice(i, i).dtype().lanes, 1);
    }

    void noCommonType()
    {
        const auto code = [](auto make) {
            try {
                make();
            } catch (const support::UserError &error) {
                return error.diagnostic().code;
            }
            return std::string();
        };
        QCOMPARE(code([] { return ir::callIntrinsic("infinity", {i}, DataType::float32()); }),
                 std::string("ir.argument-count"));
        QCOMPARE(code([] {
                     return ir::callIntrinsic("if_then_else",
                                              {ir::lt(i, 3), ir::ramp(i, 1, 4), ir::ramp(i, 1, 8)});
                 }),
                 std::string("type.mismatch"));
        QCOMPARE(code([] { return p + 1; }), std::string("type.mismatch"));
        QCOMPARE(code([] { return ir::ramp(i, 1, 4) + ir::ramp(i, 1, 8); }), std::string("type.mismatch"));
        QCOMPARE(code([] { return ir::callIntrinsic("nothing", {}); }), std::string("ir.unknown-intrinsic"));
        QCOMPARE(code([] { return ir::callIntrinsic("exp", {}); }), std::string("ir.argument-count"));
    }

    void unchangedNodesAreShared()
    {
        const Expr b = ir::lt(i, 3), yes = ir::boolImm(true), no = ir::boolImm(false);
        QVERIFY(ir::logicalOr(b, no).same(b) && ir::logicalOr(no, b).same(b));
        QVERIFY(ir::isTrue(ir::logicalOr(b, yes)) && ir::isTrue(ir::logicalOr(yes, b)));
        QVERIFY(ir::logicalAnd(b, yes).same(b) && ir::logicalAnd(yes, b).same(b));
        QVERIFY(ir::isFalse(ir::logicalAnd(b, no)) && ir::isFalse(ir::logicalAnd(no, b)));
        QCOMPARE(ir::binaryNode(ir::BinaryOp::Or, i, i).dtype(), DataType::boolean());
        QCOMPARE(ir::binaryNode(ir::BinaryOp::And, i, i).dtype(), DataType::boolean());
        QVERIFY((i + 0).same(i));
        QVERIFY(ir::cast(DataType::int32(), i).same(i));
        QVERIFY(ir::max(f, f).same(f));
    }

    void loadsAndStores()
    {
        const Buffer a("A", {16, 16}, DataType::float_(16));
        QCOMPARE(ir::load(a, {i, ir::ramp(0, 1, 8)}).dtype(), DataType::float_(16, 8));
        const Stmt store = ir::store(a, 1, {i, ir::ramp(0, 1, 8)});
        QCOMPARE(shown(store.as<ir::BufferStore>()->value), std::string("T.Broadcast(T.float16(1.0), 8)"));
        const Buffer scalar("S", {});
        QCOMPARE(ir::load(scalar, {}).dtype(), DataType::float32());
        QCOMPARE(ir::fullRegion(a).region.size(), 2U);
        QVERIFY(ir::isConstInt(ir::fullRegion(a).region[1].extent, 16));
        QVERIFY(ir::isConstInt(ir::pointRegion({i, q})[1].extent, 1));
        QCOMPARE(ir::pointRegion({i, q})[1].extent.dtype(), DataType::int64());
    }

    void sequences()
    {
        const Stmt one = ir::evaluate(i), two = ir::evaluate(q), nothing = ir::evaluate(0);
        QVERIFY(ir::isNoOp(ir::seq({})));
        QVERIFY(ir::seq({one}).same(one));
        QVERIFY(ir::seq({nothing, one, nothing}).same(one));
        QVERIFY(ir::seq({one, Stmt()}).same(one));
        const Stmt nested = ir::seq({one, ir::seq({two, one}), two});
        QCOMPARE(nested.as<ir::Seq>()->stmts.size(), 4U);
        QVERIFY(ir::isNoOp(ir::seq({nothing, nothing})));
    }

    void dataTypes()
    {
        for (const char *text : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                 "float16", "float32", "float64", "bfloat16", "bool", "handle", "void",
                                 "float32x8", "boolx4", "bfloat16x2", "int8x4096"}) {
            const auto type = DataType::parse(text);
            QVERIFY2(type, text);
            QCOMPARE(type->str(), std::string(text));
        }
        for (const char *text : {"", "int", "int33", "int32x", "int32x0", "int32x1", "int32x-4",
                                 "int32x99999", "x4", "float32 ", "handlex2", "int32x4x4", "float", "INT32"})
            QVERIFY2(!DataType::parse(text), text);
        QCOMPARE(DataType::boolean().bytes(), 1);
        QCOMPARE(DataType::bfloat16().bytes(), 2);
        QCOMPARE(DataType::float_(32, 8).bytes(), 4);
    }

    void wrapping()
    {
        QCOMPARE(ir::wrapToType(255, DataType::int_(8)), -1);
        QCOMPARE(ir::wrapToType(-1, DataType::uint(8)), 255);
        QCOMPARE(ir::wrapToType(128, DataType::int_(8)), -128);
        QCOMPARE(ir::wrapToType(-7, DataType::boolean()), 1);
        QCOMPARE(ir::wrapToType(INT64_MIN, DataType::int64()), INT64_MIN);
        for (std::int64_t a = -9; a <= 9; ++a) {
            for (std::int64_t d = -4; d <= 4; ++d) {
                if (d == 0)
                    continue;
                QCOMPARE(ir::floorDiv(a, d) * d + ir::floorMod(a, d), a);
                QVERIFY(d > 0 ? ir::floorMod(a, d) >= 0 && ir::floorMod(a, d) < d
                              : ir::floorMod(a, d) <= 0 && ir::floorMod(a, d) > d);
            }
        }
    }
};

QTEST_GUILESS_MAIN(BuilderTest)
#include "builder_test.moc"
