// SPDX-License-Identifier: Apache-2.0
// How files hold integers of 4 bits and floats of 8.
#include "core/frontend/onnx/file/model.h"
#include "core/ops/quantized/narrow.h"
#include "core/ops/quantized/narrow_data.h"
#include "tests/core/graph/narrow_formats.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using ir::DataType;

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
    /// The result of reading it from a file beside which there is "data.bin".
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

std::string codeOf(const support::Result<ir::NdArray> &array) { return array ? "read" : array.error().code; }

} // namespace

class NarrowFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        QCOMPARE(codeOf(tensor(complex, 1).text(RawData, "1").read()), wrong);
    }

    /// A field of 32 bits may hold what the type does not.
    void numbersBeyondTheTypeAreRefused()
    {
        constexpr int uint8 = 2, int8 = 3, uint16 = 4, int16 = 5, boolean = 9, float16 = 10, float8 = 17;
        const std::string wrong("onnx.tensor");
        const auto numbers = [](int kind, std::int64_t value) {
            return tensor(kind, 1).number(Int32Data, static_cast<std::uint64_t>(value)).read();
        };
        for (const auto &[kind, least, greatest] :
             {std::tuple{uint8, 0, 255}, {int8, -128, 127}, {uint16, 0, 65535}, {int16, -32768, 32767}}) {
            QCOMPARE(valuesOf(numbers(kind, least)), std::vector<double>{double(least)});
            QCOMPARE(valuesOf(numbers(kind, greatest)), std::vector<double>{double(greatest)});
            QCOMPARE(codeOf(numbers(kind, least - 1)), wrong);
            QCOMPARE(codeOf(numbers(kind, greatest + 1)), wrong);
        }
        for (const int kind : {int(boolean), int(float16), int(float8), int(int4)}) {
            QCOMPARE(codeOf(numbers(kind, 1 << 20)), wrong);
            QCOMPARE(codeOf(numbers(kind, -70000)), wrong);
        }
        QVERIFY(numbers(int8, 300).error().message.contains("holds 300"));
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
};

QTEST_GUILESS_MAIN(NarrowFilesTest)
#include "narrow_files_test.moc"
