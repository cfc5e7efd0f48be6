// SPDX-License-Identifier: GPL-3.0-or-later
// nestc at work for the window: its lines, its errors, and messages where it cannot be started.
#include "widgets/document/work/nestc_process.h"

#include <QJsonObject>
#include <QSignalSpy>
#include <QtTest>

using namespace nestwright;
using document::NestcProcess;

class NestcProcessTest : public QObject {
    Q_OBJECT

    static std::optional<support::Diagnostic> errorOf(const QStringList &arguments)
    {
        NestcProcess process("test.failed");
        std::optional<std::optional<support::Diagnostic>> end;
        connect(&process, &NestcProcess::ended, &process,
                [&](const std::optional<support::Diagnostic> &error) { end = error; });
        process.start(arguments);
        if (!QTest::qWaitFor([&] { return end.has_value(); }, 20000))
            return support::diagnostic("test.silent", "it does not end");
        return *end;
    }

private Q_SLOTS:
    void itsErrorOutputIsTheMessage()
    {
        const auto error = errorOf({QStringLiteral("run-model"), QStringLiteral("/no/such/model.onnx")});
        QVERIFY(error);
        QCOMPARE(error->code, std::string("test.failed"));
        QVERIFY2(error->message.contains("/no/such/model.onnx"), error->message.c_str());
    }

    void aGoodEndIsNoError() { QVERIFY(!errorOf({QStringLiteral("--help")})); }

    void whereItCannotBeStartedItsPathIsNamed()
    {
        qputenv("NESTWRIGHT_NESTC", "/no/such/nestc");
        const auto error = errorOf({});
        qunsetenv("NESTWRIGHT_NESTC");
        QVERIFY(error);
        QCOMPARE(error->code, std::string("worker.start"));
        QVERIFY2(error->message.contains("'/no/such/nestc'"), error->message.c_str());
        QVERIFY(!error->hint.empty());
    }
};

QTEST_GUILESS_MAIN(NestcProcessTest)
#include "nestc_process_test.moc"
