// SPDX-License-Identifier: Apache-2.0
// nestc request: one line of JSON for one request.
#include "tests/cli/nestc_runner.h"

using namespace nestwright;
using test::NestcRunner;
using test::Outcome;

class RequestCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

    /// An object of a module and, where they are given, other members.
    static QString parameters(const QString &more = {})
    {
        return QStringLiteral("{\"module\": \"op:matmul(M=8,N=8,K=8)\"%1}").arg(more);
    }

    static QJsonObject object(const Outcome &outcome)
    {
        return QJsonDocument::fromJson(outcome.out.toUtf8()).object();
    }

private Q_SLOTS:
    void anAnswerIsOneLine()
    {
        const Outcome outcome = m_nestc.run(QStringList{"request", "describe", parameters()});
        COMPARE_STATUS(outcome, 0);
        QVERIFY(outcome.err.isEmpty());
        QVERIFY(outcome.out.endsWith(u'\n') && outcome.out.count(u'\n') == 1);
        const QJsonArray statements = object(outcome)["answer"].toObject()["statements"].toArray();
        QCOMPARE(statements.size(), 4);
        QCOMPARE(statements[0].toObject()["name"].toString(), QString("i"));
    }

    void parametersFromStandardInput()
    {
        const Outcome outcome =
            m_nestc.run(QStringList{"request", "legal", "-"}, parameters(R"(, "at": "k")").toUtf8());
        COMPARE_STATUS(outcome, 0);
        QVERIFY(outcome.out.contains("\"primitive\":\"split\""));
    }

    /// The text that nestc source prints.
    void theSameAsTheCommand()
    {
        const Outcome outcome =
            m_nestc.run(QStringList{"request", "source", parameters(R"(, "format": "c")")});
        QCOMPARE(object(outcome)["answer"].toObject()["text"].toString(),
                 m_nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "c"}).out);
    }

    void errorsAreJsonToo_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("code");
        QTest::newRow("cut off") << R"({"module": )" << "request.parameter";
        QTest::newRow("too deep") << QString(100000, u'[') << "request.parameter";
        QTest::newRow("missing") << "{}" << "request.parameter";
        QTest::newRow("no file") << R"({"module": "none.py"})" << "open.no-file";
        QTest::newRow("a step that is refused") << parameters(R"(, "schedule": "wrong.py")") << "schedule.";
    }
    void errorsAreJsonToo()
    {
        QFETCH(QString, given);
        QFETCH(QString, code);
        m_nestc.write("wrong.py", "i, j, k = sch.get_loops('C')\nsch.parallel(k)\n");
        const Outcome outcome = m_nestc.run(QStringList{"request", "open", given});
        QCOMPARE(outcome.status, code.startsWith("schedule") ? 1 : 2);
        const QString found = object(outcome)["error"].toObject()["code"].toString();
        QVERIFY2(found.startsWith(code), qPrintable(outcome.out));
        QVERIFY(outcome.err.isEmpty());
    }

    /// Each request that the list has is there.
    void theListOfRequests()
    {
        const QJsonArray all = object(m_nestc.run(QStringList{"request", "requests"}))["answer"].toArray();
        QVERIFY(all.size() >= 8);
        for (const QJsonValue each : all) {
            const Outcome outcome =
                m_nestc.run(QStringList{"request", each.toObject()["name"].toString(), R"({"nothing": 1})"});
            QVERIFY2(outcome.out.contains("has no parameter"), qPrintable(outcome.out));
        }
    }
};

QTEST_GUILESS_MAIN(RequestCommandTest)
#include "request_command_test.moc"
