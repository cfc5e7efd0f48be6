// SPDX-License-Identifier: Apache-2.0
#include "core/ir/npy.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;

namespace {

std::string file(const std::string &header, std::size_t dataBytes = 0, char version = 1)
{
    std::string text = "\x93NUMPY";
    text += {version, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    if (version > 1)
        text += std::string(2, '\0');
    return text + header + std::string(dataBytes, '\1');
}

std::string header(const std::string &descr, const std::string &shape, const char *order = "False")
{
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

support::Result<ir::NdArray> read(const std::string &bytes)
{
    return ir::readNpyBytes(std::as_bytes(std::span(bytes)), "a.npy");
}

} // namespace

class NpyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arraysComeBack()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("a.npy")).toStdString();
        for (const char *type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                 "float16", "float32", "float64", "bool"}) {
            for (const std::vector<std::int64_t> &shape :
                 {std::vector<std::int64_t>{}, {5}, {2, 3}, {0, 4}, {1, 1, 7}}) {
                ir::NdArray array(*ir::DataType::parse(type), shape);
                array.fillRandom(3);
                QVERIFY(ir::writeNpy(path, array).has_value());
                const auto again = ir::readNpy(path);
                QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
                QVERIFY(again->dtype() == array.dtype() && again->shape() == array.shape());
                QVERIFY(std::ranges::equal(again->bytes(), array.bytes()));
                QFile written(QString::fromStdString(path));
                QVERIFY(written.open(QIODevice::ReadOnly));
                QVERIFY(written.readAll().contains(array.dtype().bytes() == 1 ? "'|" : "'<"));
            }
        }
    }

    void formsOfTheHeader()
    {
        QVERIFY(read(file(header("<f4", "(2,)"), 8)).has_value());
        QVERIFY(read(file(header("<f4", "(2L, 1L)"), 8)).has_value());
        QVERIFY(read(file(header("<f4", "(2,)"), 8, 2)).has_value());
        QVERIFY(read(file(header("<f4", "(2,)"), 8, 3)).has_value());
        QVERIFY(read(file(header("=f4", "( 2 , 1 )"), 8)).has_value());
        QVERIFY(read(file(header("<f4", "()"), 4)).has_value());
        QVERIFY(read(file("{'shape': (2,), 'fortran_order': False, 'descr': '<f4'", 8)).has_value());
        std::string ones = "(";
        for (int i = 0; i < 64; ++i)
            ones += "1,";
        QVERIFY(read(file(header("<f4", ones + ")"), 4)).has_value());
        const auto flags = read(file(header("|b1", "(2,)"), 2));
        QVERIFY(flags.has_value());
        QCOMPARE(flags->at(0), 1.0);
    }

    void lyingHeadersAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("part");
        const auto row = [](const char *name, const std::string &bytes, const char *part) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << part;
        };
        row("empty", {}, "is no .npy file");
        row("other", "PK\3\4 and so on and on", "is no .npy file");
        row("cut off in the header", file(header("<f4", "(2,)"), 0).substr(0, 30), "has a header of");
        row("long header", std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), "has a header of");
        row("no shape", file("{'descr': '<f4'}"), "has no shape");
        row("no type", file("{'shape': (2,)}"), "a type that is not read");
        row("keys only", file("'descr':'shape':"), "a type that is not read");
        row("objects", file(header("|O", "(2,)"), 16), "a type that is not read");
        row("structures", file("{'descr': [('a', '<f4')], 'shape': (2,)}", 8), "a type that is not read");
        row("other byte order", file(header(">f4", "(2,)"), 8), "a type that is not read");
        row("long type", file(header("<f4444", "(2,)"), 8), "a type that is not read");
        row("open shape", file(header("<f4", "(2"), 8), "has no shape");
        row("no tuple", file(header("<f4", "2"), 8), "has no shape");
        row("below 0", file(header("<f4", "(-2,-1)"), 8), "has no shape");
        row("too long a number", file(header("<f4", "(99999999999999999999,)"), 8), "has no shape");
        row("brackets", file(header("<f4", "[2)"), 8), "has no shape");
        row("as many as there may be", file(header("|i1", "(2147483647,)"), 8), "holds 8 bytes");
        row("one more", file(header("|i1", "(2147483648,)"), 8), "too many elements");
        row("no text", file(header("~ \x7f\x1f", "(2,)"), 8),
            "('~ ?"
            "?'");
        row("no number", file(header("<f4", "(2x,)"), 8), "has no shape");
        row("wraps to 0", file(header("<f4", "(4294967296, 4294967296)")), "too many elements");
        row("wraps to its data", file(header("<f4", "(4611686018427387905, 4)"), 16), "too many elements");
        row("empty, but wraps", file(header("<f4", "(0, 9223372036854775807, 9223372036854775807)")),
            "too many elements");
        std::string ones = "(";
        for (int i = 0; i < 65; ++i)
            ones += "1,";
        row("64 dimensions and too many elements",
            file(header("<f4", ones.substr(0, 127) + "4294967296)"), 4), "too many elements");
        row("too many dimensions", file(header("<f4", ones + ")"), 4), "65 dimensions");
        row("too short", file(header("<f4", "(2,)"), 7), "holds 7 bytes");
        row("too long", file(header("<f4", "(2,)"), 9), "holds 9 bytes");
        row("column-major", file(header("<f4", "(2,)", "True"), 8), "column-major");
    }
    void lyingHeadersAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, part);
        const auto array = read(bytes.toStdString());
        QVERIFY(!array);
        QCOMPARE(array.error().code, std::string("npy.format"));
        QVERIFY2(array.error().message.contains(part.toStdString()), array.error().message.c_str());
        QVERIFY(!array.error().hint.empty());
        // A file says the same.
        const QTemporaryDir folder;
        QFile written(folder.filePath(QStringLiteral("a.npy")));
        QVERIFY(written.open(QIODevice::WriteOnly) && written.write(bytes) == bytes.size());
        written.close();
        const auto again = ir::readNpy(written.fileName().toStdString());
        QVERIFY(!again && again.error().message.contains(part.toStdString()));
    }
};

QTEST_APPLESS_MAIN(NpyTest)
#include "npy_test.moc"
