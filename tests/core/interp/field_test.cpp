// SPDX-License-Identifier: Apache-2.0
#include "core/interp/field.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using namespace nestwright::interp;

namespace {

constexpr int rounds = 20000;

Element anyElement(std::mt19937_64 &random) { return random() % fieldPrime; }

/// Any finite number, of all sizes.
double anyNumber(std::mt19937_64 &random)
{
    const double mantissa = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
    return std::ldexp(mantissa, static_cast<int>(random() % 200) - 100);
}

} // namespace

class FieldTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arithmetic()
    {
        std::mt19937_64 random(1);
        for (int i = 0; i < rounds; ++i) {
            const Element a = anyElement(random), b = anyElement(random), c = anyElement(random);
            QCOMPARE(fieldMultiply(a, fieldAdd(b, c)), fieldAdd(fieldMultiply(a, b), fieldMultiply(a, c)));
            QCOMPARE(fieldMultiply(fieldMultiply(a, b), c), fieldMultiply(a, fieldMultiply(b, c)));
            QCOMPARE(fieldAdd(fieldSubtract(a, b), b), a);
            QCOMPARE(fieldAdd(a, fieldNegate(a)), Element{0});
            QVERIFY(isElement(fieldMultiply(a, b)) && isElement(fieldAdd(a, b)));
            const auto wide = static_cast<unsigned __int128>(a) * b % fieldPrime;
            QCOMPARE(fieldMultiply(a, b), static_cast<Element>(wide));
        }
        QCOMPARE(fieldMultiply(fieldPrime - 1, fieldPrime - 1), Element{1});
    }

    void inverses()
    {
        std::mt19937_64 random(2);
        for (int i = 0; i < rounds; ++i) {
            const Element a = 1 + random() % (fieldPrime - 1);
            QCOMPARE(fieldMultiply(a, fieldInverse(a)), Element{1});
        }
        QCOMPARE(fieldInverse(0), Element{0});
        QCOMPARE(fieldInverse(3), fieldPower(3, fieldPrime - 2));
    }

    void integers()
    {
        QCOMPARE(fieldInteger(-1), fieldPrime - 1);
        QCOMPARE(fieldInteger(std::numeric_limits<std::int64_t>::min()), fieldNegate(4));
        QCOMPARE(fieldUnsigned(std::numeric_limits<std::uint64_t>::max()), Element{7});
        QCOMPARE(fieldMultiply(fieldPowerOfTwo(-7), fieldInteger(128)), Element{1});
    }

    /// Where sums and products of doubles are exact, they are those of the elements.
    void numbers()
    {
        std::mt19937_64 random(3);
        for (int i = 0; i < rounds; ++i) {
            const double a = static_cast<float>(anyNumber(random)), b = static_cast<float>(anyNumber(random));
            QCOMPARE(fieldNumber(a * b), fieldMultiply(fieldNumber(a), fieldNumber(b))); // 24 digits each
            QCOMPARE(fieldNumber(-a), fieldNegate(fieldNumber(a)));
        }
        QCOMPARE(fieldNumber(0.75), fieldMultiply(fieldInteger(3), fieldInverse(4)));
        QCOMPARE(fieldNumber(-0.0), Element{0});
        QCOMPARE(fieldNumber(std::numeric_limits<double>::denorm_min()), fieldPowerOfTwo(-1074));
        const double next = std::nextafter(0.1, 1);
        QVERIFY(fieldNumber(0.1) != fieldNumber(next));
    }

    void order()
    {
        std::mt19937_64 random(4);
        const double constants[] = {6, 0, -1000, 1, 0.5, 6, 0x1p-149};
        const Field field(99, constants);
        const double ascending[] = {-std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<float>::max(),
                                    -1000,
                                    -0.5,
                                    0,
                                    0x1p-149,
                                    0.5,
                                    1,
                                    6,
                                    65504,
                                    std::numeric_limits<double>::infinity()};
        for (std::size_t i = 0; i + 1 < std::size(ascending); ++i)
            QVERIFY(field.less(field.constant(ascending[i]), field.constant(ascending[i + 1])));
        int positive = 0;
        for (int i = 0; i < rounds; ++i) {
            const Element a = anyElement(random), b = anyElement(random), c = anyElement(random);
            QCOMPARE(field.less(a, b), !field.less(b, a)); // they differ
            QCOMPARE(field.less(a, b), field.less(fieldNegate(b), fieldNegate(a)));
            QVERIFY(!field.less(a, b) || !field.less(b, c) || field.less(a, c));
            QCOMPARE(field.magnitude(a), field.magnitude(fieldNegate(a)));
            QVERIFY(!field.less(field.magnitude(a), 0));
            QVERIFY(field.less(field.constant(-std::numeric_limits<float>::max()), a));
            positive += field.less(0, a) ? 1 : 0;
        }
        QVERIFY(positive > rounds * 2 / 5 && positive < rounds * 3 / 5);
    }

    void functions()
    {
        const Field field(5, {}), other(6, {});
        const std::uint64_t exp = Field::nameOf("exp"), tanh = Field::nameOf("tanh");
        QVERIFY(exp != tanh);
        QCOMPARE(field.function(exp, {17}), field.function(exp, {17}));
        QVERIFY(field.function(exp, {17}) != field.function(exp, {18}));
        QVERIFY(field.function(exp, {17}) != field.function(tanh, {17}));
        QVERIFY(field.function(exp, {17}) != other.function(exp, {17}));
        QVERIFY(field.function(exp, {1, 2}) != field.function(exp, {2, 1}));
        QCOMPARE(field.function(exp, {unwritten}), unwritten);
        QCOMPARE(field.power(9, 3), Element{729});
        QCOMPARE(field.power(9, fieldNegate(1)), fieldInverse(9));
    }
};

QTEST_GUILESS_MAIN(FieldTest)
#include "field_test.moc"
