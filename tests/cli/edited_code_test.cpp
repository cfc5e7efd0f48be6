// SPDX-License-Identifier: Apache-2.0
// Hand-edited code given to nestc, and what a session's file holds of it.
#include "core/session/files/project_file.h"
#include "tests/cli/nestc_runner.h"
#include "tests/support/missing_layer.h"

using namespace nestwright;
using test::Outcome;
using tests::withoutLayer;

namespace {

const char *const kernel = "op:matmul(M=64,N=64,K=64)";

const char *const tiled = R"(from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  i, j, k = sch.get_loops(sch.get_block("C"))
  sch.split(i, [None, 8])
)";

const char *const parallel = R"(from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  i, j, k = sch.get_loops(sch.get_block("C"))
  sch.parallel(i)
)";

} // namespace

class EditedCodeTest : public QObject, test::NestcRunner {
    Q_OBJECT

    /// The C of the schedule, with `line` before the function.
    QString editedC(const QString &schedule, const QByteArray &line)
    {
        const Outcome source = run({"source", kernel, "--schedule", schedule, "--target", "c", "--editable"});
        if (source.status != 0)
            qFatal("%s", qPrintable(source.err));
        QByteArray text = source.out.toUtf8();
        text.insert(text.indexOf("int32_t main"), line + '\n');
        return write("edited.c", text);
    }

private Q_SLOTS:
    void initTestCase()
    {
        write("tiled.py", tiled);
        write("parallel.py", parallel);
    }

    void itIsMeasuredBesideTheOthers()
    {
        editedC("tiled.py", "/* by hand */");
        const Outcome measured =
            run({"measure", kernel, "--schedule", "tiled.py", "--edited", "edited.c", "--target", "c",
                 "--repetitions", "2", "--seconds", "0.01", "--json", "out.json"});
        QVERIFY2(measured.status == 0, qPrintable(measured.out + measured.err));
        QVERIFY(measured.out.contains("edited.c"));
        const QJsonArray variants = QJsonDocument::fromJson(read("out.json"))["variants"].toArray();
        QCOMPARE(variants.size(), 2);
        QCOMPARE(variants[1]["verdict"].toString(), QStringLiteral("verified"));
    }

    void everyKindIsVerified_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("name");
        QTest::newRow("C") << "c" << "a.c";
        QTest::newRow("LLVM IR") << "llvm" << "a.ll";
        QTest::newRow("assembly") << "asm" << "a.s";
        QTest::newRow("assembly in Intel syntax") << "asm-intel" << "a.s";
    }
    void everyKindIsVerified()
    {
        QFETCH(QString, format);
        QFETCH(QString, name);
        QCOMPARE(run({"source", kernel, "--target", format, "--editable", "-o", name}).status, 0);
        const Outcome verified = run({"verify", kernel, "--edited", name});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

    void aWrongEditIsFound()
    {
        QByteArray text = run({"source", kernel, "--target", "c", "--editable"}).out.toUtf8();
        write("wrong.c", text.replace("< 64", "< 63"));
        const Outcome verified = run({"verify", kernel, "--edited", "wrong.c"});
        QCOMPARE(verified.status, 1);
        QVERIFY2(verified.err.contains("C["), qPrintable(verified.err));
    }

    /// File, line and the compiler's words.
    void whatDoesNotCompileSaysWhere()
    {
        editedC("tiled.py", "int x = nothing;");
        for (const QString &command : {QStringLiteral("measure"), QStringLiteral("verify")}) {
            const Outcome refused = run({command, kernel, "--schedule", "tiled.py", "--edited", "edited.c"});
            QVERIFY(refused.status != 0);
            QVERIFY2(refused.err.contains(QRegularExpression("edited\\.c:\\d+:\\d+: .*nothing")),
                     qPrintable(refused.err));
        }
        editedC("tiled.py", "#include <stdio.h>");
        const Outcome refused = run({"verify", kernel, "--schedule", "tiled.py", "--edited", "edited.c"});
        QVERIFY2(refused.err.contains(QRegularExpression("edited\\.c:\\d+:1: error: #include <stdio.h>")),
                 qPrintable(refused.err));
    }

    void filesThatSayNothingOfTheirKind()
    {
        write("a.txt", "int a;");
        const Outcome refused = run({"measure", kernel, "--edited", "a.txt"});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains(".ll"), qPrintable(refused.err));
        QCOMPARE(run({"measure", kernel, "--edited", "none.c"}).status, 2);
    }

    void anEditIsCarriedToAnotherSchedule()
    {
        editedC("tiled.py", "/* by hand */");
        const Outcome carried = run({"source", kernel, "--schedule", "parallel.py", "--target", "c",
                                     "--carry", "edited.c", "--from", "tiled.py", "-o", "moved.c"});
        QVERIFY2(carried.status == 0, qPrintable(carried.err));
        QVERIFY(read("moved.c").contains("/* by hand */"));
        QVERIFY(read("moved.c").contains("omp parallel"));
        const Outcome verified = run({"verify", kernel, "--schedule", "parallel.py", "--edited", "moved.c"});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

    void conflictsStandInTheText()
    {
        QByteArray text = run({"source", kernel, "--target", "c", "--editable"}).out.toUtf8();
        write("loop.c", text.replace("for (", "for ( /* mine */ "));
        const Outcome carried = run({"source", kernel, "--schedule", "tiled.py", "--target", "c", "--carry",
                                     "loop.c", "-o", "moved.c"});
        QCOMPARE(carried.status, 1);
        QVERIFY2(carried.err.contains("conflict"), qPrintable(carried.err));
        QVERIFY(read("moved.c").contains("<<<<<<< the edit\n"));
        QVERIFY(read("moved.c").contains(">>>>>>> the new schedule\n"));
        const Outcome verified = run({"verify", kernel, "--schedule", "tiled.py", "--edited", "moved.c"});
        QVERIFY(verified.status != 0);
        QVERIFY2(verified.err.contains(QRegularExpression("moved\\.c:\\d+:1: .*conflict")),
                 qPrintable(verified.err));
    }

    /// Without the flag nothing of it is compiled or run.
    void aSessionsEditsAskForAFlag()
    {
        auto session = session::Session::open(kernel);
        QVERIFY(session);
        const session::VariantId root = session->tree().root().id;
        auto edit = session::beginEdit(*session->tree().root().state, {}, backend::SourceKind::C);
        QVERIFY(edit);
        edit->text += "/* a stranger's */\n";
        session->tree().addEdit(root, std::move(*edit));
        write("stranger.nest", QByteArray::fromStdString(session::writeProject(*session)));
        const QStringList measure{"measure", file("stranger.nest"), "--target", "c", "--repetitions",
                                  "2",       "--seconds",           "0.01"};
        const Outcome without = run(measure);
        QVERIFY2(without.status == 0, qPrintable(without.err));
        QVERIFY(!without.out.contains("edited C"));
        QVERIFY2(without.err.contains("--run-edited"), qPrintable(without.err));
        const Outcome with = run(measure + QStringList{"--run-edited"});
        QVERIFY2(with.status == 0, qPrintable(with.err + with.out));
        QVERIFY2(with.out.contains(QRegularExpression("edited C.*verified")), qPrintable(with.out));
        const Outcome report = run({"report", file("stranger.nest"), "--measure", "-o", "report.md"});
        QVERIFY2(report.status == 0, qPrintable(report.err));
        QVERIFY2(report.err.contains("comes from a file"), qPrintable(report.err));
    }

    /// Where nothing keeps it from files or processes a file's code is run only by a word of its own.
    void withoutSandboxItAsksForAnotherFlag_data()
    {
        QTest::addColumn<QByteArray>("missing");
        QTest::addColumn<QString>("named");
        QTest::newRow("seccomp") << QByteArray("seccomp") << "seccomp is missing";
        QTest::newRow("Landlock") << QByteArray("landlock") << "Landlock is missing";
    }
    void withoutSandboxItAsksForAnotherFlag()
    {
        QFETCH(QByteArray, missing);
        QFETCH(QString, named);
        process().setChildProcessModifier([missing] { withoutLayer(missing.constData()); });
        editedC("tiled.py", "/* a stranger's */");
        const QStringList verify{"verify", kernel, "--schedule", "tiled.py", "--edited", "edited.c"},
            measure{"measure", file("stranger.nest"), "--target",  "c",   "--repetitions",
                    "2",       "--run-edited",        "--seconds", "0.01"};
        for (const QStringList &command :
             {verify, measure,
              QStringList{"report", file("stranger.nest"), "--measure", "--run-edited", "-o", "report.md"}}) {
            const Outcome refused = run(command);
            QVERIFY2(refused.status == 2, qPrintable(refused.out));
            QVERIFY2(refused.err.contains(named) && refused.err.contains("--without-sandbox"),
                     qPrintable(refused.err));
        }
        for (const QStringList &command : {verify, measure}) {
            const Outcome agreed = run(command + QStringList{"--without-sandbox"});
            QVERIFY2(agreed.status == 0, qPrintable(agreed.err));
        }
        process().setChildProcessModifier({});
    }
};

QTEST_GUILESS_MAIN(EditedCodeTest)
#include "edited_code_test.moc"
