// SPDX-License-Identifier: Apache-2.0
// nestc bisect: the step that made the result wrong, the one that lost the speed, and passes that are right.
#include "core/session/files/project_file.h"
#include "core/session/session.h"
#include "tests/cli/nestc_runner.h"

using namespace nestwright;
using nestwright::test::NestcRunner;

namespace {

/// Line 9 is at fault.
constexpr const char *wrong = R"(def apply_trace(sch):
    b = sch.get_block("C")
    i, j, k = sch.get_loops(b)
    c = sch.cache_write(b, 0, "global")
    i, j, k = sch.get_loops(b)
    i0, i1 = sch.split(i, [None, 8])
    j0, j1 = sch.split(j, [None, 8])
    sch.reorder(i0, j0, k, i1, j1)
    sch.unsafe_set_dtype(b, 0, "float16")
    sch.vectorize(j1)
    sch.parallel(i0)
)";

/// From line 7 on the innermost loop goes from row to row.
constexpr const char *slow = R"(def apply_trace(sch):
    b = sch.get_block("C")
    i, j, k = sch.get_loops(b)
    sch.annotate(b, "first", 1)
    sch.reorder(i, k, j)
    sch.annotate(b, "second", 1)
    sch.reorder(k, j, i)
    sch.annotate(b, "third", 1)
)";

constexpr const char *product = "op:matmul(M=48,N=40,K=32)";

QJsonObject answerOf(const nestwright::test::Outcome &outcome)
{
    return QJsonDocument::fromJson(outcome.out.toUtf8()).object();
}

} // namespace

class BisectCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theStepThatMadeItWrong_data()
    {
        QTest::addColumn<QStringList>("how");
        QTest::newRow("compiled") << QStringList{};
        QTest::newRow("interpreter") << QStringList{"--interpreter"};
    }
    void theStepThatMadeItWrong()
    {
        QFETCH(QStringList, how);
        NestcRunner nestc;
        const QString script = nestc.write("wrong.py", wrong), least = nestc.file("least.py");
        const auto said =
            nestc.run(QStringList{"bisect", product, "--schedule", script, "--smallest", least} + how);
        COMPARE_STATUS(said, 0);
        QVERIFY2(said.out.startsWith("step 5 of 7, unsafe_set_dtype(C, C_global, \"float16\"), is at fault: "
                                     "wrong result: "),
                 qPrintable(said.out));
        QVERIFY2(said.out.contains(script + ":9: unsafe_set_dtype"), qPrintable(said.out));
        QVERIFY2(said.out.endsWith("2 of 5 steps are enough\n"), qPrintable(said.out));

        // The few steps are wrong as well, and none of them can go.
        COMPARE_STATUS(nestc.run({"verify", product, "--schedule", least}), 1);
        const auto again = nestc.run({"bisect", product, "--schedule", least, "--smallest", "-", "--json"});
        COMPARE_STATUS(again, 0);
        const QJsonObject answer = answerOf(again), smallest = answer["smallest"].toObject();
        QCOMPARE(answer["found"], QJsonValue(true));
        QCOMPARE(answer["of"], QJsonValue(2));
        QCOMPARE(answer["steps"].toArray().at(0).toObject()["step"], QJsonValue(2));
        QVERIFY(answer["confirmed"].toBool() && answer["monotone"].toBool());
        QCOMPARE(smallest["steps"], QJsonValue(2));
        QVERIFY(smallest["minimal"].toBool());
        QCOMPARE(smallest["script"].toString().toUtf8(), nestc.read("least.py"));
    }

    void nothingIsWrong()
    {
        NestcRunner nestc;
        const QString script = nestc.write("right.py", slow);
        const auto said = nestc.run({"bisect", product, "--schedule", script});
        COMPARE_STATUS(said, 1);
        QCOMPARE(said.out, "nothing is wrong: the last step has the right result\n");
        const auto json = nestc.run({"bisect", product, "--schedule", script, "--passes", "--json"});
        COMPARE_STATUS(json, 1);
        QCOMPARE(answerOf(json)["found"], QJsonValue(false));
    }

    void theStepThatLostTheSpeed()
    {
        NestcRunner nestc;
        const auto said = nestc.run({"bisect", "op:matmul(M=512,N=512,K=512)", "--schedule",
                                     nestc.write("slow.py", slow), "--slow", "--json"});
        COMPARE_STATUS(said, 0);
        const QJsonObject answer = answerOf(said);
        const QJsonArray steps = answer["steps"].toArray();
        QCOMPARE(steps.size(), 1);
        QCOMPARE(steps.at(0).toObject()["step"], QJsonValue(4));
        QCOMPARE(steps.at(0).toObject()["line"], QJsonValue(7));
        QVERIFY2(answer["sentence"].toString().endsWith("reorder(k, j, i), lost the speed"),
                 qPrintable(said.out));
        QVERIFY2(answer["detail"].toString().endsWith(" times as long as after step 2")
                     || answer["detail"].toString().endsWith(" times as long as after step 3"),
                 qPrintable(said.out));
    }

    void badInput()
    {
        NestcRunner nestc;
        const auto bare = nestc.run({"bisect", product});
        COMPARE_STATUS(bare, 2);
        QVERIFY2(bare.err.contains("[usage.schedule]"), qPrintable(bare.err));
        COMPARE_STATUS(nestc.run({"bisect", product, "--slow", "--wrong"}), 2);
        COMPARE_STATUS(nestc.run({"bisect", product, "--passes", "--smallest", "-"}), 2);
        COMPARE_STATUS(nestc.run({"bisect", product, "--schedule", nestc.file("none.py")}), 2);
    }

    /// A fault before the first step is the fault of no step.
    void wrongBeforeTheFirstStep()
    {
        NestcRunner nestc;
        const QString kernel = nestc.write("kernel.py", R"(import tvm
from tvm import te
A = te.placeholder((16, 16), name="A")
B = te.compute((16, 16), lambda i, j: A[i, j] * 2.5, name="B")
C = te.compute((16, 16), lambda i, j: B[i, j] + 1.0, name="C")
sch = tvm.tir.Schedule(te.create_prim_func([A, C]))
sch.unsafe_set_dtype("B", 0, "int8")
)");
        const QString script = nestc.write("script.py", R"(def apply_trace(sch):
    sch.parallel(sch.get_loops("C")[0])
)");
        const auto said = nestc.run({"bisect", kernel, "--schedule", script});
        COMPARE_STATUS(said, 2);
        QVERIFY2(said.err.contains("[explore.bad-begin]"), qPrintable(said.err));
    }

    void theWayToASessionsCurrentVariant()
    {
        NestcRunner nestc;
        auto session = session::Session::open(product);
        QVERIFY(session);
        QVERIFY(session->importSchedule(wrong, "wrong.py"));
        const QString file =
            nestc.write("wrong.nest", QByteArray::fromStdString(session::writeProject(*session)));
        const auto said = nestc.run({"bisect", file});
        COMPARE_STATUS(said, 0);
        QVERIFY2(said.out.startsWith("step 5 of 7, unsafe_set_dtype("), qPrintable(said.out));
        QVERIFY2(!said.out.contains(":0:"), qPrintable(said.out));
    }
};

QTEST_GUILESS_MAIN(BisectCommandTest)
#include "bisect_command_test.moc"
