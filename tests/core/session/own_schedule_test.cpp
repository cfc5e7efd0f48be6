// SPDX-License-Identifier: Apache-2.0
/// Schedules in the kernel's own file: run as far as they are legal, with errors at the lines of that file.
#include "core/session/reuse/own_schedule.h"

#include "core/frontend/te_script/te_script.h"

#include <QtTest>

using namespace nestwright;

namespace {

constexpr const char *kernel = R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="B")
)";

/// The file's kernel with the first of its schedules run.
schedule::PartialRun runOf(const std::string &steps)
{
    const auto script = te::readTeScript(kernel + steps, "k.py");
    if (!script)
        qFatal("%s", script.error().render().c_str());
    if (script->schedules.empty())
        qFatal("there is no schedule");
    return session::runOwnSchedule(schedule::makeState(script->module).value(), script->schedules.front(),
                                   "k.py");
}

/// "line:column" of the error's first place in the file.
QString placeOf(const schedule::PartialRun &run)
{
    for (const support::Location &location :
         run.error ? run.error->locations : std::vector<support::Location>())
        if (location.file == "k.py")
            return QString("%1:%2").arg(location.line).arg(location.column);
    return {};
}

} // namespace

class OwnScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsOfALegacyScheduleRun()
    {
        const auto run = runOf("s = te.create_schedule(B.op)\ns[B].split(B.op.axis[1], factor=4)\n");
        QVERIFY2(!run.error, run.error ? run.error->render().c_str() : "");
        QVERIFY(!run.run.steps.empty());
    }

    void aLegacyStepThatIsIllegalNamesItsLine()
    {
        const auto run = runOf("s = te.create_schedule(B.op)\n"
                               "o, i = s[B].split(B.op.axis[1], factor=4)\n"
                               "s[B].bind(o, te.thread_axis(\"threadIdx.x\"))\n"
                               "s[B].bind(i, te.thread_axis(\"blockIdx.q\"))\n");
        QVERIFY(run.error);
        QCOMPARE(placeOf(run), "8:1");
        QVERIFY(!run.run.steps.empty()); // those before it stay
    }

    void aWrittenScheduleKeepsLineAndColumn()
    {
        const auto run = runOf("sch = tvm.tir.Schedule(te.create_prim_func([A, B]))\n"
                               "b = sch.get_block(\"B\")\n"
                               "i, j = sch.get_loops(b)\n"
                               "sch.parallel(i)\n"
                               "x = 1; sch.vectorize(b)\n");
        QVERIFY(run.error);
        QCOMPARE(placeOf(run), "9:8");
        QVERIFY(!run.run.steps.empty());
    }

    void aWrittenScheduleThatIsLegalHasNoError()
    {
        const auto run = runOf("sch = tvm.tir.Schedule(te.create_prim_func([A, B]))\n"
                               "sch.parallel(sch.get_loops(sch.get_block(\"B\"))[0])\n");
        QVERIFY2(!run.error, run.error ? run.error->render().c_str() : "");
        QCOMPARE(placeOf(run), "");
    }
};

QTEST_APPLESS_MAIN(OwnScheduleTest)
#include "own_schedule_test.moc"
