// SPDX-License-Identifier: Apache-2.0
// nestc report: the page of a session, what stands in it, and, where Chromium is here, how it behaves there.
#include "tests/cli/nestc_runner.h"

#include <QElapsedTimer>

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr const char *tiled = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 4])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
)";

} // namespace

class ReportCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

    QJsonObject data() const
    {
        const QString page = QString::fromUtf8(m_nestc.read(QStringLiteral("r.html")));
        const QString begin = QStringLiteral("<script type=\"application/json\" id=\"data\">");
        const auto from = page.indexOf(begin) + begin.size();
        return QJsonDocument::fromJson(page.mid(from, page.indexOf(u"</script>", from) - from).toUtf8())
            .object();
    }

private Q_SLOTS:
    void initTestCase() { m_nestc.write(QStringLiteral("tiled.py"), tiled); }

    void figuresLoopsAndCode()
    {
        const Outcome outcome = m_nestc.run(
            {"report", "op:matmul(M=64,N=64,K=64)", "--schedule", "tiled.py", "--measure", "-o", "r.html"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QJsonObject json = data();
        const QJsonArray variants = json["variants"].toArray();
        QCOMPARE(variants.size(), 5);
        QCOMPARE(json["current"].toInt(), 4);
        const QJsonObject last = variants[4].toObject();
        QCOMPARE(last["name"].toString(), QStringLiteral("tiled"));
        QVERIFY(last["result"].toString().startsWith(u"verified"));
        QVERIFY(last["gflops"]["median"].toDouble() > 0 && last["vsFirst"].toDouble() > 0);
        QVERIFY(!variants[1].toObject().contains("time")); // a step on the way
        const QJsonArray details = json["details"].toArray();
        QCOMPARE(details.size(), 2); // the current and the unscheduled one
        const QJsonObject detail = details[0].toObject();
        QVERIFY(detail["nest"]["text"].toString().contains(u"T.vectorized(16)"));
        QVERIFY(!detail["code"]["spans"].toArray().isEmpty());
        QVERIFY(detail["script"].toString().contains(u"sch.vectorize"));
        QStringList loops;
        for (const QJsonValue &row : detail["loops"].toArray())
            loops << row["name"].toString();
        QCOMPARE(loops.join(u' '), QStringLiteral("i_0 j_0 k i_1 j_1 C"));
        QVERIFY(m_nestc.read(QStringLiteral("r.html")).size() < 5 << 20);
    }

    void figuresAsATable()
    {
        const Outcome outcome = m_nestc.run(
            {"report", "op:matmul(M=64,N=64,K=64)", "--schedule", "tiled.py", "--measure", "-o", "r.md"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QStringList lines = QString::fromUtf8(m_nestc.read(QStringLiteral("r.md"))).split(u'\n');
        QCOMPARE(lines.size(), 7); // head, rule, two rows, where and when, the end
        QVERIFY(lines[3].endsWith(u", calm |") || lines[3].endsWith(u", on a busy machine |"));
        QVERIFY(lines[5].startsWith(u"target llvm, ") && lines[5].contains(u". Written 20"));
        QVERIFY(lines[2].startsWith(u"| unscheduled | "));
        QVERIFY(lines[3].startsWith(u"| tiled | ") && lines[3].contains(u"× | verified, "));
        QCOMPARE(lines[3].count(u'|'), lines[0].count(u'|'));
    }

    /// A file from a stranger can bring texts, no markup and no script.
    void textsStayTexts()
    {
        const QByteArray evil = "</script><script>alert(1)</script><b>";
        QJsonObject session{
            {"format", "nestwright-session"},
            {"version", 1},
            {"source", QJsonObject{{"name", QString::fromUtf8(evil)}, {"kind", "tvmscript"}, {"text", ""}}},
            {"module",
             "@T.prim_func\ndef main(A: T.Buffer((4,)), B: T.Buffer((4,))):\n    for i in range(4):\n"
             "        with T.block(\"B\"):\n            vi = T.axis.spatial(4, i)\n"
             "            B[vi] = A[vi]\n"},
            {"target", "llvm"},
            {"variants",
             QJsonArray{QJsonObject{{"name", QString::fromUtf8(evil)}, {"note", QString::fromUtf8(evil)}}}},
            {"current", 0}};
        m_nestc.write(QStringLiteral("evil.nest"), QJsonDocument(session).toJson());
        const Outcome outcome = m_nestc.run({"report", "evil.nest", "-o", "r.html"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY(!m_nestc.read(QStringLiteral("r.html")).contains("<script>alert"));
        QVERIFY(!m_nestc.read(QStringLiteral("r.html")).contains("<b>"));
        QCOMPARE(data()["variants"].toArray().at(0)["note"].toString().toUtf8(), evil);
    }

    /// Figures that a file brings were measured who knows where; names in it may be links, pictures and marks
    /// of writing direction.
    void figuresOfAFileAreNotCalledVerified()
    {
        const QString name = QStringLiteral("![x](http://e.com) | a\r\n| b \u202e\u001b[31m");
        const QJsonArray time{1e-3, 1e-3, 1e-3};
        const QJsonObject measured{{"samples", QJsonArray{1e-3}},
                                   {"time", time},
                                   {"verdict", "verified"},
                                   {"failed", "none"},
                                   {"flops", 1e6},
                                   {"bytes", 1e6},
                                   {"peakFraction", 0.5},
                                   {"threads", 4},
                                   {"final", true}};
        QJsonObject session{
            {"format", "nestwright-session"},
            {"version", 1},
            {"source", QJsonObject{{"name", "k"}, {"kind", "tvmscript"}, {"text", ""}}},
            {"module",
             "@T.prim_func\ndef main(A: T.Buffer((4,)), B: T.Buffer((4,))):\n    for i in range(4):\n"
             "        with T.block(\"B\"):\n            vi = T.axis.spatial(4, i)\n"
             "            B[vi] = A[vi]\n"},
            {"target", "llvm"},
            {"variants", QJsonArray{QJsonObject{{"name", name}, {"measurement", measured}}}},
            {"current", 0}};
        m_nestc.write(QStringLiteral("told.nest"), QJsonDocument(session).toJson());
        Outcome outcome = m_nestc.run({"report", "told.nest", "-o", "r.html"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QJsonObject variant = data()["variants"].toArray().at(0).toObject();
        QCOMPARE(variant["result"].toString(), QStringLiteral("stored, not measured here, 4 threads, calm"));
        QCOMPARE(variant["tone"].toString(), QStringLiteral("warn"));
        QCOMPARE(variant["name"].toString(),
                 QStringLiteral("![x](http://e.com) | a\\u000d\\u000a| b \\u202e\\u001b[31m"));
        outcome = m_nestc.run({"report", "told.nest", "-o", "r.md"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QString table = QString::fromUtf8(m_nestc.read(QStringLiteral("r.md")));
        QCOMPARE(table.count(u'\n'), 5);
        QVERIFY(table.contains(u"| \\!\\[x\\]\\(http://e.com\\) \\| a  \\| b \\\\u202e"));
        QVERIFY(table.contains(u"stored, not measured here, 4 threads, calm |"));
        QVERIFY(!table.contains(u"verified") && !table.contains(u'\r') && !table.contains(QChar(0x202e)));
    }

    void inABrowser()
    {
        const Outcome made = m_nestc.run(
            {"report", "op:matmul(M=64,N=64,K=64)", "--schedule", "tiled.py", "--measure", "-o", "r.html"});
        QCOMPARE(made.status, 0);
        QProcess python;
        python.start(QStringLiteral("python3"),
                     {QStringLiteral("tests/cli/report_browser.py"), m_nestc.file(QStringLiteral("r.html")),
                      m_nestc.file(QStringLiteral("profile"))});
        QVERIFY(python.waitForFinished(120000));
        if (python.exitCode() == 77)
            QSKIP("Chromium and Python's websockets are not here");
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
        const QJsonObject seen = QJsonDocument::fromJson(python.readAllStandardOutput()).object();
        qInfo("ready after %.2f s", seen["seconds"].toDouble());
        QVERIFY(seen["requests"].toArray().isEmpty());
        QVERIFY(seen["errors"].toArray().isEmpty());
        // Over the row of k: its lines in both panes.
        QVERIFY(!seen["fromRow"]["nest"].toArray().isEmpty());
        QVERIFY(!seen["fromRow"]["code"].toArray().isEmpty());
        // Over a line of the nest: code and the loop's row.
        QVERIFY(seen["fromLine"]["code"].toInt() > 0);
        QCOMPARE(seen["fromLine"]["loops"].toArray().size(), 1);
        QVERIFY(seen["before"].toString().contains(u"tiled"));
        QVERIFY(seen["after"].toString().contains(u"unscheduled"));
    }

    void withoutAPlaceToWrite()
    {
        QCOMPARE(m_nestc.run({"report", "op:matmul(M=4,N=4,K=4)"}).status, 2);
        const Outcome outcome =
            m_nestc.run({"report", "op:matmul(M=4,N=4,K=4)", "-o", "no/such/folder.html"});
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.err.contains(u"folder.html"));
    }
};

QTEST_GUILESS_MAIN(ReportCommandTest)
#include "report_command_test.moc"
