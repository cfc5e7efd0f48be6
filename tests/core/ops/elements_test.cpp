// SPDX-License-Identifier: Apache-2.0
/// Operators on single elements, and on two that are broadcast: signs, ends of ranges, types.
#include "core/ir/build/walk.h"
#include "tests/core/ops/calls.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

QString of(std::string_view op, const char *type, const std::vector<double> &values,
           ops::Attributes given = {})
{
    return answer(op, {tensor(type, {static_cast<std::int64_t>(values.size())}, values)}, std::move(given));
}

QString both(std::string_view op, const char *type, const std::vector<double> &a,
             const std::vector<double> &b)
{
    const auto shaped = [&](const std::vector<double> &values) {
        return tensor(type, {static_cast<std::int64_t>(values.size())}, values);
    };
    return answer(op, {shaped(a), shaped(b)});
}

} // namespace

class ElementsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void signsOfEveryType()
    {
        QCOMPARE(of("sign", "float32", {-2, -0.0, 0, 3}), "float32 (4): -1 -0 0 1");
        QCOMPARE(of("sign", "int8", {-128, 0, 127}), "int8 (3): -1 0 1");
        QCOMPARE(of("sign", "uint8", {0, 1, 255}), "uint8 (3): 0 1 1");
        QCOMPARE(of("abs", "uint8", {0, 255}), "uint8 (2): 0 255");
        QCOMPARE(of("abs", "int32", {-3, 3}), "int32 (2): 3 3");
        QCOMPARE(of("negative", "float16", {1, -2}), "float16 (2): -1 2");
    }

    /// From one form of 16 bits to the other by way of one that holds both, and directly else.
    void formsOfSixteenBitsGoThroughOneThatHoldsBoth()
    {
        const auto casts = [](const char *from, const char *to) {
            const ops::TensorOp *op = ops::findTensorOp("cast");
            const auto attributes = ops::completeAttributes(*op, {{"dtype", *ir::DataType::parse(to)}});
            const std::vector<ops::TensorType> inputs{{{ir::Expr(4)}, *ir::DataType::parse(from)}};
            const ops::CallSite site{*op, *attributes, inputs};
            const auto module = ops::moduleOf(site, *ops::inferTypes(site));
            int count = 0;
            ir::forEachExpr(module->mainEntry()->function->body, [&](const ir::Expr &e) {
                count += e.as<ir::Cast>() ? 1 : 0;
                return true;
            });
            return count;
        };
        QCOMPARE(casts("float16", "bfloat16"), 2);
        QCOMPARE(casts("bfloat16", "float16"), 2);
        QCOMPARE(casts("float32", "float64"), 1);
        QCOMPARE(casts("float16", "float32"), 1);
        QCOMPARE(casts("float32", "float32"), 0);
        QCOMPARE(casts("float32", "bool"), 0); // compared with 0
    }

    void halvesGoToTheEvenOne()
    {
        QCOMPARE(of("round", "float32", {0.5, 1.5, 2.5, -0.5, -1.5}), "float32 (5): 0 2 2 -0 -2");
        QCOMPARE(of("floor", "float32", {-0.5, 0.5}), "float32 (2): -1 0");
        QCOMPARE(of("ceil", "float32", {-1.5, 0.5}), "float32 (2): -1 1");
    }

    void infinitiesAreToldApart()
    {
        const auto infinite = [](bool positive, bool negative) {
            return of("isinf", "float32", {infinity, -infinity, notANumber, 1},
                      {{"positive", positive}, {"negative", negative}});
        };
        QCOMPARE(infinite(true, true), "bool (4): 1 1 0 0");
        QCOMPARE(infinite(true, false), "bool (4): 1 0 0 0");
        QCOMPARE(infinite(false, true), "bool (4): 0 1 0 0");
        QCOMPARE(infinite(false, false), "bool (4): 0 0 0 0");
        QCOMPARE(of("isnan", "float16", {infinity, notANumber, 1}), "bool (3): 0 1 0");
        QCOMPARE(of("logical_not", "bool", {0, 1}), "bool (2): 1 0");
    }

    void activationsAtTheirCorners()
    {
        QCOMPARE(of("nn.relu", "int32", {-1, 0, 1}), "int32 (3): 0 0 1");
        QCOMPARE(of("nn.leaky_relu", "float32", {-2, 0, 2}, {{"alpha", 0.5}}), "float32 (3): -1 0 2");
        QCOMPARE(of("nn.thresholded_relu", "float32", {0.5, 1, 1.5}), "float32 (3): 0 0 1.5");
        QCOMPARE(of("nn.hard_sigmoid", "float32", {-3, -2.5, 0, 2.5, 3}), "float32 (5): 0 0 0.5 1 1");
        QCOMPARE(of("nn.shrink", "float32", {-0.5, 0.5, -1, 1}, {{"bias", 0.25}}),
                 "float32 (4): 0 0 -0.75 0.75");
        QCOMPARE(of("nn.elu", "float32", {0, 100, -100}, {{"alpha", 2.0}}), "float32 (3): 0 100 -2");
        QCOMPARE(of("nn.celu", "float32", {0, 100, -1000}, {{"alpha", 2.0}}), "float32 (3): 0 100 -2");
        QCOMPARE(of("nn.selu", "float32", {1, -100}), "float32 (2): 1.0507 -1.7581");
        QCOMPARE(of("nn.softplus", "float32", {0, 1000, -1000}), "float32 (3): 0.693147 1000 0");
        QCOMPARE(of("nn.hard_swish", "float32", {-3, 3, 1}), "float32 (3): -0 3 0.666667");
        QCOMPARE(of("nn.gelu", "float32", {1}), "float32 (1): 0.841345");
        QCOMPARE(of("nn.gelu", "float32", {1}, {{"approximate", std::string("tanh")}}),
                 "float32 (1): 0.841192");
        QCOMPARE(
            answer("nn.prelu", {tensor("float32", {2, 2}, {-1, 0, 1, -2}), tensor("float32", {2}, {3, 5})}),
            "float32 (2, 2): -3 0 1 -10");
    }

    void functionsOfRealsRefuseIntegers()
    {
        for (const char *op : {"exp", "sqrt", "nn.gelu", "nn.elu", "round"})
            QCOMPARE(of(op, "int32", {1}),
                     QString("\"%1\": it needs floating-point numbers, not int32").arg(op));
        QCOMPARE(of("bitwise_not", "bool", {1}), "\"bitwise_not\": it needs integers, not bool");
        QCOMPARE(of("bitwise_not", "uint8", {1}), "uint8 (1): 254");
    }

    void remaindersHaveTheirSign()
    {
        const std::vector<double> a{7, -7, 7, -7, 6}, b{3, 3, -3, -3, -3};
        QCOMPARE(both("floor_mod", "int32", a, b), "int32 (5): 1 2 -2 -1 0");
        QCOMPARE(both("mod", "int32", a, b), "int32 (5): 1 -1 1 -1 0");
        QCOMPARE(both("floor_mod", "float32", a, b), "float32 (5): 1 2 -2 -1 0");
        QCOMPARE(both("mod", "float32", a, b), "float32 (5): 1 -1 1 -1 0");
        QCOMPARE(both("divide", "int32", a, b), "int32 (5): 2 -2 -2 2 -2");
    }

    void powersInTheTypeOfTheBase()
    {
        QCOMPARE(both("power", "int32", {3, -2, 2}, {4, 3, 30}), "int32 (3): 81 -8 1.07374e+09");
        QCOMPARE(both("power", "float32", {2, 4}, {-1, 0.5}), "float32 (2): 0.5 2");
        QCOMPARE(both("power", "float16", {3, 2}, {2, 10}), "float16 (2): 9 1024");
        QCOMPARE(answer("power", {tensor("float32", {2}, {2, 3}), tensor("int64", {}, {3})}),
                 "float32 (2): 8 27");
        QCOMPARE(answer("power", {tensor("int64", {1}, {2}), tensor("float32", {}, {0.5})}), "int64 (1): 1");
    }

    void shiftsByAllBitsGiveZero()
    {
        QCOMPARE(both("left_shift", "uint8", {1, 1, 1, 255}, {0, 7, 8, 9}), "uint8 (4): 1 128 0 0");
        QCOMPARE(both("right_shift", "uint8", {128, 128, 255}, {7, 8, 200}), "uint8 (3): 1 0 0");
        QCOMPARE(both("left_shift", "uint32", {1, 1}, {31, 32}), "uint32 (2): 2.14748e+09 0");
        QCOMPARE(both("left_shift", "bool", {1}, {1}), "\"left_shift\": it needs integers, not bool");
    }

    void truthValuesAreCompared()
    {
        const std::vector<double> a{0, 0, 1, 1}, b{0, 1, 0, 1};
        for (const auto &[op, found] :
             {std::pair("equal", "1 0 0 1"), std::pair("not_equal", "0 1 1 0"), std::pair("less", "0 1 0 0"),
              std::pair("less_equal", "1 1 0 1"), std::pair("greater", "0 0 1 0"),
              std::pair("greater_equal", "1 0 1 1"), std::pair("logical_and", "0 0 0 1"),
              std::pair("logical_or", "0 1 1 1"), std::pair("logical_xor", "0 1 1 0")})
            QCOMPARE(both(op, "bool", a, b), QString("bool (4): ") + found);
        QCOMPARE(both("logical_or", "int32", {1}, {1}),
                 "\"logical_or\": it needs a condition of bool, not of int32");
        QCOMPARE(both("equal", "int32", {1, 2}, {1, 3}), "bool (2): 1 0");
    }

    void choicesAreBroadcast()
    {
        const ir::NdArray condition = tensor("bool", {2, 1}, {1, 0}), x = counted("int32", {2}, 1),
                          one = tensor("int32", {}, {9});
        QCOMPARE(answer("where", {condition, x, one}), "int32 (2, 2): 1 2 9 9");
        QCOMPARE(answer("where", {condition, one, x}), "int32 (2, 2): 9 9 1 2");
        QCOMPARE(answer("where", {x, x, x}), "\"where\": it needs a condition of bool, not of int32");
        QCOMPARE(answer("where", {condition, x, tensor("int64", {}, {9})}),
                 "\"where\": the values have different element types");
        QCOMPARE(answer("where", {condition, x, counted("int32", {3})}),
                 "\"where\": (2, 2) and (3,) cannot be broadcast to one shape");
    }

    void otherTypes()
    {
        const auto cast = [](const char *from, const std::vector<double> &values, const char *to) {
            return of("cast", from, values, {{"dtype", *ir::DataType::parse(to)}});
        };
        QCOMPARE(cast("float32", {0, -0.0, 0.25, notANumber}, "bool"), "bool (4): 0 0 1 1");
        QCOMPARE(cast("float32", {1.75, -1.75}, "int32"), "int32 (2): 1 -1");
        QCOMPARE(cast("float16", {1.5, 65504}, "bfloat16"), "bfloat16 (2): 1.5 65536");
        QCOMPARE(cast("bfloat16", {1.5, 3}, "float16"), "float16 (2): 1.5 3");
        QCOMPARE(cast("float64", {1e-3}, "float64"), "float64 (1): 0.001");
        QCOMPARE(cast("int32", {300, -1}, "uint8"), "uint8 (2): 44 255");
        QCOMPARE(cast("bool", {1, 0}, "float16"), "float16 (2): 1 0");
        QCOMPARE(cast("float64", {1.0009765625}, "float16"), "float16 (1): 1.00098");
    }
};

QTEST_APPLESS_MAIN(ElementsTest)
#include "elements_test.moc"
