// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/values.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace nestwright::script;
using py::BinaryOp;
using py::FaultKind;
using py::Number;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t integer(BinaryOp op, Number a, Number b)
{
    return std::get<std::int64_t>(*py::arithmetic(op, a, b));
}
double real(BinaryOp op, Number a, Number b) { return std::get<double>(*py::arithmetic(op, a, b)); }
bool isRefused(BinaryOp op, Number a, Number b, FaultKind kind)
{
    const auto result = py::arithmetic(op, a, b);
    return !result && result.error().kind == kind;
}
Number whole(std::int64_t value) { return value; }

} // namespace

class NumbersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integers()
    {
        QCOMPARE(integer(BinaryOp::FloorDiv, whole(-7), whole(2)), -4);
        QCOMPARE(integer(BinaryOp::FloorDiv, whole(7), whole(-2)), -4);
        QCOMPARE(integer(BinaryOp::Mod, whole(-7), whole(3)), 2);
        QCOMPARE(integer(BinaryOp::Mod, whole(7), whole(-3)), -2);
        QCOMPARE(integer(BinaryOp::Mod, whole(least), whole(-1)), 0);
        QCOMPARE(integer(BinaryOp::Pow, whole(-2), whole(63)), least);
        QCOMPARE(integer(BinaryOp::Pow, whole(-1), whole(most)), -1);
        QCOMPARE(integer(BinaryOp::ShiftRight, whole(-5), whole(100)), -1);
        QCOMPARE(integer(BinaryOp::Add, true, true), 2);
        QVERIFY(std::get<bool>(*py::arithmetic(BinaryOp::BitXor, true, false)));
        QCOMPARE(std::get<std::int64_t>(*py::signedNumber(py::UnaryOp::Invert, true)), -2);
        QCOMPARE(std::get<std::int64_t>(*py::signedNumber(py::UnaryOp::Plus, true)), 1);
    }

    void comparisons()
    {
        using py::CompareOp;
        const auto answers = [](const Number &a, const Number &b) {
            std::string text;
            for (const CompareOp op :
                 {CompareOp::LT, CompareOp::LE, CompareOp::GT, CompareOp::GE, CompareOp::NE, CompareOp::EQ})
                text += py::holds(op, py::order(a, b)) ? 'y' : 'n';
            return text;
        };
        QCOMPARE(answers(whole(1), 2.5), std::string("yynnyn"));
        QCOMPARE(answers(2.0, whole(2)), std::string("nynyny"));
        QCOMPARE(answers(whole(most), whole(least)), std::string("nnyyyn"));
        QCOMPARE(answers(std::nan(""), whole(0)), std::string("nnnnyn"));
    }

    void floats()
    {
        QCOMPARE(real(BinaryOp::Div, whole(7), whole(2)), 3.5);
        QCOMPARE(real(BinaryOp::Pow, whole(2), whole(-1)), 0.5);
        QCOMPARE(real(BinaryOp::FloorDiv, -0.6, 0.2), -3.0);
        QCOMPARE(real(BinaryOp::Mod, -7.5, whole(2)), 0.5);
        QVERIFY(std::signbit(real(BinaryOp::Mod, 4.0, -2.0)));
    }

    void refusals()
    {
        QVERIFY(isRefused(BinaryOp::Add, whole(most), whole(1), FaultKind::Overflow));
        QVERIFY(isRefused(BinaryOp::FloorDiv, whole(least), whole(-1), FaultKind::Overflow));
        QVERIFY(isRefused(BinaryOp::Pow, whole(2), whole(63), FaultKind::Overflow));
        QVERIFY(isRefused(BinaryOp::ShiftLeft, whole(1), whole(63), FaultKind::Overflow));
        QVERIFY(isRefused(BinaryOp::Pow, 1e300, 2.0, FaultKind::Overflow));
        QVERIFY(isRefused(BinaryOp::Div, whole(1), false, FaultKind::DivisionByZero));
        QVERIFY(isRefused(BinaryOp::Mod, 1.5, -0.0, FaultKind::DivisionByZero));
        QVERIFY(isRefused(BinaryOp::Pow, whole(0), whole(-1), FaultKind::DivisionByZero));
        QVERIFY(isRefused(BinaryOp::Pow, -8.0, 0.5, FaultKind::Type));
        QVERIFY(isRefused(BinaryOp::BitAnd, 1.5, whole(1), FaultKind::Type));
        QVERIFY(isRefused(BinaryOp::ShiftRight, whole(1), whole(-1), FaultKind::Type));
        QVERIFY(!py::signedNumber(py::UnaryOp::Minus, whole(least)));
    }

    void comparisonsAreExact()
    {
        QVERIFY(py::order(whole(4), 4.0) == 0);
        QVERIFY(py::order(whole((std::int64_t{1} << 53) + 1), 9007199254740992.0) > 0);
        QVERIFY(py::order(9007199254740992.0, whole((std::int64_t{1} << 53) + 1)) < 0);
        QVERIFY(py::order(whole(most), 9223372036854775808.0) < 0);
        QVERIFY(py::order(whole(least), -9223372036854775808.0) == 0);
        QVERIFY(py::order(whole(-1), -1.5) > 0);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(!py::holds(py::CompareOp::EQ, py::order(whole(1), nan)));
        QVERIFY(py::holds(py::CompareOp::NE, py::order(nan, nan)));
        QVERIFY(py::holds(py::CompareOp::LE, py::order(true, whole(1))));
    }

    void plainValuesOfADomain()
    {
        struct Loop {};
        using Value = py::ValueOf<Loop>;
        QVERIFY(!py::numberOf(Value(Loop())) && !py::numberOf(Value(std::string("1"))));
        QCOMPARE(py::integerOf(*py::numberOf(Value(true))), 1);
        QCOMPARE(py::truthOf(Value()), false);
        QCOMPARE(py::truthOf(Value(std::string())), false);
        QCOMPARE(py::truthOf(Value(0.5)), true);
        QVERIFY(!py::truthOf(Value(Loop())));
    }
};

QTEST_APPLESS_MAIN(NumbersTest)
#include "numbers_test.moc"
