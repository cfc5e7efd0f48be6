// SPDX-License-Identifier: Apache-2.0
// Integers of 4 bits and floats of 8: rounding to them on every backend, how files hold them, and where
// models may use them.
#include "core/backend/backend.h"
#include "core/backend/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "core/ops/narrow.h"
#include "core/ops/narrow_data.h"
#include "core/ops/shapes.h"
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using ir::DataType;

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 noNumber = std::numeric_limits<double>::quiet_NaN();

DataType type(const char *name) { return *DataType::parse(name); }

/// A format of 8 bits, told another way than by the operator: by its bits.
struct Format {
    const char *name;
    unsigned number; ///< ONNX's
    int mantissaBits, bias;
    unsigned largest;    ///< the bits of the largest number
    bool isIeee;         ///< infinity and NaN behind the largest; else NaN is 0x7f
    bool isUnsignedZero; ///< what would be -0 is the only NaN
};

constexpr Format formats[] = {
    {"float8_e4m3fn", 17, 3, 7, 0x7e, false, false},
    {"float8_e4m3fnuz", 18, 3, 8, 0x7f, false, true},
    {"float8_e5m2", 19, 2, 15, 0x7b, true, false},
    {"float8_e5m2fnuz", 20, 2, 16, 0x7f, false, true},
};

/// The magnitude that seven bits stand for, as if none meant infinity or NaN.
double magnitudeOf(const Format &format, unsigned bits)
{
    double fraction = 0;
    for (int i = 0; i < format.mantissaBits; ++i)
        fraction += (bits >> i & 1U) != 0 ? std::pow(2.0, i - format.mantissaBits) : 0;
    const auto exponent = static_cast<int>(bits >> format.mantissaBits);
    return exponent == 0 ? fraction * std::pow(2.0, 1 - format.bias)
                         : (1 + fraction) * std::pow(2.0, exponent - format.bias);
}

double valueOf(const Format &format, unsigned byte)
{
    const unsigned bits = byte & 0x7fU;
    if (format.isUnsignedZero && byte == 0x80)
        return noNumber;
    double value = magnitudeOf(format, bits);
    if (bits > format.largest)
        value = format.isIeee && bits == format.largest + 1 ? infinity : noNumber;
    return byte >= 0x80 ? -value : value;
}

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

ir::NdArray everyHalf()
{
    ir::NdArray array(DataType::float_(16), {65536});
    for (int i = 0; i < 65536; ++i)
        array.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
    return array;
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
        if (!backend::isBuilt(lower::parseTarget(target)->kind))
            continue;
        results.emplace_back(target, empty);
        const auto artifact = backend::compile(module, *lower::parseTarget(target));
        const auto kernel = artifact ? backend::load(*artifact) : support::fail(artifact.error());
        const auto called = kernel ? backend::call(**kernel, artifact->mainEntry()->name,
                                                   std::vector{&x, &results.back().second})
                                   : support::fail(kernel.error());
        if (!called)
            QTest::qFail(called.error().render().c_str(), __FILE__, __LINE__);
    }
    return results;
}

bool isSame(double a, double b)
{
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

constexpr unsigned uint4 = 21, int4 = 22, float4 = 23; // ONNX's numbers

/// A TensorProto, by protobuf's rules: fields of whole numbers or of bytes.
class TensorFile {
public:
    TensorFile &number(unsigned field, std::uint64_t value)
    {
        varint(field << 3U);
        varint(value);
        return *this;
    }
    TensorFile &text(unsigned field, std::string_view bytes)
    {
        varint(field << 3U | 2U);
        varint(bytes.size());
        m_bytes += bytes;
        return *this;
    }
    /// What reading it gives, from a file beside which there is "data.bin".
    support::Result<ir::NdArray> read() const
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("t.pb")).toStdString();
        std::ofstream(path, std::ios::binary) << m_bytes;
        std::ofstream(folder.filePath(QStringLiteral("data.bin")).toStdString(), std::ios::binary)
            << "\x10\xc7\x08";
        return graph::onnx::readTensor(path);
    }
    const std::string &bytes() const { return m_bytes; }

private:
    void varint(std::uint64_t value)
    {
        for (; value >= 0x80; value >>= 7U)
            m_bytes += static_cast<char>(value | 0x80U);
        m_bytes += static_cast<char>(value);
    }
    std::string m_bytes;
};

enum Field : std::uint8_t {
    Dims = 1,
    Type = 2,
    Int32Data = 5,
    RawData = 9,
    ExternalData = 13,
    Location = 14
};

TensorFile tensor(unsigned type, std::uint64_t size)
{
    return TensorFile().number(Dims, size).number(Type, type);
}

std::vector<double> valuesOf(const support::Result<ir::NdArray> &array)
{
    std::vector<double> values;
    for (std::int64_t i = 0; array && i < array->size(); ++i)
        values.push_back(array->at(i));
    return values;
}

std::string codeOf(const support::Result<ir::NdArray> &array) { return array ? "read" : array.error().code; }

OnnxNode to(OnnxNode node, std::int64_t type)
{
    node.attributes.emplace("to", type);
    return node;
}

} // namespace

class NarrowTypesTest : public QObject {
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

    void filesHoldFloatsAsBytes()
    {
        std::string every;
        for (int i = 0; i < 256; ++i)
            every += static_cast<char>(i);
        for (const Format &format : formats) {
            const auto read = tensor(format.number, 256).text(RawData, every).read();
            QVERIFY(read && read->dtype() == DataType::float_(16));
            for (unsigned i = 0; i < 256; ++i)
                QVERIFY2(isSame(read->at(i), valueOf(format, i)),
                         std::format("{} {}: {}", format.name, i, read->at(i)).c_str());
        }
        QCOMPARE(valuesOf(tensor(17, 2).number(Int32Data, 0x38).number(Int32Data, 0xed).read()),
                 (std::vector<double>{1, -104}));
    }

    void filesHoldTwoIntegersInAByte()
    {
        const std::string three = "\x10\xc7\x08";
        const std::vector<double> signedOnes{0, 1, 7, -4, -8}, unsignedOnes{0, 1, 7, 12, 8};
        QCOMPARE(valuesOf(tensor(int4, 5).text(RawData, three).read()), signedOnes);
        QCOMPARE(valuesOf(tensor(uint4, 5).text(RawData, three).read()), unsignedOnes);
        QCOMPARE(tensor(int4, 5).text(RawData, three).read()->dtype(), DataType::int_(8));
        QCOMPARE(tensor(uint4, 5).text(RawData, three).read()->dtype(), DataType::uint(8));
        QCOMPARE(
            valuesOf(
                tensor(int4, 5).number(Int32Data, 16).number(Int32Data, 199).number(Int32Data, 8).read()),
            signedOnes);
        const std::string location = TensorFile().text(1, "location").text(2, "data.bin").bytes();
        const auto outside = [&](std::uint64_t size) {
            return tensor(int4, size).number(Location, 1).text(ExternalData, location).read();
        };
        QCOMPARE(valuesOf(outside(5)), signedOnes);
        QCOMPARE(codeOf(outside(7)), std::string("onnx.external"));
    }

    void wrongLengthsAreRefused()
    {
        const std::string wrong("onnx.tensor");
        QCOMPARE(codeOf(tensor(int4, 5).text(RawData, "12").read()), wrong);
        QCOMPARE(codeOf(tensor(int4, 5).text(RawData, "12345").read()), wrong);
        QCOMPARE(codeOf(tensor(int4, 5).number(Int32Data, 1).read()), wrong);
        QCOMPARE(codeOf(tensor(17, 5).text(RawData, "123").read()), wrong);
        QCOMPARE(codeOf(tensor(17, (1ULL << 31) - 1).read()), wrong);
        QCOMPARE(codeOf(tensor(int4, 1ULL << 31).read()), wrong);
        QCOMPARE(codeOf(tensor(int4, ~std::uint64_t{0}).read()), wrong); // -1
        // As many numbers as are wanted, in another field.
        QCOMPARE(codeOf(tensor(17, 1).number(7, 1).read()), wrong);
        QCOMPARE(codeOf(tensor(float4, 1).text(RawData, "1").read()), wrong);
    }

    /// A narrow type goes with what is moved; nothing computes with it.
    void theTypeStaysWithItsElements()
    {
        OnnxValue like = floats("like", {2, 2});
        like.dtype = DataType::float_(16);
        like.narrow = type("float8_e5m2");
        const auto opOf = [&](const std::vector<OnnxNode> &nodes) {
            const auto imported = importModel(model(nodes, {floats("x", {2, 2}), like}));
            return imported ? std::string(imported->function.at(imported->function.outputs[0]).op->name)
                            : imported.error().code;
        };
        QCOMPARE(opOf({node("CastLike", {"x", "like"}, {"y"})}), std::string("narrow"));
        OnnxNode turn = node("Transpose", {"like"}, {"t"});
        QCOMPARE(opOf({turn, node("CastLike", {"x", "t"}, {"y"})}), std::string("narrow"));
        const OnnxNode wide = to(node("Cast", {"like"}, {"w"}), 10); // FLOAT16, in which it is held
        QCOMPARE(opOf({wide, node("CastLike", {"x", "w"}, {"y"})}), std::string("cast"));
        QCOMPARE(opOf({wide, node("Add", {"w", "w"}, {"y"})}), std::string("add"));
        QCOMPARE(opOf({node("Add", {"like", "like"}, {"y"})}), std::string("onnx.refused"));
        QCOMPARE(opOf({to(node("Cast", {"x"}, {"c"}), 17), node("Concat", {"like", "c"}, {"y"})}),
                 std::string("onnx.unsupported"));
        QCOMPARE(opOf({to(node("Cast", {"x"}, {"y"}), float4)}), std::string("onnx.unsupported"));
        QCOMPARE(opOf({node("DequantizeLinear", {"x", "x"}, {"y"})}), std::string("onnx.unsupported"));
    }

    void everyPatternIsPackedAsItWasHeld()
    {
        std::string every;
        for (int i = 0; i < 256; ++i)
            every += static_cast<char>(i);
        const auto bytes = std::as_bytes(std::span(every));
        for (const char *name : {"int4", "uint4"}) {
            ir::NdArray held(*ops::heldType(type(name)), {511}); // the last byte holds one
            ops::unpack(bytes, type(name), held);
            QVERIFY(!ops::firstBeyond(held, type(name)));
            auto wanted = std::vector(bytes.begin(), bytes.end());
            wanted.back() &= std::byte{15};
            QVERIFY(ops::packed(held, type(name)) == wanted);
        }
        for (const Format &format : formats) {
            ir::NdArray held(DataType::float_(16), {256});
            ops::unpack(bytes, type(format.name), held);
            QVERIFY(!ops::firstBeyond(held, type(format.name)));
            ir::NdArray again(DataType::float_(16), {256});
            ops::unpack(ops::packed(held, type(format.name)), type(format.name), again);
            for (int i = 0; i < 256; ++i) // one NaN may become another
                QVERIFY(isSame(held.at(i), again.at(i)));
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

    void valuesGivenForAnInputAreOfItsType()
    {
        OnnxValue x = floats("x", {4});
        x.dtype = DataType::int_(8);
        x.narrow = type("int4");
        const OnnxModel made = model({to(node("Cast", {"x"}, {"y"}), 1)}, {x});
        ir::NdArray given(DataType::int_(8), {4});
        given.set(0, -8), given.set(3, 7);
        const auto import = [&] {
            return importModel(made,
                               {.sizes = {}, .data = {{"x", std::make_shared<const ir::NdArray>(given)}}});
        };
        QVERIFY(import().has_value());
        QCOMPARE(import()->narrowInputs, (NarrowTypes{{"x", type("int4")}}));
        QVERIFY(import()->narrowResults.empty());
        given.set(2, 9);
        QCOMPARE(import().error().code, std::string("onnx.narrow"));
        QCOMPARE(import().error().message,
                 std::string("element 2 of the input \"x\" is 9, but int4 holds whole numbers from -8 to 7"));
    }

    void narrowResultsAreKnownByName()
    {
        OnnxNode cast = to(node("Cast", {"x"}, {"c"}), int4);
        cast.name = "rounded";
        const auto imported = importModel(model({cast, node("Identity", {"c"}, {"y"})}));
        QVERIFY(imported.has_value());
        QCOMPARE(imported->narrowResults,
                 (NarrowTypes{{"n", type("int4")}, {"rounded", type("int4")}, {"y", type("int4")}}));
    }

    void writtenTensorsKeepTheirType()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("t.pb")).toStdString();
        ir::NdArray held(DataType::int_(8), {5});
        for (int i = 0; i < 5; ++i)
            held.set(i, i - 3);
        QVERIFY(graph::onnx::writeTensor(path, held, "t", type("int4")).has_value());
        QCOMPARE(valuesOf(graph::onnx::readTensor(path)), valuesOf(held));
        std::ifstream file(path, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        // dims 5, data_type 22 (INT4), raw_data of 3 bytes
        QVERIFY(bytes.contains(std::string("\x08\x05\x10\x16", 4)) && bytes.contains("\x4a\x03\xed\x0f\x01"));
    }

    void quantizedInBlocks()
    {
        OnnxNode quantize = node("QuantizeLinear", {"x", "s"}, {"q"});
        quantize.attributes = {
            {"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}, {"output_dtype", std::int64_t{int4}}};
        OnnxNode back = node("DequantizeLinear", {"q", "s"}, {"y"});
        back.attributes = {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}};
        OnnxModel made = model({quantize, back}, {floats("x", {1, 4})});
        ir::NdArray scale(DataType::float32(), {1, 2}), x(DataType::float32(), {1, 4});
        scale.set(0, 0.5), scale.set(1, 4);
        x.set(0, 1.3), x.set(1, -100), x.set(2, 9), x.set(3, 100);
        made.initializers.emplace("s", std::make_shared<const ir::NdArray>(scale));
        const auto imported = importModel(made);
        QVERIFY(imported);
        const auto results = interpreted(imported->function, {x});
        QVERIFY(results);
        QCOMPARE(valuesOf((*results)[0]), (std::vector<double>{1.5, -4, 8, 28}));
    }
};

QTEST_GUILESS_MAIN(NarrowTypesTest)
#include "narrow_types_test.moc"
