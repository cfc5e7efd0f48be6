// SPDX-License-Identifier: Apache-2.0
/// Arithmetic on shapes, and the operators that rearrange elements.
#include "core/ops/table/shapes.h"

#include "core/support/errors/errors.h"
#include "tests/core/ops/calls.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using ops::Shape;

/// Result of `make` as text, or the message of its refusal.
template <class F> QString told(F &&make)
{
    try {
        if constexpr (std::is_same_v<decltype(make()), Shape>)
            return QString::fromStdString(ops::TensorType{make(), {}}.str());
        else if constexpr (std::is_same_v<decltype(make()), ir::Expr>)
            return QString::fromStdString(script::printExpr(make()));
        else
            return QString::number(make());
    } catch (const support::UserError &error) {
        return QString::fromStdString(error.diagnostic().message);
    }
}

const ir::Var n("n", ir::DataType::int32());

} // namespace

class ShapesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void axesCountFromEitherEnd()
    {
        for (const auto &[axis, found] : {std::pair(0, 0), {2, 2}, {-1, 2}, {-3, 0}})
            QCOMPARE(ops::axisOf(axis, 3), static_cast<std::size_t>(found));
        for (const int axis : {3, -4})
            QCOMPARE(told([&] { return ops::axisOf(axis, 3); }),
                     QString("there is no axis %1 in a tensor of 3 dimensions").arg(axis));
        QCOMPARE(told([] { return ops::axisOf(0, 0); }), "there is no axis 0 in a tensor of 0 dimensions");
        QCOMPARE(ops::axesOf(Sizes{2, 0}, 3), (std::vector<std::size_t>{0, 2}));
        QCOMPARE(told([] { return ops::axesOf(Sizes{2, -1}, 3).size(); }), "an axis is named twice");
    }

    void dimensionsAreIntegersOf32Bits()
    {
        const std::int64_t most = 2147483647;
        QCOMPARE(told([&] { return ops::dimension(most); }), "2147483647");
        QCOMPARE(told([&] { return ops::dimension(most + 1); }), "a dimension of 2147483648 is too large");
        QCOMPARE(told([&] { return ops::added(ops::dimension(most), 1); }),
                 "a dimension of 2147483648 is too large");
        QCOMPARE(told([&] { return ops::multiplied(65536, 65536); }),
                 "a dimension of 4294967296 is too large");
        QCOMPARE(told([&] { return ops::added(n, 0); }), "n");
        QCOMPARE(told([&] { return ops::multiplied(n, 1); }), "n");
        QCOMPARE(told([] { return ops::constantSize(n, "a size"); }),
                 "a size must be known, but is symbolic");
    }

    void sizesAreTheSameWhateverTheirForm()
    {
        QVERIFY(ops::sameSize(3, 3) && !ops::sameSize(3, 4));
        QVERIFY(ops::sameSize(n + n, n * 2) && !ops::sameSize(n, n + 1) && !ops::sameSize(n, 3));
    }

    void productsOfSomeDimensions()
    {
        const Shape shape{2, 3, 4};
        QCOMPARE(told([&] { return ops::product(shape); }), "24");
        QCOMPARE(told([&] { return ops::product(shape, 1, 3); }), "12");
        QCOMPARE(told([&] { return ops::product(shape, 1, 1); }), "1");
    }

    void shapesAreBroadcast()
    {
        const auto both = [](const Shape &a, const Shape &b) {
            return told([&] { return ops::broadcast(a, b); });
        };
        QCOMPARE(both({2, 1}, {3}), "(2, 3)");
        QCOMPARE(both({3}, {2, 1}), "(2, 3)");
        QCOMPARE(both({}, {2, 3}), "(2, 3)");
        QCOMPARE(both({1}, {0}), "(0,)");
        QCOMPARE(both({n, 1}, {1, n}), "(n, n)");
        QCOMPARE(both({n}, {n}), "(n,)");
        QCOMPARE(both({2}, {3}), "(2,) and (3,) cannot be broadcast to one shape");
        QCOMPARE(both({n}, {3}), "(n,) and (3,) cannot be broadcast to one shape");
    }

    void indicesAreCountedRowMajor()
    {
        const auto flat = [](const Shape &shape, const std::vector<ir::Expr> &indices) {
            return told([&] { return ops::dimension(ops::flatten(indices, shape)); });
        };
        QCOMPARE(flat({2, 3, 4}, {1, 2, 3}), "23");
        QCOMPARE(flat({}, {}), "0");
        const Shape shape{2, 1, 3};
        for (int at = 0; at < 6; ++at) {
            const std::vector<ir::Expr> back = ops::unflatten(at, shape);
            QCOMPARE(told([&] { return ops::dimension(back[0]); }), QString::number(at / 3));
            QCOMPARE(told([&] { return ops::dimension(back[1]); }), "0");
            QCOMPARE(told([&] { return ops::dimension(back[2]); }), QString::number(at % 3));
        }
    }

    void namesOfAxes()
    {
        QCOMPARE(ops::axisNames(3), (std::vector<std::string>{"i0", "i1", "i2"}));
        QCOMPARE(ops::axisNames(1, "b"), std::vector<std::string>{"b0"});
        QVERIFY(ops::axisNames(0).empty());
    }

    void reshaped()
    {
        const ops::TensorType x{{2, 3, 4}, ir::DataType::float32()};
        const auto to = [&](const Sizes &shape, bool allowZero = false) {
            return typesOf("reshape", {x}, {{"newshape", shape}, {"allowzero", allowZero}});
        };
        QCOMPARE(to({24}), "Tensor[(24,), float32]");
        QCOMPARE(to({0, -1}), "Tensor[(2, 12), float32]");
        QCOMPARE(to({-1, 0}), "Tensor[(8, 3), float32]");
        QCOMPARE(to({0, 0, 0, 0}), "\"reshape\": the new shape copies dimension 3, which there is not");
        QCOMPARE(to({0, 0, 0}), "Tensor[(2, 3, 4), float32]");
        QCOMPARE(to({-1, 6, -1}), "\"reshape\": only one dimension may be left open");
        QCOMPARE(to({5, -1}), "\"reshape\": (2, 3, 4) cannot be given the shape (5, 4)");
        QCOMPARE(to({23}), "\"reshape\": (2, 3, 4) cannot be given the shape (23,)");
        QCOMPARE(to({0, -1}, true), "\"reshape\": an open dimension cannot be found beside one of 0");
        QCOMPARE(to({0, 3}, true), "\"reshape\": (2, 3, 4) cannot be given the shape (0, 3)");
        QCOMPARE(typesOf("reshape", {{{0, 3}, ir::DataType::float32()}},
                         {{"newshape", Sizes{3, 0}}, {"allowzero", true}}),
                 "Tensor[(3, 0), float32]");
        QCOMPARE(answer("reshape", {counted("int32", {2, 3})}, {{"newshape", Sizes{3, 1, 2}}}),
                 "int32 (3, 1, 2): 0 1 2 3 4 5");
    }

    void transposedByDefaultToTheReverse()
    {
        const ir::NdArray x = counted("int32", {2, 3});
        QCOMPARE(answer("transpose", {x}), "int32 (3, 2): 0 3 1 4 2 5");
        QCOMPARE(answer("transpose", {x}, {{"axes", Sizes{-1, 0}}}), "int32 (3, 2): 0 3 1 4 2 5");
        QCOMPARE(answer("transpose", {counted("int32", {})}), "int32 (): 0");
        QCOMPARE(answer("transpose", {x}, {{"axes", Sizes{0}}}),
                 "\"transpose\": every axis must be named once");
        QCOMPARE(answer("transpose", {x}, {{"axes", Sizes{1, 1}}}), "\"transpose\": an axis is named twice");
        QCOMPARE(answer("transpose", {x}, {{"axes", Sizes{2, 0}}}),
                 "\"transpose\": there is no axis 2 in a tensor of 2 dimensions");
    }

    void slicesEndAtTheSides()
    {
        const ir::NdArray x = counted("int32", {5});
        const auto part = [&](std::int64_t begin, std::int64_t end, std::int64_t step) {
            return answer(
                "strided_slice", {x},
                {{"begin", Sizes{begin}}, {"end", Sizes{end}}, {"strides", Sizes{step}}, {"axes", Sizes{0}}});
        };
        const std::int64_t far = std::int64_t{1} << 40;
        QCOMPARE(part(1, 4, 1), "int32 (3): 1 2 3");
        QCOMPARE(part(-2, far, 1), "int32 (2): 3 4");
        QCOMPARE(part(0, 5, 2), "int32 (3): 0 2 4");
        QCOMPARE(part(0, 4, 2), "int32 (2): 0 2");
        QCOMPARE(part(far, -far, -1), "int32 (5): 4 3 2 1 0");
        QCOMPARE(part(3, 0, -2), "int32 (2): 3 1");
        QCOMPARE(part(4, 0, -far), "int32 (1): 4");
        QCOMPARE(part(1, 2, 0), "\"strided_slice\": a stride is 0");
        const ops::TensorType type = typeOf(x);
        QCOMPARE(typesOf("strided_slice", {type},
                         {{"begin", Sizes{3}}, {"end", Sizes{3}}, {"strides", Sizes{1}}, {"axes", Sizes{0}}}),
                 "Tensor[(0,), int32]");
    }

    void listsOfSlicesHaveOneLength()
    {
        const QString differ = "\"strided_slice\": begin, end, axes and strides differ in length";
        for (std::size_t longer = 0; longer < 4; ++longer) {
            std::array<Sizes, 4> lists{Sizes{0}, Sizes{1}, Sizes{1}, Sizes{0}};
            lists[longer].push_back(1);
            QCOMPARE(
                answer("strided_slice", {counted("int32", {2, 2})},
                       {{"begin", lists[0]}, {"end", lists[1]}, {"strides", lists[2]}, {"axes", lists[3]}}),
                differ);
        }
        QCOMPARE(answer("strided_slice", {counted("int32", {2, 2})},
                        {{"begin", Sizes{0, 0}},
                         {"end", Sizes{1, 1}},
                         {"strides", Sizes{1, 1}},
                         {"axes", Sizes{1, -1}}}),
                 "\"strided_slice\": an axis is named twice");
        QCOMPARE(answer("strided_slice", {counted("int32", {2})}), "int32 (2): 0 1");
    }

    void joinedAlongAnAxis()
    {
        const ir::NdArray a = counted("int32", {1, 2}), b = counted("int32", {2, 2}, 10);
        QCOMPARE(answer("concatenate", {a, b}), "int32 (3, 2): 0 1 10 11 12 13");
        QCOMPARE(answer("concatenate", {a, a, a}, {{"axis", std::int64_t{-1}}}), "int32 (1, 6): 0 1 0 1 0 1");
        QCOMPARE(answer("concatenate", {a}), "int32 (1, 2): 0 1");
        QCOMPARE(answer("concatenate", {a, b}, {{"axis", std::int64_t{1}}}),
                 "\"concatenate\": the inputs differ in a dimension other than that of the axis");
        QCOMPARE(answer("concatenate", {a, counted("int32", {2})}),
                 "\"concatenate\": every input must have 2 dimensions, not 1");
        QCOMPARE(answer("concatenate", {a, counted("int64", {1, 2})}),
                 "\"concatenate\": the inputs have different element types, int32 and int64");
        QCOMPARE(typesOf("concatenate", {{{n, 2}, ir::DataType::int32()}, {{n, 2}, ir::DataType::int32()}}),
                 "Tensor[(n * 2, 2), int32]");
    }

    void repeated()
    {
        const ir::NdArray x = counted("int32", {1, 2});
        QCOMPARE(answer("tile", {x}, {{"reps", Sizes{2, 2}}}), "int32 (2, 4): 0 1 0 1 0 1 0 1");
        QCOMPARE(answer("tile", {x}, {{"reps", Sizes{2}}}),
                 "\"tile\": reps must hold one number per dimension");
        QCOMPARE(answer("tile", {x}, {{"reps", Sizes{1, 1, 1}}}),
                 "\"tile\": reps must hold one number per dimension");
        QCOMPARE(answer("tile", {x}, {{"reps", Sizes{1, -1}}}), "\"tile\" would give a dimension of -2");
        QCOMPARE(answer("broadcast_to", {x}, {{"shape", Sizes{2, 1, 1}}}), "int32 (2, 1, 2): 0 1 0 1");
    }

    void paddedOnEverySide()
    {
        const ir::NdArray x = counted("int32", {3}, 1); // 1 2 3
        const auto padded = [&](std::int64_t before, std::int64_t after, const char *mode) {
            return answer("nn.pad", {x}, {{"pad_width", Sizes{before, after}}, {"mode", std::string(mode)}});
        };
        QCOMPARE(padded(2, 1, "constant"), "int32 (6): 0 0 1 2 3 0");
        QCOMPARE(padded(2, 1, "edge"), "int32 (6): 1 1 1 2 3 3");
        QCOMPARE(padded(2, 1, "reflect"), "int32 (6): 3 2 1 2 3 2");
        QCOMPARE(padded(4, 3, "reflect"), "int32 (10): 1 2 3 2 1 2 3 2 1 2");
        QCOMPARE(padded(4, 1, "wrap"), "int32 (8): 3 1 2 3 1 2 3 1");
        QCOMPARE(padded(-1, 0, "constant"), "int32 (2): 2 3");
        QCOMPARE(padded(0, -2, "edge"), "int32 (1): 1");
        QCOMPARE(padded(-1, 2, "constant"), "int32 (4): 2 3 0 0");
        QCOMPARE(padded(1, 1, "mirror"), "\"nn.pad\": there is no mode \"mirror\"");
        QCOMPARE(padded(-4, 0, "constant"), "\"nn.pad\" would give a dimension of -1");
        QCOMPARE(answer("nn.pad", {x}, {{"pad_width", Sizes{1}}}),
                 "\"nn.pad\": pad_width must hold 2 numbers, but holds 1");
        QCOMPARE(answer("nn.pad", {counted("int32", {1}, 5)},
                        {{"pad_width", Sizes{2, 1}}, {"mode", std::string("reflect")}}),
                 "int32 (4): 5 5 5 5");
        QCOMPARE(answer("nn.pad", {x, tensor("int32", {}, {9})}, {{"pad_width", Sizes{0, 1}}}),
                 "int32 (4): 1 2 3 9");
        QCOMPARE(answer("nn.pad", {x}, {{"pad_width", Sizes{0, 0}}}), "int32 (3): 1 2 3");
    }

    void partsOfMatrices()
    {
        const ir::NdArray x = counted("int32", {2, 2}, 1);
        const auto part = [&](std::int64_t k, bool upper) {
            return answer("trilu", {x}, {{"k", k}, {"upper", upper}});
        };
        QCOMPARE(part(0, true), "int32 (2, 2): 1 2 0 4");
        QCOMPARE(part(1, true), "int32 (2, 2): 0 2 0 0");
        QCOMPARE(part(0, false), "int32 (2, 2): 1 0 3 4");
        QCOMPARE(part(-1, false), "int32 (2, 2): 0 0 3 0");
        QCOMPARE(answer("trilu", {counted("int32", {2})}), "\"trilu\": it needs matrices");
    }
};

QTEST_APPLESS_MAIN(ShapesTest)
#include "shapes_test.moc"
