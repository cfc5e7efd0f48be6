// SPDX-License-Identifier: Apache-2.0
/// Numbers of few bits: their ranges, their bytes in files, and the operators that make them.
#include "core/ops/quantized/narrow.h"

#include "core/ops/quantized/narrow_data.h"
#include "tests/core/ops/calls.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 noNumber = std::numeric_limits<double>::quiet_NaN();

ir::DataType type(std::string_view name) { return *ir::DataType::parse(name); }

std::vector<std::byte> bytesOf(const std::vector<int> &values)
{
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

QString quantized(std::string_view to, std::vector<ir::NdArray> inputs, ops::Attributes more = {})
{
    more.emplace("dtype", type(to));
    return answer("nn.quantize", std::move(inputs), std::move(more));
}

} // namespace

class NarrowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void typesAreHeldInWiderOnes()
    {
        QCOMPARE(ops::heldType(type("int4")).value().str(), "int8");
        QCOMPARE(ops::heldType(type("uint4")).value().str(), "uint8");
        QCOMPARE(ops::heldType(type("int2")).value().str(), "int8");
        QCOMPARE(ops::heldType(type("uint2")).value().str(), "uint8");
        QCOMPARE(ops::heldType(type("float4_e2m1fn")).value().str(), "float16");
        QCOMPARE(ops::heldType(type("float8_e8m0fnu")).value().str(), "float32");
        QVERIFY(!ops::heldType(type("float6_e2m3fn")));
        for (const char *eight : {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"})
            QCOMPARE(ops::heldType(type(eight)).value().str(), "float16");
        for (const char *itself : {"int8", "float32", "bool", "int64"})
            QCOMPARE(ops::heldType(type(itself)).value().str(), itself);
        QVERIFY(!ops::narrowFloat(type("float16")));
        QVERIFY(!ops::narrowFloat(type("int4")));
    }

    void rangesOfIntegers()
    {
        const auto range = [](std::string_view name) {
            const auto [least, greatest] = ops::integerRange(type(name));
            return std::pair(least, greatest);
        };
        QCOMPARE(range("int4"), std::pair(-8.0, 7.0));
        QCOMPARE(range("uint4"), std::pair(0.0, 15.0));
        QCOMPARE(range("int2"), std::pair(-2.0, 1.0));
        QCOMPARE(range("uint2"), std::pair(0.0, 3.0));
        QCOMPARE(range("int8"), std::pair(-128.0, 127.0));
        QCOMPARE(range("uint8"), std::pair(0.0, 255.0));
        QCOMPARE(range("int16"), std::pair(-32768.0, 32767.0));
    }

    void rangesAsText()
    {
        QCOMPARE(ops::numbersOf(type("int4")), "whole numbers from -8 to 7");
        QCOMPARE(ops::numbersOf(type("uint4")), "whole numbers from 0 to 15");
        QCOMPARE(ops::numbersOf(type("float8_e8m0fnu")), "powers of two from 2^-127 to 2^127");
        QCOMPARE(ops::numbersOf(type("float4_e2m1fn")), "numbers of 1 mantissa bits from -6 to 6");
        QCOMPARE(ops::numbersOf(type("float8_e4m3fn")), "numbers of 3 mantissa bits from -448 to 448");
        QCOMPARE(ops::numbersOf(type("float8_e5m2")), "numbers of 2 mantissa bits from -57344 to 57344");
    }

    void integersOf4BitsLieTwoInAByte()
    {
        for (const auto &[elements, bytes] : {std::pair(0, 0), {1, 1}, {2, 1}, {3, 2}, {4, 2}})
            QCOMPARE(ops::packedBytes(type("int4"), elements), bytes);
        QCOMPARE(ops::packedBytes(type("float8_e5m2"), 3), 3);
        ir::NdArray held(type("int8"), {3}), unsignedOnes(type("uint8"), {3});
        ops::unpack(bytesOf({0x87, 0x0f}), type("int4"), held);
        QCOMPARE(textOf(held), "int8 (3): 7 -8 -1");
        QVERIFY(ops::packed(held, type("int4")) == bytesOf({0x87, 0x0f}));
        ops::unpack(bytesOf({0x87, 0x0f}), type("uint4"), unsignedOnes);
        QCOMPARE(textOf(unsignedOnes), "uint8 (3): 7 8 15");
        QVERIFY(ops::packed(unsignedOnes, type("uint4")) == bytesOf({0x87, 0x0f}));
    }

    void floatsOf8Bits_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("numbers"); ///< of 0x00, 0x01, 0x38, 0x78, 0x7c, 0x7f, 0x80, 0xb8
        QTest::newRow("e4m3fn") << "float8_e4m3fn" << "0 0.00195312 1 256 384 nan -0 -1";
        QTest::newRow("e4m3fnuz") << "float8_e4m3fnuz" << "0 0.000976562 0.5 128 192 240 nan -0.5";
        QTest::newRow("e5m2") << "float8_e5m2" << "0 1.52588e-05 0.5 32768 inf nan -0 -0.5";
        QTest::newRow("e5m2fnuz") << "float8_e5m2fnuz" << "0 7.62939e-06 0.25 16384 32768 57344 nan -0.25";
    }
    void floatsOf8Bits()
    {
        QFETCH(QString, name);
        QFETCH(QString, numbers);
        const ir::DataType narrow = type(name.toStdString());
        const std::vector<std::byte> bytes = bytesOf({0x00, 0x01, 0x38, 0x78, 0x7c, 0x7f, 0x80, 0xb8});
        ir::NdArray held(type("float16"), {8});
        ops::unpack(bytes, narrow, held);
        QString found = QString::fromStdString(textOf(held));
        QCOMPARE(found.replace("-nan", "nan"), "float16 (8): " + numbers);
    }

    void everyPatternIsPackedAsItWas()
    {
        for (const char *name : {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"}) {
            ir::NdArray held(type("float16"), {256}), again(type("float16"), {256});
            std::vector<int> all(256);
            std::iota(all.begin(), all.end(), 0);
            ops::unpack(bytesOf(all), type(name), held);
            QVERIFY2(!ops::firstBeyond(held, type(name)), name);
            ops::unpack(ops::packed(held, type(name)), type(name), again);
            for (int i = 0; i < 256; ++i)
                QVERIFY2(held.at(i) == again.at(i) || (std::isnan(held.at(i)) && std::isnan(again.at(i))),
                         name);
        }
    }

    void theFirstThatIsNoNumberOfTheTypeIsFound()
    {
        const auto first = [](std::string_view narrow, const ir::NdArray &held) {
            return ops::firstBeyond(held, type(narrow)).value_or(-1);
        };
        QCOMPARE(first("int4", tensor("int8", {4}, {-8, 7, 8, -9})), 2);
        QCOMPARE(first("int4", tensor("int8", {2}, {0, -9})), 1);
        QCOMPARE(first("int4", tensor("int8", {2}, {-8, 7})), -1);
        QCOMPARE(first("uint4", tensor("uint8", {3}, {15, 0, 16})), 2);
        QCOMPARE(first("float8_e4m3fn", tensor("float16", {3}, {448, 1.125, 1.0625})), 2);
        QCOMPARE(first("float8_e4m3fn", tensor("float16", {2}, {-0.0, 449})), 1);
        QCOMPARE(first("float8_e4m3fn", tensor("float16", {1}, {infinity})), 0);
        QCOMPARE(first("float8_e5m2", tensor("float16", {2}, {infinity, 57344})), -1);
    }

    void roundedToTheNearest()
    {
        const auto rounded = [](std::string_view narrow, ir::NdArray held) {
            ops::roundTo(held, type(narrow));
            return QString::fromStdString(textOf(held));
        };
        QCOMPARE(rounded("int4", tensor("int8", {4}, {-9, -8, 7, 100})), "int8 (4): -8 -8 7 7");
        QCOMPARE(rounded("uint4", tensor("uint8", {2}, {15, 16})), "uint8 (2): 15 15");
        QCOMPARE(rounded("float8_e4m3fn", tensor("float16", {6}, {1.05, 1.07, -1.07, 1000, -1000, 0.0012})),
                 "float16 (6): 1 1.125 -1.125 448 -448 0.00195312");
        QCOMPARE(rounded("float8_e5m2", tensor("float16", {3}, {infinity, 1.1, 60000})),
                 "float16 (3): inf 1 57344");
    }

    void narrowedElements()
    {
        const auto narrowed = [](std::string_view to, const ir::NdArray &x, bool saturate = true) {
            return answer("narrow", {x}, {{"dtype", type(to)}, {"saturate", saturate}});
        };
        const ir::NdArray reals = tensor("float32", {6}, {-9, -8.5, 2.5, 3.5, 7.4, 100});
        QCOMPARE(narrowed("int4", reals), "int8 (6): -8 -8 2 4 7 7");
        QCOMPARE(narrowed("uint4", reals), "uint8 (6): 0 0 2 4 7 15");
        // Of integers the low bits stay.
        QCOMPARE(narrowed("int4", tensor("int32", {4}, {7, 8, -9, 31})), "int8 (4): 7 -8 7 -1");
        QCOMPARE(narrowed("uint4", tensor("int32", {3}, {15, 16, -1})), "uint8 (3): 15 0 15");
        const ir::NdArray large = tensor("float32", {5}, {1.0625, 448, 464, 470, -1000});
        QCOMPARE(narrowed("float8_e4m3fn", large), "float16 (5): 1 448 448 448 -448");
        QCOMPARE(narrowed("float8_e4m3fn", large, false).replace("-nan", "nan"),
                 "float16 (5): 1 448 448 nan nan");
        QCOMPARE(narrowed("float8_e5m2", tensor("float32", {3}, {61439, 61441, -1e9}), false),
                 "float16 (3): 57344 inf -inf");
        QCOMPARE(narrowed("float8_e4m3fnuz", tensor("float64", {3}, {-0.0, -1e-9, 1.1875})),
                 "float16 (3): 0 0 1.25");
        QCOMPARE(narrowed("float8_e4m3fn", tensor("float64", {2}, {-0.0, 1.1875})), "float16 (2): -0 1.25");
    }

    void bitsOfTwoAndFour()
    {
        const auto unpacked = [](std::string_view name, const std::vector<int> &bytes, std::int64_t count) {
            ir::NdArray held(ops::heldType(type(name)).value(), {count});
            ops::unpack(bytesOf(bytes), type(name), held);
            const bool isSame = ops::packed(held, type(name)) == bytesOf(bytes);
            return isSame ? textOf(held) : std::string("packed otherwise");
        };
        QCOMPARE(ops::packedBytes(type("int2"), 5), 2);
        QCOMPARE(unpacked("int2", {0b11100100, 0b01}, 5), "int8 (5): 0 1 -2 -1 1");
        QCOMPARE(unpacked("uint2", {0b11100100, 0b01}, 5), "uint8 (5): 0 1 2 3 1");
        QCOMPARE(unpacked("float4_e2m1fn", {0x10, 0x32, 0x54, 0x76, 0x98, 0x0f}, 11),
                 "float16 (11): 0 0.5 1 1.5 2 3 4 6 -0 -0.5 -6");
        QCOMPARE(unpacked("float8_e8m0fnu", {0, 126, 127, 128, 254}, 5),
                 "float32 (5): 5.87747e-39 0.5 1 2 1.70141e+38");
        QVERIFY(std::isnan([] {
            ir::NdArray held(ir::DataType::float32(), {1});
            ops::unpack(bytesOf({255}), type("float8_e8m0fnu"), held);
            return held.at(0);
        }()));
        QCOMPARE(ops::firstBeyond(tensor("float32", {4}, {2, 0.25, noNumber, 3}), type("float8_e8m0fnu")), 3);
        QCOMPARE(ops::firstBeyond(tensor("float32", {1}, {0}), type("float8_e8m0fnu")), 0);
        QCOMPARE(ops::firstBeyond(tensor("float32", {2}, {std::ldexp(1, 127), -2}), type("float8_e8m0fnu")),
                 1);
        QCOMPARE(ops::firstBeyond(tensor("float16", {2}, {6, 5}), type("float4_e2m1fn")), 1);
        QCOMPARE(ops::firstBeyond(tensor("int8", {2}, {-2, 2}), type("int2")), 1);
    }

    void fewBitsAreRoundedTo()
    {
        const auto narrowed = [](std::string_view to, const ir::NdArray &x, ops::Attributes more = {}) {
            more.emplace("dtype", type(to));
            return answer("narrow", {x}, std::move(more));
        };
        const ir::NdArray reals = tensor("float32", {6}, {-3, -2.5, 0.5, 1.5, 2.9, 9});
        QCOMPARE(narrowed("int2", reals), "int8 (6): -2 -2 0 1 1 1");
        QCOMPARE(narrowed("uint2", reals), "uint8 (6): 0 0 0 2 3 3");
        QCOMPARE(narrowed("int2", reals, {{"wrap", true}}), "int8 (6): 1 -2 0 1 -2 1");
        QCOMPARE(narrowed("uint4", tensor("float32", {2}, {-9, 17.9}), {{"wrap", true}}), "uint8 (2): 7 1");
        const ir::NdArray floats =
            tensor("float32", {9}, {0.25, 0.26, 0.75, 2.5, 5, 5.1, 100, -infinity, noNumber});
        QCOMPARE(narrowed("float4_e2m1fn", floats), "float16 (9): 0 0.5 1 2 4 6 6 -6 0");
        QCOMPARE(narrowed("float4_e2m1fn", floats, {{"saturate", false}}),
                 "float16 (9): 0 0.5 1 2 4 6 6 -6 0");
        QCOMPARE(narrowed("float8_e4m3fn", tensor("float32", {2}, {infinity, -infinity})),
                 "float16 (2): 448 -448");
        QCOMPARE(
            narrowed("float8_e5m2", tensor("float64", {2}, {infinity, -infinity}), {{"saturate", false}}),
            "float16 (2): inf -inf");
    }

    void powersOfTwoAreRoundedTo()
    {
        const auto narrowed = [](const char *way, const std::vector<double> &x, bool saturate = true) {
            return answer("narrow", {tensor("float32", {static_cast<std::int64_t>(x.size())}, x)},
                          {{"dtype", type("float8_e8m0fnu")},
                           {"power", std::string(way)},
                           {"saturate", saturate}})
                .replace("-nan", "nan");
        };
        const std::vector<double> reals{1, 1.1, 1.5, 1.9, 0.124};
        QCOMPARE(narrowed("up", reals), "float32 (5): 1 2 2 2 0.125");
        QCOMPARE(narrowed("down", reals), "float32 (5): 1 1 1 1 0.0625");
        QCOMPARE(narrowed("nearest", reals), "float32 (5): 1 1 2 2 0.125");
        const std::vector<double> ends{
            0, std::ldexp(1, -127), std::ldexp(1.5, -127), std::ldexp(1.5, 127), infinity, noNumber};
        QCOMPARE(narrowed("up", ends),
                 "float32 (6): 5.87747e-39 5.87747e-39 1.17549e-38 1.70141e+38 1.70141e+38 nan");
        QCOMPARE(narrowed("nearest", ends, false), "float32 (6): nan 5.87747e-39 1.17549e-38 nan nan nan");
        QCOMPARE(narrowed("away", {1}),
                 "\"narrow\": powers of two are rounded \"up\", \"down\" or \"nearest\", "
                 "not \"away\"");
    }

    void whatIsNotNarrowIsRefused()
    {
        for (const char *wide : {"int8", "float16", "void", "bool"})
            QCOMPARE(answer("narrow", {counted("float32", {2})}, {{"dtype", type(wide)}}),
                     QString("\"narrow\": %1 is no type of integers or floating-point numbers of few bits")
                         .arg(QString::fromStdString(type(wide).str())));
    }

    void quantizedToEveryType()
    {
        const ir::NdArray x = tensor("float32", {4}, {-100000, -1, 1.5, 100000}),
                          half = tensor("float32", {}, {0.5});
        QCOMPARE(quantized("int4", {x, half}), "int8 (4): -8 -2 3 7");
        QCOMPARE(quantized("uint4", {x, half}), "uint8 (4): 0 0 3 15");
        QCOMPARE(quantized("int8", {x, half}), "int8 (4): -128 -2 3 127");
        QCOMPARE(quantized("uint8", {x, half}), "uint8 (4): 0 0 3 255");
        QCOMPARE(quantized("int16", {x, half}), "int16 (4): -32768 -2 3 32767");
        QCOMPARE(quantized("uint16", {x, half}), "uint16 (4): 0 0 3 65535");
        QCOMPARE(quantized("float8_e4m3fn", {x, half}), "float16 (4): -448 -2 3 448");
        QCOMPARE(quantized("float8_e5m2", {x, half}, {{"saturate", false}}), "float16 (4): -inf -2 3 inf");
    }

    void otherTypesAreNotQuantizedTo()
    {
        const ir::NdArray x = counted("float32", {2}), scale = tensor("float32", {}, {1});
        for (const char *wide : {"int32", "int64", "float16", "float32", "bool"})
            QCOMPARE(quantized(wide, {x, scale}),
                     QString("\"nn.quantize\": %1 is no type of integers of 4, 8 or 16 bits or "
                             "floating-point numbers of 8")
                         .arg(wide));
        QCOMPARE(quantized("int8", {x, tensor("int32", {}, {1})}),
                 "\"nn.quantize\": the scale must be a floating-point number");
        QCOMPARE(quantized("int8", {x, scale, tensor("uint8", {}, {1})}),
                 "\"nn.quantize\": the zero point must have the type of the result");
    }

    void narrowTypesThatNothingHoldsAreRefused()
    {
        const ir::DataType unknown = type("float6_e2m3fn");
        QVERIFY(unknown.isNarrow() && !ops::heldType(unknown) && !ops::narrowFloat(unknown));
        QVERIFY(quantized("float6_e2m3fn", {counted("float32", {2}), tensor("float32", {}, {1})})
                    .contains("is no type of integers"));
        QVERIFY(answer("narrow", {counted("float32", {2})}, {{"dtype", unknown}}).contains("is no type"));
    }

    void scalesForAllForAnAxisAndForBlocks()
    {
        const ir::NdArray x = tensor("float32", {2, 3}, {2, 4, 6, 8, 10, 12});
        QCOMPARE(quantized("int8", {x, tensor("float32", {1}, {2})}), "int8 (2, 3): 1 2 3 4 5 6");
        QCOMPARE(quantized("int8", {x, tensor("float32", {3}, {1, 2, 3})}), "int8 (2, 3): 2 2 2 8 5 4");
        QCOMPARE(quantized("int8", {x, tensor("float32", {2}, {1, 2})}, {{"axis", std::int64_t{0}}}),
                 "int8 (2, 3): 2 4 6 4 5 6");
        QCOMPARE(quantized("int8", {x, tensor("float32", {2, 2}, {1, 2, 4, 3})},
                           {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}}),
                 "int8 (2, 3): 2 4 3 2 2 4");
        QCOMPARE(quantized("int8", {x, tensor("float32", {1, 3}, {1, 2, 3})},
                           {{"axis", std::int64_t{0}}, {"block_size", std::int64_t{2}}}),
                 "int8 (2, 3): 2 2 2 8 5 4");
    }

    void scalesThatDoNotFit()
    {
        const ir::NdArray x = counted("float32", {2, 3});
        const auto refusal = [&](const Sizes &scale, std::int64_t axis, std::int64_t block) {
            return quantized("int8", {x, counted("float32", scale, 1)},
                             {{"axis", axis}, {"block_size", block}});
        };
        QCOMPARE(refusal({2}, 1, 0),
                 "\"nn.quantize\": there is no scale Tensor[(2,), float32] for each index "
                 "along axis 1 of Tensor[(2, 3), float32]");
        QCOMPARE(refusal({2, 3}, 1, 0), "\"nn.quantize\": the scale must have 1 dimension, not 2");
        QCOMPARE(refusal({3}, 2, 0), "\"nn.quantize\": there is no axis 2 in a tensor of 2 dimensions");
        QCOMPARE(refusal({3}, 1, 2), "\"nn.quantize\": the scale must have 2 dimensions, not 1");
        for (const Sizes &wrong : {Sizes{2, 3}, Sizes{2, 1}, Sizes{1, 2}})
            QVERIFY(refusal(wrong, 1, 2).endsWith("has no scale for each block of 2 along axis 1"));
        QVERIFY(refusal({2, 3}, 1, -1).endsWith("has no scale for each block of -1 along axis 1"));
        QCOMPARE(quantized("int8", {x, counted("float32", {3}, 1), counted("int8", {2})}),
                 "\"nn.quantize\": scale and zero point differ in shape: Tensor[(3,), float32], "
                 "Tensor[(2,), int8]");
        QCOMPARE(quantized("int8", {x, tensor("float32", {}, {1}), tensor("int8", {1}, {1})}),
                 "int8 (2, 3): 1 2 3 4 5 6");
    }

    void dequantizedInTheTypeOfTheScale()
    {
        const auto real = [](std::vector<ir::NdArray> inputs) {
            return answer("nn.dequantize", std::move(inputs));
        };
        const ir::NdArray half = tensor("float32", {}, {0.5});
        // The difference of two bytes does not fit a byte.
        QCOMPARE(real({tensor("uint8", {2}, {0, 255}), half, tensor("uint8", {}, {255})}),
                 "float32 (2): -127.5 0");
        QCOMPARE(real({tensor("int32", {2}, {-3, 4}), half}), "float32 (2): -1.5 2");
        QCOMPARE(real({tensor("float16", {2}, {-3, 4}), tensor("float64", {}, {0.25})}),
                 "float64 (2): -0.75 1");
        const QString refused = "\"nn.dequantize\": it needs integers of up to 32 bits, or floating-point "
                                "numbers of 8 held in float16";
        QCOMPARE(real({tensor("int64", {1}, {1}), half}), refused);
        QCOMPARE(real({tensor("float32", {1}, {1}), half}), refused);
        QCOMPARE(real({tensor("int8", {1}, {1}), half, tensor("uint8", {}, {1})}),
                 "\"nn.dequantize\": the zero point must have the type of the elements");
    }
};

QTEST_APPLESS_MAIN(NarrowTest)
#include "narrow_test.moc"
