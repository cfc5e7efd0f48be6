// SPDX-License-Identifier: Apache-2.0
/// Reductions, positions, sums up to an element, sorting: types of the sums, axes, ties, empty tensors.
#include "tests/core/ops/calls.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

const Sizes none;

QString reduced(std::string_view op, const ir::NdArray &x, const Sizes &axes, bool keep = false)
{
    return answer(op, {x}, {{"axes", axes}, {"keepdims", keep}});
}

} // namespace

class ReductionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void halvesAreSummedUpIn32Bits()
    {
        const ir::NdArray x = tensor("float16", {4}, {2048, 1, 1, 1});
        QCOMPARE(reduced("sum", x, {0}), "float16 (): 2052"); // 2051 lies between two halves
        QCOMPARE(reduced("mean", tensor("float16", {4}, {2048, 1, 1, 2}), {0}), "float16 (): 513");
        QCOMPARE(reduced("sum_square", tensor("float16", {2}, {200, 100}), {0}), "float16 (): 49984");
        QCOMPARE(reduced("norm", tensor("float16", {2}, {300, 400}), {0}), "float16 (): 500");
    }

    void doublesKeepTheirBits()
    {
        const double large = 16777216; // 2^24: in float32 it stays itself plus 1
        QCOMPARE(reduced("sum", tensor("float64", {3}, {large, 1, -large}), {0}), "float64 (): 1");
        QCOMPARE(reduced("mean", tensor("float64", {2}, {1 + 1e-12, -1}), {0}), "float64 (): 5.00044e-13");
    }

    void integersOf16BitsWrapRound()
    {
        QCOMPARE(reduced("sum", tensor("int16", {2}, {32767, 1}), {0}), "int16 (): -32768");
        QCOMPARE(reduced("sum", tensor("int16", {3}, {1, 2, -4}), {0}), "int16 (): -1");
        QCOMPARE(reduced("mean", tensor("int16", {3}, {1, 2, 5}), {0}), "int16 (): 2"); // 8 / 3 is cut off
        QCOMPARE(reduced("mean", tensor("int16", {3}, {-1, -2, -5}), {0}), "int16 (): -2");
    }

    void overNoAxisEachElementIsByItself()
    {
        const ir::NdArray x = tensor("float32", {2}, {-3, 4});
        QCOMPARE(reduced("sum", x, none), "float32 (2): -3 4");
        QCOMPARE(reduced("sum_abs", x, none), "float32 (2): 3 4");
        QCOMPARE(reduced("norm", x, none), "float32 (2): 3 4");
        QCOMPARE(reduced("mean", x, none, true), "float32 (2): -3 4");
    }

    void axesCountFromEitherEnd()
    {
        const ir::NdArray x = counted("int32", {2, 3, 2});
        QCOMPARE(reduced("sum", x, {0}), "int32 (3, 2): 6 8 10 12 14 16");
        QCOMPARE(reduced("sum", x, {-3}), reduced("sum", x, {0}));
        QCOMPARE(reduced("sum", x, {1, -1}), "int32 (2): 15 51");
        QCOMPARE(reduced("sum", x, {2, 0}, true), "int32 (1, 3, 1): 14 22 30");
        QCOMPARE(reduced("max", x, {0, 1, 2}), "int32 (): 11");
        QCOMPARE(reduced("sum", x, {3}), "\"sum\": there is no axis 3 in a tensor of 3 dimensions");
        QCOMPARE(reduced("sum", x, {-4}), "\"sum\": there is no axis -4 in a tensor of 3 dimensions");
        QCOMPARE(reduced("sum", x, {0, -3}), "\"sum\": an axis is named twice");
    }

    void reductionsOfNothingGiveTheirIdentity()
    {
        const ops::TensorType x = typeOf(ir::NdArray(ir::DataType::float32(), {0, 2}));
        QCOMPARE(typesOf("sum", {x}, {{"axes", Sizes{0}}}), "Tensor[(1, 2), float32]");
        QCOMPARE(typesOf("sum", {x}, {{"axes", Sizes{1}}, {"keepdims", false}}), "Tensor[(0,), float32]");
        const ir::NdArray none(ir::DataType::float32(), {0, 2});
        QCOMPARE(reduced("sum", none, {0}), "float32 (2): 0 0");
        QCOMPARE(reduced("prod", none, {0}), "float32 (2): 1 1");
        QCOMPARE(reduced("max", none, {0}), "float32 (2): -inf -inf");
        QVERIFY(reduced("mean", none, {0}).contains("nan"));
        QCOMPARE(reduced("log_sum_exp", none, {0}), "float32 (2): -inf -inf");
    }

    void truthValuesAreBothOrEither()
    {
        const ir::NdArray x = tensor("bool", {2, 2}, {1, 0, 1, 1});
        QCOMPARE(reduced("min", x, {1}), "bool (2): 0 1");
        QCOMPARE(reduced("max", x, {0}), "bool (2): 1 1");
    }

    void exponentialsDoNotOverflow()
    {
        QCOMPARE(reduced("log_sum_exp", tensor("float32", {2}, {1000, 1000}), {0}), "float32 (): 1000.69");
        QCOMPARE(reduced("log_sum_exp", tensor("float16", {2}, {20, 20}), {0}), "float16 (): 20.6875");
        QCOMPARE(reduced("log_sum_exp", tensor("int32", {2}, {1000, 1000}), {0}), "int32 (): 1000");
        QCOMPARE(answer("nn.softmax", {tensor("float32", {2}, {1000, 1000})}), "float32 (2): 0.5 0.5");
        QCOMPARE(answer("nn.log_softmax", {tensor("float32", {2}, {2000, 1000})}), "float32 (2): 0 -1000");
        QCOMPARE(answer("nn.softmax", {tensor("float16", {2}, {-60000, -60000})}), "float16 (2): 0.5 0.5");
    }

    void softmaxNeedsAnAxisOfReals()
    {
        const ir::NdArray x = counted("float32", {2, 2});
        QCOMPARE(answer("nn.softmax", {x}, {{"axis", std::int64_t{2}}}),
                 "\"nn.softmax\": there is no axis 2 in a tensor of 2 dimensions");
        QCOMPARE(answer("nn.softmax", {counted("int32", {2})}),
                 "\"nn.softmax\": it needs floating-point numbers, not int32");
    }

    void positionsOfTheExtremes()
    {
        const ir::NdArray x = tensor("float32", {2, 3}, {5, 7, 7, 1, 1, 2});
        const auto found = [&](std::string_view op, std::int64_t axis, bool last, bool keep = false) {
            return answer(op, {x}, {{"axis", axis}, {"keepdims", keep}, {"select_last_index", last}});
        };
        QCOMPARE(found("argmax", 1, false), "int64 (2): 1 2");
        QCOMPARE(found("argmax", 1, true), "int64 (2): 2 2");
        QCOMPARE(found("argmin", -1, false), "int64 (2): 0 0");
        QCOMPARE(found("argmin", -1, true, true), "int64 (2, 1): 0 1");
        QCOMPARE(found("argmax", 0, false), "int64 (3): 0 0 0");
        QCOMPARE(found("argmax", 2, false), "\"argmax\": there is no axis 2 in a tensor of 2 dimensions");
    }

    void positionsOfTheLeastAndTheGreatestNumbers()
    {
        const ir::NdArray lowest = tensor("int8", {2}, {-128, -128}),
                          highest = tensor("int8", {2}, {127, 127});
        const auto found = [&](std::string_view op, const ir::NdArray &x, bool last) {
            return answer(op, {x}, {{"keepdims", false}, {"select_last_index", last}});
        };
        QCOMPARE(found("argmax", lowest, false), "int64 (): 0");
        QCOMPARE(found("argmax", lowest, true), "int64 (): 1");
        QCOMPARE(found("argmin", highest, false), "int64 (): 0");
        QCOMPARE(found("argmin", highest, true), "int64 (): 1");
    }

    void sumsUpToEachElement()
    {
        const ir::NdArray x = tensor("int32", {2, 3}, {1, 2, 3, 10, 20, 30});
        const auto summed = [&](std::int64_t axis, bool exclusive, bool reverse) {
            return answer("cumsum", {x}, {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}});
        };
        QCOMPARE(summed(1, false, false), "int32 (2, 3): 1 3 6 10 30 60");
        QCOMPARE(summed(1, true, false), "int32 (2, 3): 0 1 3 0 10 30");
        QCOMPARE(summed(-1, false, true), "int32 (2, 3): 6 5 3 60 50 30");
        QCOMPARE(summed(-1, true, true), "int32 (2, 3): 5 3 0 50 30 0");
        QCOMPARE(summed(0, false, false), "int32 (2, 3): 1 2 3 11 22 33");
        QCOMPARE(summed(2, false, false), "\"cumsum\": there is no axis 2 in a tensor of 2 dimensions");
    }

    void theBestInTheirOrder()
    {
        const ir::NdArray x = tensor("float32", {2, 3}, {2, 9, 2, 4, 1, 4});
        const auto best = [&](std::int64_t k, std::int64_t axis, bool largest) {
            return answer("topk", {x}, {{"k", k}, {"axis", axis}, {"largest", largest}});
        };
        QCOMPARE(best(2, 1, true), "float32 (2, 2): 9 2 4 4; int64 (2, 2): 1 0 0 2");
        QCOMPARE(best(1, -1, false), "float32 (2, 1): 2 1; int64 (2, 1): 0 1");
        QCOMPARE(best(3, 1, true), "float32 (2, 3): 9 2 2 4 4 1; int64 (2, 3): 1 0 2 0 2 1");
        QCOMPARE(best(2, 0, false), "float32 (2, 3): 2 1 2 4 9 4; int64 (2, 3): 0 1 0 1 0 1");
        QCOMPARE(best(4, 1, true), "\"topk\": it cannot give 4 of 3 elements");
        QCOMPARE(best(-1, 1, true), "\"topk\": it cannot give -1 of 3 elements");
    }

    void determinants()
    {
        const auto of = [](const Sizes &shape, const std::vector<double> &values) {
            return answer("linalg.det", {tensor("float64", shape, values)});
        };
        QCOMPARE(of({1, 1}, {-3}), "float64 (): -3");
        QCOMPARE(of({2, 2}, {0, 1, 1, 0}), "float64 (): -1"); // the rows change places
        QCOMPARE(of({2, 2}, {0, 3, 0, 5}), "float64 (): 0");
        QCOMPARE(of({2, 2, 2}, {1, 0, 0, 1, 1, 2, 3, 4}), "float64 (2): 1 -2");
        QCOMPARE(of({3, 3}, {0, 2, 0, 0, 0, 3, 4, 0, 0}), "float64 (): 24");
        QCOMPARE(of({2, 3}, {1, 2, 3, 4, 5, 6}),
                 "\"linalg.det\": it needs square matrices, not Tensor[(2, 3), float64]");
        QCOMPARE(of({2}, {1, 2}), "\"linalg.det\": it needs square matrices, not Tensor[(2,), float64]");
        QCOMPARE(of({0, 0}, {}), "\"linalg.det\": the matrices are empty");
        QCOMPARE(answer("linalg.det", {counted("int32", {2, 2})}),
                 "\"linalg.det\": it needs floating-point numbers, not int32");
    }

    void normalized()
    {
        const ir::NdArray x = tensor("float32", {2, 2}, {1, 3, 10, 30});
        QCOMPARE(answer("nn.normalize", {x}, {{"axes", Sizes{1}}, {"epsilon", 0.0}}),
                 "float32 (2, 2): -1 1 -1 1");
        QCOMPARE(answer("nn.normalize", {x}, {{"axes", Sizes{0}}, {"epsilon", 0.0}}),
                 "float32 (2, 2): -1 -1 1 1");
        QCOMPARE(answer("nn.normalize", {counted("int32", {2})}, {{"axes", Sizes{0}}}),
                 "\"nn.normalize\": it needs floating-point numbers, not int32");
    }

    void responsesOfNeighbouringChannels()
    {
        // 1 + squares of the channels around, to the power of 1.
        const ir::NdArray x = tensor("float32", {1, 4}, {1, 2, 3, 4});
        const auto normal = [&](std::int64_t size) {
            return answer("nn.lrn", {x}, {{"size", size}, {"alpha", double(size)}, {"beta", -1.0}});
        };
        QCOMPARE(normal(1), "float32 (1, 4): 2 10 30 68");
        QCOMPARE(normal(2), "float32 (1, 4): 6 28 78 68"); // it and the next
        QCOMPARE(normal(3), "float32 (1, 4): 6 30 90 104");
        QCOMPARE(normal(0), "\"nn.lrn\": 0 channels cannot be summed: the size must be 1 or more");
        QCOMPARE(answer("nn.lrn", {counted("float32", {4})}),
                 "\"nn.lrn\": the input must have two dimensions or more, the second that of the channels");
    }

    void channelsShiftedAndScaled()
    {
        const auto of = [](double value) { return tensor("float32", {2}, {value, value * 2}); };
        const ir::NdArray x = tensor("float32", {1, 2, 2}, {1, 2, 3, 4});
        QCOMPARE(answer("nn.batch_norm", {x, of(1), of(10), of(1), tensor("float32", {2}, {1, 4})},
                        {{"epsilon", 0.0}}),
                 "float32 (1, 2, 2): 10 11 21 22");
        QCOMPARE(answer("nn.batch_norm", {counted("float32", {2}), of(1), of(1), of(1), of(1)}),
                 "\"nn.batch_norm\": it needs a dimension of channels");
        QCOMPARE(answer("nn.batch_norm", {counted("float32", {1, 2}), of(1), of(1), of(1), of(0)},
                        {{"epsilon", 1.0}}),
                 "float32 (1, 2): 0 0");
        QCOMPARE(answer("nn.batch_norm", {x, of(1), of(1), of(1), counted("float32", {2, 1})}),
                 "\"nn.batch_norm\": scale, bias, mean and variance must have 1 dimension, not 2");
    }
};

QTEST_APPLESS_MAIN(ReductionsTest)
#include "reductions_test.moc"
