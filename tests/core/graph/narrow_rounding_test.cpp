// SPDX-License-Identifier: Apache-2.0
// Rounding to integers of 4 bits and floats of 8, on every backend.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "core/ops/quantized/narrow.h"
#include "core/ops/quantized/narrow_data.h"
#include "core/ops/table/shapes.h"
#include "tests/core/graph/narrow_formats.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using ir::DataType;

/// The magnitudes from 0 to the one behind the largest.
std::vector<double> magnitudesOf(const Format &format)
{
    std::vector<double> magnitudes;
    for (unsigned bits = 0; bits <= format.largest + 1; ++bits)
        magnitudes.push_back(magnitudeOf(format, bits));
    return magnitudes;
}

/// The nearest number of the format, found by looking at all.
double nearest(const Format &format, const std::vector<double> &magnitudes, double x, bool saturate)
{
    if (std::isnan(x))
        return x;
    const double size = std::abs(x);
    unsigned bits = 0; // of the largest that is not above
    while (bits <= format.largest && magnitudes[bits + 1] <= size)
        ++bits;
    if (bits <= format.largest) {
        const double below = size - magnitudes[bits], above = magnitudes[bits + 1] - size;
        bits += above < below || (above == below && bits % 2 == 1) ? 1 : 0;
    }
    double value = magnitudes[std::min(bits, format.largest)];
    if (bits > format.largest && !saturate)
        value = format.isIeee ? infinity : noNumber;
    return value == 0 && format.isUnsignedZero ? 0 : std::copysign(value, x);
}

/// Halves between numbers of the format, and what lies next to them.
ir::NdArray halves(const Format &format, DataType type)
{
    std::vector<double> values{0, -0.0, infinity, -infinity, noNumber, 1e-30, -1e-30, 1e30, -3e38};
    for (unsigned bits = 0; bits <= format.largest; ++bits) {
        const double half = (magnitudeOf(format, bits) + magnitudeOf(format, bits + 1)) / 2;
        const bool isDouble = type.bits == 64;
        for (const double towards : {half, -infinity, infinity}) {
            const double value = isDouble
                                     ? std::nextafter(half, towards)
                                     : std::nextafter(static_cast<float>(half), static_cast<float>(towards));
            values.insert(values.end(), {value, -value});
        }
    }
    ir::NdArray array(type, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), values[i]);
    return array;
}

/// The result of "narrow" by the interpreter and by every backend, named.
std::vector<std::pair<std::string, ir::NdArray>> narrowed(ir::NdArray x, DataType to, bool saturate)
{
    const ops::TensorOp &op = *ops::findTensorOp("narrow");
    const auto attributes = ops::completeAttributes(op, {{"dtype", to}, {"saturate", saturate}}).value();
    const std::vector<ops::TensorType> inputs{{ops::shapeOf(x.shape()), x.dtype()}};
    const ops::CallSite site{op, attributes, inputs};
    const std::vector<ops::TensorType> types = ops::inferTypes(site).value();
    const ir::Module module = ops::moduleOf(site, types).value();
    const ir::NdArray empty(types[0].dtype, x.shape());
    std::vector<std::pair<std::string, ir::NdArray>> results{{"interpreter", empty}};
    if (const auto ran = interp::run(*module.mainEntry()->function, std::vector{&x, &results[0].second});
        !ran)
        QTest::qFail(ran.error().render().c_str(), __FILE__, __LINE__);
    for (const char *target : {"llvm", "c"}) {
        if (!backend::isBuilt(target::parseTarget(target)->kind))
            continue;
        results.emplace_back(target, empty);
        const auto artifact = backend::compile(module, *target::parseTarget(target));
        const auto kernel = artifact ? backend::load(*artifact) : support::fail(artifact.error());
        const auto called = kernel ? backend::call(**kernel, artifact->mainEntry()->name,
                                                   std::vector{&x, &results.back().second})
                                   : support::fail(kernel.error());
        if (!called)
            QTest::qFail(called.error().render().c_str(), __FILE__, __LINE__);
    }
    return results;
}

} // namespace

class NarrowRoundingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nearestFloat_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<bool>("saturate");
        for (int i = 0; i < 4; ++i) {
            for (const bool saturate : {false, true})
                QTest::addRow("%s%s", formats[i].name, saturate ? ", saturated" : "") << i << saturate;
        }
    }
    void nearestFloat()
    {
        QFETCH(int, which);
        QFETCH(bool, saturate);
        const Format &format = formats[which];
        const std::vector<double> magnitudes = magnitudesOf(format);
        for (const ir::NdArray &x :
             {everyHalf(), halves(format, DataType::float32()), halves(format, DataType::float_(64))}) {
            std::vector<double> wanted;
            for (std::int64_t i = 0; i < x.size(); ++i)
                wanted.push_back(nearest(format, magnitudes, x.at(i), saturate));
            for (const auto &[target, y] : narrowed(x, type(format.name), saturate)) {
                QCOMPARE(y.dtype(), DataType::float_(16));
                for (std::int64_t i = 0; i < x.size(); ++i) {
                    if (!isSame(y.at(i), wanted[static_cast<std::size_t>(i)]))
                        QFAIL(std::format("{}, {}: {} becomes {} instead of {}", target, x.dtype().str(),
                                          x.at(i), y.at(i), wanted[static_cast<std::size_t>(i)])
                                  .c_str());
                }
            }
        }
    }

    void nearestInteger()
    {
        ir::NdArray x = everyHalf();
        for (std::int64_t i = 0; i < x.size(); ++i) {
            if (std::isnan(x.at(i)))
                x.set(i, 0); // becomes any number
        }
        for (const auto &[name, least, greatest] : {std::tuple("int4", -8, 7), std::tuple("uint4", 0, 15)}) {
            for (const auto &[target, y] : narrowed(x, type(name), true)) {
                for (std::int64_t i = 0; i < x.size(); ++i) {
                    const double wanted = std::clamp<double>(std::nearbyint(x.at(i)), least, greatest);
                    if (y.at(i) != wanted)
                        QFAIL(std::format("{}: {} becomes {}", target, x.at(i), y.at(i)).c_str());
                }
            }
        }
    }

    void integersKeepTheirLowBits()
    {
        for (const DataType from : {DataType::int_(8), DataType::uint(8), DataType::int64()}) {
            ir::NdArray x(from, {100});
            for (int i = 0; i < 100; ++i)
                x.set(i, from.isUInt() ? i : i - 50);
            for (const auto &[target, y] : narrowed(x, type("uint4"), true)) {
                for (int i = 0; i < 100; ++i)
                    QCOMPARE(y.at(i), static_cast<double>(static_cast<unsigned>(x.at(i) + 160) % 16));
            }
            for (const auto &[target, y] : narrowed(x, type("int4"), true)) {
                for (int i = 0; i < 100; ++i)
                    QCOMPARE(y.at(i), static_cast<double>(static_cast<unsigned>(x.at(i) + 168) % 16) - 8);
            }
        }
    }

    void numbersBeyondTheTypeAreFound()
    {
        ir::NdArray integers(DataType::int_(8), {4});
        integers.set(1, -8), integers.set(2, 7);
        QVERIFY(!ops::firstBeyond(integers, type("int4")));
        integers.set(3, 8);
        QCOMPARE(ops::firstBeyond(integers, type("int4")), std::optional<std::int64_t>(3));
        integers.set(2, -9);
        QCOMPARE(ops::firstBeyond(integers, type("int4")), std::optional<std::int64_t>(2));
        for (const Format &format : formats) {
            ir::NdArray x = everyHalf();
            std::set<double> numbers;
            for (unsigned i = 0; i < 256; ++i) {
                if (const double value = valueOf(format, i); !std::isnan(value))
                    numbers.insert(value);
            }
            for (std::int64_t i = 0; i < x.size(); ++i) {
                ir::NdArray one(DataType::float_(16), {1});
                one.set(0, x.at(i));
                if (i % 97 == 0) // each look goes through all halves once
                    QCOMPARE(ops::firstBeyond(one, type(format.name)).has_value(),
                             !std::isnan(x.at(i)) && !numbers.contains(x.at(i)));
            }
            ops::roundTo(x, type(format.name));
            const auto beyond = ops::firstBeyond(x, type(format.name));
            QVERIFY(!beyond || std::isinf(x.at(*beyond)));
        }
    }
};

QTEST_GUILESS_MAIN(NarrowRoundingTest)
#include "narrow_rounding_test.moc"
