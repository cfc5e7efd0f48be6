// SPDX-License-Identifier: Apache-2.0
/// The most that a tensor may ask for, and one more.
#include "core/te/limits.h"

#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/limits.h"
#include "core/te/tensor.h"

#include <QtTest>

using namespace nestwright;
using te::Expr;
using te::IterVar;
using Axes = std::vector<Expr>;

namespace {

/// "code: message" of the error of `make`, or nothing.
template <class F> std::string refusal(F make)
{
    try {
        make();
    } catch (const support::UserError &error) {
        return error.diagnostic().code + ": " + error.diagnostic().message;
    }
    return {};
}

/// A product of exactly `parts` nodes, many of them shared; `element` has some itself. Numbers without such a
/// product get a function around it, where the element is a float.
Expr ofParts(const Expr &element, std::int64_t elementParts, std::int64_t parts)
{
    std::int64_t size = elementParts;
    Expr e = element;
    for (; size * 2 + 1 <= parts; size = size * 2 + 1)
        e = e * e;
    if (parts - size > elementParts)
        return e * ofParts(element, elementParts, parts - size - 1);
    for (; size < parts; ++size)
        e = te::math("exp", e);
    return e;
}

class LimitsTest : public QObject {
    Q_OBJECT

    /// How "C" is refused whose elements are `value` of an element.
    static std::string refusalOf(const std::function<te::Body(const Expr &)> &value)
    {
        te::Builder b;
        const te::Tensor A = b.placeholder({8}, te::DataType::float32(), "A");
        return refusal([&] { b.computeAll({8}, {"i"}, [&](const Axes &i) { return value(A(i[0])); }, "C"); });
    }

    static std::string refusalOfShape(std::vector<Expr> shape, te::DataType dtype = te::DataType::float32())
    {
        return refusal([&] { te::Builder().placeholder(std::move(shape), dtype, "A"); });
    }

private Q_SLOTS:
    void nestingOfAValue()
    {
        const auto nested = [](int depth) {
            return [depth](const Expr &element) { // an index and its element are two levels
                Expr e = element;
                for (int i = 2; i < depth; ++i)
                    e = te::math("exp", e);
                return te::Body(e);
            };
        };
        QCOMPARE(refusalOf(nested(te::limits::valueDepth)), std::string());
        QCOMPARE(refusalOf(nested(te::limits::valueDepth + 1)),
                 std::string("te.too-deep: the value of \"C\" is nested 1001 deep; 1000 is the most"));
    }

    void partsOfAValue()
    {
        const auto large = [](std::int64_t parts) {
            return [parts](const Expr &element) { return te::Body(ofParts(element, 2, parts)); };
        };
        QCOMPARE(refusalOf(large(static_cast<std::int64_t>(te::limits::valueParts))), std::string());
        QCOMPARE(
            refusalOf(large(static_cast<std::int64_t>(te::limits::valueParts) + 1)),
            std::string(
                "te.too-large: the value of \"C\" is an expression of 100001 parts; 100000 is the most"));
    }

    void sizes()
    {
        const ir::Var n("n"), m("m");
        const auto nested = [&](int depth) {
            Expr e = n;
            for (int i = 1; i < depth; ++i)
                e = e * m;
            return e;
        };
        QCOMPARE(refusalOfShape({nested(te::limits::sizeDepth)}), std::string());
        QVERIFY(
            refusalOfShape({nested(te::limits::sizeDepth + 1)})
                .starts_with("te.too-large: a size of \"A\" is an expression of 201 parts, nested 101 deep"));
        QCOMPARE(refusalOfShape({ir::cast(ir::DataType::int64(), ofParts(n, 1, 999))}), std::string());
        QVERIFY(refusalOfShape({ofParts(n, 1, 1001)})
                    .starts_with("te.too-large: a size of \"A\" is an expression of 1001 parts"));
    }

    void sizesAreIntegersFromZeroOn()
    {
        QCOMPARE(refusalOfShape({1}), std::string());
        QCOMPARE(refusalOfShape({4, 0}), std::string());
        QCOMPARE(refusalOfShape({4, -1}), std::string("te.bad-shape: \"A\" has a dimension of size -1"));
        QCOMPARE(refusalOfShape({ir::Var("x", te::DataType::float32())}),
                 std::string("te.bad-shape: a size of \"A\" is of type float32, not an integer"));
    }

    void dimensionsAndBytes()
    {
        QCOMPARE(refusalOfShape(std::vector<Expr>(support::limits::tensorRank, 1)), std::string());
        QCOMPARE(refusalOfShape(std::vector<Expr>(support::limits::tensorRank + 1, 1)),
                 std::string("te.bad-shape: \"A\" has 65 dimensions; 64 is the most"));
        const std::string tooManyBytes = "te.bad-shape: \"A\" has more than 2^60 bytes";
        QCOMPARE(refusalOfShape({1 << 29, 1 << 29}), std::string());
        QCOMPARE(refusalOfShape({1 << 29, 1 << 29, 2}), tooManyBytes);
        QCOMPARE(refusalOfShape({1 << 30, 1 << 30}, te::DataType::int_(8)), std::string());
        QCOMPARE(refusalOfShape({1 << 30, 1 << 30}, te::DataType::int_(16)), tooManyBytes);
        QCOMPARE(refusalOfShape({1 << 30, 1 << 30, 1 << 30, 1 << 30}), tooManyBytes); // wraps around to 0
    }

    void outputs()
    {
        const auto several = [](std::int64_t count) {
            return [count](const Expr &element) {
                return te::Body(std::vector<Expr>(static_cast<std::size_t>(count), element));
            };
        };
        QCOMPARE(refusalOf(several(te::limits::outputs)), std::string());
        QCOMPARE(refusalOf(several(te::limits::outputs + 1)),
                 std::string("te.output-count: \"C\" computes 257 values; 256 is the most"));
        QCOMPARE(refusalOf(several(0)), std::string("te.output-count: \"C\" computes no value"));
    }

    void axesOfAReduction()
    {
        const auto reduced = [](std::int64_t count) {
            return [count](const Expr &element) {
                std::vector<IterVar> axes;
                for (std::int64_t i = 0; i < count; ++i)
                    axes.push_back(te::reduceAxis(2));
                return te::Body(te::sum(element, axes));
            };
        };
        QCOMPARE(refusalOf(reduced(te::limits::reduceAxes)), std::string());
        QCOMPARE(refusalOf(reduced(te::limits::reduceAxes + 1)),
                 std::string("te.too-large: \"C\" reduces over 65 axes; 64 is the most"));
    }

    void conditionsAndFirstValuesOfAReductionCountToo()
    {
        const auto deep = [](const Expr &element) {
            Expr e = element;
            for (int i = 0; i < te::limits::valueDepth; ++i)
                e = te::math("exp", e);
            return e;
        };
        const auto reduction = [](const Expr &element) { return te::sum(element, {te::reduceAxis(2)}); };
        QCOMPARE(refusalOf([&](const Expr &element) { return te::Body(reduction(element)); }), std::string());
        QVERIFY(refusalOf([&](const Expr &element) {
                    te::Reduction r = reduction(element);
                    r.condition = ir::lt(deep(element), ir::floatImm(1, te::DataType::float32()));
                    return te::Body(r);
                }).starts_with("te.too-deep"));
        QVERIFY(refusalOf([&](const Expr &element) {
                    te::Reduction r = reduction(element);
                    r.init = {deep(element)};
                    return te::Body(r);
                }).starts_with("te.too-deep"));
        QVERIFY(refusalOf([&](const Expr &element) {
                    return te::Body(reduction(deep(element)));
                }).starts_with("te.too-deep"));
    }

    /// Indices that provably leave their tensor: at both ends of each dimension.
    void bounds_data()
    {
        QTest::addColumn<int>("scale");
        QTest::addColumn<int>("offset");
        QTest::addColumn<QString>("expected");
        const auto row = [](int scale, int offset, const char *expected) {
            QTest::addRow("%d i + %d", scale, offset) << scale << offset << QString(expected);
        };
        row(1, 0, "");
        row(1, 8, ""); // the last of 16 elements
        row(1, 9, "te.out-of-bounds: index 1 of \"A\" runs from 9 to 16, but that dimension has 16 elements");
        row(1, -1,
            "te.out-of-bounds: index 1 of \"A\" runs from -1 to 6, but that dimension has 16 elements");
        row(2, 1, "");
        row(2, 2, "te.out-of-bounds: index 1 of \"A\" runs from 2 to 16, but that dimension has 16 elements");
        row(-2, 14, "");
        row(-2, 13,
            "te.out-of-bounds: index 1 of \"A\" runs from -1 to 13, but that dimension has 16 elements");
        row(-2, 16,
            "te.out-of-bounds: index 1 of \"A\" runs from 2 to 16, but that dimension has 16 elements");
        row(0, 15, "");
        row(0, 16, "te.out-of-bounds: index 1 of \"A\" is 16, but that dimension has 16 elements");
    }
    void bounds()
    {
        QFETCH(int, scale);
        QFETCH(int, offset);
        QFETCH(QString, expected);
        for (const bool isFactorFirst : {false, true}) {
            te::Builder b;
            const te::Tensor A = b.placeholder({16}, te::DataType::float32(), "A");
            const auto index = [&](const Expr &i) {
                return (isFactorFirst ? Expr(scale) * i : i * Expr(scale)) + offset;
            };
            QCOMPARE(
                refusal([&] { b.compute({8}, {"i"}, [&](const Axes &i) { return A(index(i[0])); }, "C"); }),
                expected.toStdString());
        }
    }

    /// Where a value is cut to fewer bits, or goes through a float, it may stay inside.
    void boundsOfCasts()
    {
        te::Builder b;
        const te::Tensor A = b.placeholder({256}, te::DataType::float32(), "A");
        const auto refusalAt = [&](const std::function<Expr(const Expr &)> &index) {
            return refusal(
                [&] { b.compute({300}, {"i"}, [&](const Axes &i) { return A(index(i[0])); }, "C"); });
        };
        const auto through = [&](te::DataType dtype) {
            return refusalAt(
                [&](const Expr &i) { return ir::cast(te::DataType::int32(), ir::cast(dtype, i)) + 128; });
        };
        QVERIFY(refusalAt([](const Expr &i) {
                    return ir::cast(te::DataType::int64(), i) + 128;
                }).contains("runs from 128 to 427"));
        QCOMPARE(through(te::DataType::int_(8)), std::string()); // from 0 to 255
        QCOMPARE(through(te::DataType::float32()), std::string());
    }

    void boundsOfReduceAxesAndDifferences()
    {
        te::Builder b;
        const te::Tensor A = b.placeholder({16, 1}, te::DataType::float32(), "A");
        const auto refusalAt = [&](const std::function<Expr(const Expr &i, const Expr &k)> &index, int low) {
            const IterVar k = te::reduceAxis(low, 4, "k");
            return refusal([&] {
                b.compute(
                    {8}, {"i"}, [&](const Axes &i) { return te::sum(A(index(i[0], k.var), 0), {k}); }, "C");
            });
        };
        QCOMPARE(refusalAt([](const Expr &i, const Expr &k) { return i + k; }, 5), std::string());
        QVERIFY(
            refusalAt([](const Expr &i, const Expr &k) { return i + k; }, 6).contains("runs from 6 to 16"));
        QCOMPARE(refusalAt([](const Expr &i, const Expr &k) { return i - k; }, -8), // from 5 to 15
                 std::string());
        QVERIFY(
            refusalAt([](const Expr &i, const Expr &k) { return i - k; }, 0).contains("runs from -3 to 7"));
        // Terms that cancel leave nothing.
        QCOMPARE(refusalAt([](const Expr &i, const Expr &k) { return i + 100 * k - k * 100; }, 5),
                 std::string());
        QVERIFY(refusal([&] {
                    b.compute({2}, {"i"}, [&](const Axes &i) { return A(0, i[0]); }, "C");
                }).ends_with("index 2 of \"A\" runs from 0 to 1, but that dimension has 1 element"));
    }
};

} // namespace

QTEST_GUILESS_MAIN(LimitsTest)
#include "limits_test.moc"
