// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/input_file.h"
#include "core/support/text/json_nesting.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace nestwright::support;

namespace {

template <class T> QString codeOf(const Result<T> &result)
{
    return result ? QStringLiteral("read") : QString::fromStdString(result.error().code);
}

} // namespace

class InputFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string path(const char *name) const { return m_folder.filePath(QLatin1String(name)).toStdString(); }
    void write(const char *name, const QByteArray &text) const
    {
        QFile file(QString::fromStdString(path(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

private Q_SLOTS:
    void initTestCase()
    {
        write("text", "0123456789");
        QDir(m_folder.path()).mkpath(QStringLiteral("models/inner"));
        write("models/inner/data", "abcdef");
        write("secret", "secret");
        QVERIFY(symlink("../secret", path("models/link").c_str()) == 0);
        QVERIFY(symlink("inner/data", path("models/near").c_str()) == 0);
        QVERIFY(symlink("..", path("models/up").c_str()) == 0);
        QVERIFY(mkfifo(path("fifo").c_str(), 0600) == 0);
        QVERIFY(mkfifo(path("models/fifo").c_str(), 0600) == 0);
        sockaddr_un address{AF_UNIX, {}};
        const std::string name = path("models/socket");
        QVERIFY(name.size() < sizeof address.sun_path);
        name.copy(address.sun_path, name.size());
        const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
        QVERIFY(bind(listening, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
        close(listening);
    }

    void regularFilesAreRead()
    {
        const auto file = InputFile::open(path("text"));
        QVERIFY(file.has_value());
        QCOMPARE(file->size(), std::uint64_t{10});
        std::string part(3, ' ');
        QVERIFY(file->read(4, std::as_writable_bytes(std::span(part))).has_value());
        QCOMPARE(part, std::string("456"));
        QCOMPARE(codeOf(file->read(8, std::as_writable_bytes(std::span(part)))), QString("open.unreadable"));
        QCOMPARE(*readText(path("text")), std::string("0123456789"));
    }

    /// None of these waits for anything.
    void nonFilesAreRefused_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("code");
        QTest::newRow("missing") << "none" << "open.no-file";
        QTest::newRow("below a file") << "text/x" << "open.no-file";
        QTest::newRow("folder") << "models" << "open.unreadable";
        QTest::newRow("FIFO") << "fifo" << "open.not-regular";
        QTest::newRow("socket") << "models/socket" << "open.not-regular";
        QTest::newRow("device") << "/dev/zero" << "open.not-regular";
        QTest::newRow("terminal") << "/dev/tty" << "open.not-regular";
    }
    void nonFilesAreRefused()
    {
        QFETCH(QString, file);
        QFETCH(QString, code);
        const std::string name = file.startsWith('/') ? file.toStdString() : path(qPrintable(file));
        QCOMPARE(codeOf(InputFile::open(name)), code);
        QCOMPARE(codeOf(readText(name)), code);
    }

    void filesThatFilesName_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("code");
        QTest::newRow("below") << "inner/data" << "read";
        QTest::newRow("by a detour") << "inner/../inner/./data" << "read";
        QTest::newRow("absolute") << "/etc/hostname" << "open.outside";
        QTest::newRow("above") << "../secret" << "open.outside";
        QTest::newRow("above by a detour") << "inner/../../secret" << "open.outside";
        QTest::newRow("link outside") << "link" << "open.outside";
        QTest::newRow("link inside") << "near" << "open.outside";
        QTest::newRow("through a link") << "up/secret" << "open.outside";
        QTest::newRow("FIFO") << "fifo" << "open.not-regular";
        QTest::newRow("socket") << "socket" << "open.not-regular";
        QTest::newRow("folder") << "inner" << "open.unreadable";
        QTest::newRow("nothing") << "" << "open.outside";
        QTest::newRow("itself") << "." << "open.outside";
        QTest::newRow("missing") << "inner/none" << "open.no-file";
        QTest::newRow("below a file") << "inner/data/x" << "open.no-file";
    }
    void filesThatFilesName()
    {
        QFETCH(QString, file);
        QFETCH(QString, code);
        for (const PathWalk walk : {PathWalk::Kernel, PathWalk::Steps}) {
            const auto opened = InputFile::openBelow(path("models"), file.toStdString(), walk);
            QCOMPARE(codeOf(opened), code);
            if (opened)
                QCOMPARE(opened->size(), std::uint64_t{6});
        }
    }

    void pathsWithZeroBytesNameNothing()
    {
        QCOMPARE(codeOf(InputFile::open(std::string("text\0x", 6))), QString("open.no-file"));
        QCOMPARE(codeOf(InputFile::openBelow(path("models"), std::string("inner/data\0x", 12))),
                 QString("open.outside"));
    }

    void textIsBounded()
    {
        QCOMPARE(codeOf(readText(path("text"), 10)), QString("read"));
        QCOMPARE(codeOf(readText(path("text"), 9)), QString("open.too-large"));
        QCOMPARE(codeOf(readText("/proc/self/status")), QString("read")); // says that it has no bytes
        QVERIFY(!readText("/proc/self/status")->empty());
    }

    /// The one way to give a pipe.
    void streamsAreReadToTheirEnd()
    {
        int ends[2];
        QVERIFY(pipe(ends) == 0);
        QCOMPARE(::write(ends[1], "hello", 5), ssize_t{5});
        close(ends[1]);
        const std::string name = "/dev/fd/" + std::to_string(ends[0]);
        QVERIFY(isStream(name) && isStream("-") && isStream("/dev/stdin") && !isStream("/dev/zero"));
        QCOMPARE(*readText(name), std::string("hello"));
        close(ends[0]);
        QCOMPARE(codeOf(readText("/dev/fd/9999")), QString("open.no-file"));
    }

    void jsonIsNestedTooDeeply()
    {
        const auto nested = [](int depth) { return std::string(static_cast<std::size_t>(depth), '['); };
        QVERIFY(!jsonTooDeepAt(nested(limits::jsonDepth)));
        QCOMPARE(jsonTooDeepAt(nested(limits::jsonDepth + 1)),
                 std::optional(static_cast<std::size_t>(limits::jsonDepth)));
        QVERIFY(!jsonTooDeepAt("\"" + nested(1000) + "\\\"" + nested(1000) + "\""));
        QVERIFY(!jsonTooDeepAt("\"\\\\\"" + nested(5)));
        std::string wide;
        for (int i = 0; i < 1000; ++i)
            wide += "[{}],";
        QVERIFY(!jsonTooDeepAt(wide));
        QCOMPARE(checkJsonNesting(nested(1000), "this", "code").error().code, std::string("code"));
    }
};

QTEST_APPLESS_MAIN(InputFileTest)
#include "input_file_test.moc"
