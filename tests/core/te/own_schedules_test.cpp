// SPDX-License-Identifier: Apache-2.0
// Several schedules in one TE script, and scripts that make no kernel.
#include "core/frontend/te_script/te_script.h"
#include "tests/support/steps_text.h"

#include <QtTest>

#include <algorithm>
#include <format>

using namespace nestwright;

namespace {

const std::string kernel = R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
)";
constexpr int kernelLines = 6;

te::TeScript read(const std::string &text)
{
    auto script = te::readTeScript(text, "k.py");
    if (!script) {
        qWarning("%s", script.error().render().c_str());
        return {};
    }
    return *std::move(script);
}

/// "name: primitives in order", one schedule a line; queries left out.
QString schedulesOf(const te::TeScript &script)
{
    QStringList lines;
    for (const te::ScheduleSteps &schedule : script.schedules) {
        QStringList steps;
        for (const te::StepDescription &step : schedule.steps) {
            if (!step.primitive.starts_with("get_"))
                steps << QString::fromStdString(step.primitive);
        }
        lines << QString::fromStdString(schedule.name) + ": " + steps.join(' ');
    }
    return lines.join('\n');
}

const support::Diagnostic *noteOf(const te::TeScript &script, std::string_view code)
{
    const auto found = std::ranges::find(script.notes, code, &support::Diagnostic::code);
    return found == script.notes.end() ? nullptr : &*found;
}

} // namespace

class OwnSchedulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachScheduleOfTheKernelIsOne()
    {
        const te::TeScript script = read(kernel + R"(
s1 = te.create_schedule(C.op)
print(tvm.lower(s1, [A, B, C], simple_mode=True))
s2 = te.create_schedule(C.op)
io, ii = s2[C].split(C.op.axis[0], factor=4)
print(tvm.lower(s2, [A, B, C]))
s3 = te.create_schedule(C.op)
io, ii = s3[C].split(C.op.axis[0], factor=4)
jo, ji = s3[C].split(C.op.axis[1], factor=4)
s3[C].reorder(io, jo, ii, ji)
)");
        // s1 does nothing: it is the unscheduled program.
        QCOMPARE(schedulesOf(script), QString("s2: split\ns3: split split reorder"));
        QVERIFY(!noteOf(script, "te.several-kernels"));
    }

    /// Steps on a tir.Schedule stand line for line as the file has them, however many lines one takes.
    void stepsOverSeveralLines()
    {
        const std::string text = kernel + R"(
sch = tvm.tir.Schedule(te.create_prim_func([A, B, C]))
# the loops of C
i, j, k = sch.get_loops(
    sch.get_block(
        "C"))
print("nothing of the schedule")
sch.split(j, [None,
              4])
)";
        const te::TeScript script = read(text);
        QCOMPARE(script.schedules.size(), std::size_t{1});
        const QStringList written = QString::fromStdString(script.schedules[0].written).split(u'\n');
        const QStringList lines = QString::fromStdString(text).split(u'\n');
        for (const int line : {7, 9, 10, 11, 13, 14})
            QCOMPARE(written.value(line), lines.value(line));
        QVERIFY(!script.schedules[0].written.contains("nothing of the schedule"));
    }

    void aLoopOverConfigurationsMakesOneEach()
    {
        const te::TeScript script = read(kernel + R"(
configs = [
    ("Naive", lambda s, C: None),
    ("Tile 16", lambda s, C: s[C].tile(*C.op.axis, 16, 16)),
    ("Tile 32 + vec", lambda s, C: (s[C].tile(*C.op.axis, 32, 32), s[C].vectorize(s[C].op.axis[-1]))),
]
for name, apply_schedule in configs:
    s = te.create_schedule(C.op)
    try:
        apply_schedule(s, C)
    except Exception:
        pass
    func = tvm.build(s, [A, B, C], target="llvm")
)");
        QCOMPARE(schedulesOf(script),
                 QString("Tile 16: split split reorder\nTile 32 + vec: split split reorder"));
        const support::Diagnostic *caught = noteOf(script, "te.caught");
        QVERIFY(caught);
        QVERIFY2(caught->message.contains("\"j\""), caught->message.c_str());
        QCOMPARE(caught->locations[0].line, kernelLines + 5);
    }

    void numbersNameTheTurnsOfALoop()
    {
        const te::TeScript script = read(kernel + R"(
for factor in [4, 8]:
    s = te.create_schedule(C.op)
    s[C].split(C.op.axis[0], factor=factor)
for x, y in [(4, 8)]:
    s = te.create_schedule(C.op)
    s[C].tile(*C.op.axis, x, y)
)");
        QCOMPARE(schedulesOf(script),
                 QString("factor = 4: split\nfactor = 8: split\nx = 4, y = 8: split split reorder"));
    }

    void equalNamesGetTheirLines()
    {
        const te::TeScript script = read(kernel + R"(
s = te.create_schedule(C.op)
s[C].split(C.op.axis[0], factor=4)
s = te.create_schedule(C.op)
s[C].split(C.op.axis[0], factor=8)
)");
        QCOMPARE(schedulesOf(script), QString("s (line 8): split\ns (line 10): split"));
    }

    /// A notebook declares its tensors anew in each cell.
    void tensorsDeclaredAnewMakeTheSameKernel()
    {
        std::string text = "from tvm import te\nimport tvm\n";
        for (const int factor : {4, 8})
            text += std::format("n = te.var(\"n\")\nA = te.placeholder((n,), name=\"A\")\n"
                                "B = te.compute((n,), lambda i: A[i] + 1, name=\"B\")\n"
                                "s{0} = te.create_schedule(B.op)\ns{0}[B].split(B.op.axis[0], factor={0})\n",
                                factor);
        QCOMPARE(schedulesOf(read(text)), QString("s4: split\ns8: split"));
        // Another computation is another kernel; the last one is opened.
        const te::TeScript other = read(text
                                        + "C = te.compute((n,), lambda i: A[i] * 2, name=\"C\")\n"
                                          "s = te.create_schedule(C.op)\ns[C].split(C.op.axis[0], 2)\n");
        QCOMPARE(schedulesOf(other), QString("s: split"));
        const support::Diagnostic *note = noteOf(other, "te.several-kernels");
        QVERIFY(note && note->message.contains("lines 6, 11"));
    }

    void aDifferenceOfTwoProgramsNamesTheVariants()
    {
        const te::TeScript script = read(kernel + R"(
def compute_diff(s1: str, s2: str):
    for line in difflib.ndiff(s1.splitlines(), s2.splitlines()):
        print(line)
s1 = te.create_schedule(C.op)
base = str(tvm.lower(s1, [A, B, C], simple_mode=True))
print(base)
s2 = te.create_schedule(C.op)
s2[C].split(C.op.axis[0], factor=4)
split = str(tvm.lower(s2, [A, B, C], simple_mode=True))
compute_diff(base, split)
)");
        QCOMPARE(script.comparisons.size(), 1U);
        const te::ProgramComparison &comparison = script.comparisons[0];
        QCOMPARE(comparison.before + comparison.after, std::string("s1s2"));
        QVERIFY2(comparison.note.message.contains("\"s1\" with \"s2\""), comparison.note.message.c_str());
        QCOMPARE(comparison.note.locations[0].line, kernelLines + 11);
        QVERIFY(!noteOf(script, "te.comparison"));
        for (const support::Diagnostic &each : script.notes)
            QVERIFY2(!each.message.contains("print") && !each.message.contains("str"), each.message.c_str());
    }

    void namesThatPagesTakeForGranted()
    {
        std::string text = kernel;
        text.erase(0, text.find("A ="));
        const te::TeScript script = read(text + "x = np.zeros((8, 8))\n");
        const support::Diagnostic *note = noteOf(script, "te.missing-import");
        QVERIFY(note && note->message.contains("tvm.te"));
        const auto without = te::readTeScript("A = te.placeholder((M, N), name=\"A\")\n", "k.py");
        QVERIFY(!without);
        QCOMPARE(without.error().code, std::string("te.unknown-name"));
        QVERIFY2(without.error().hint.contains("M = 1024"), without.error().hint.c_str());
    }

    /// Building for another target is no matter of the kernel.
    void aBuildOfSomethingUnknownIsSkipped()
    {
        const te::TeScript script = read(kernel + R"(
s = te.create_schedule(C.op)
s[C].split(C.op.axis[0], factor=4)
f = tvm.build(s_gpu, [A, B, C], target="cuda")
)");
        QCOMPARE(schedulesOf(script), QString("s: split"));
        const support::Diagnostic *note = noteOf(script, "te.skipped-line");
        QVERIFY(note && note->message.contains("\"s_gpu\" is not defined"));
    }

    void tryAsInPython()
    {
        const te::TeScript script = read(kernel + R"(
sizes = []
try:
    sizes.append(1)
    nothing_like_this
    sizes.append(2)
except NameError as e:
    sizes.append(3)
else:
    sizes.append(4)
finally:
    sizes.append(5)
try:
    pass
except:
    sizes.append(6)
else:
    sizes.append(7)
s = te.create_schedule(C.op)
for factor in sizes:
    s[C].pragma(C.op.axis[0], "p", factor)
)");
        QCOMPARE(script.schedules.size(), 1U);
        std::vector<std::int64_t> seen;
        for (const te::StepDescription &step : script.schedules[0].steps) {
            if (step.primitive == "annotate")
                seen.push_back(std::get<std::int64_t>(step.arguments[2].second.value));
        }
        QCOMPARE(seen, (std::vector<std::int64_t>{1, 3, 5, 7}));
        const auto again =
            te::readTeScript(kernel + "try:\n    nothing_like_this\nexcept:\n    raise\n", "k.py");
        QVERIFY(!again);
        QCOMPARE(again.error().code, std::string("te.unknown-name"));
        QCOMPARE(again.error().locations[0].line, kernelLines + 2);
        QVERIFY(!te::readTeScript(kernel + "try:\n    nothing_like_this\nfinally:\n    pass\n", "k.py"));
    }

    void scriptsThatMakeNoKernelSayWhatToOpen_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char *name, const char *text, const char *said) {
            QTest::newRow(name) << text << said;
        };
        row("empty", "\n", "no program");
        row("export", "import torch\ntorch.onnx.export(model, x, \"m.onnx\")\n", "\"m.onnx\"");
        row("import", "import onnx\nm = onnx.load('net.onnx')\nmod = relay.frontend.from_onnx(m)\n",
            "open \"net.onnx\"");
        row("relay", "from tvm import relay\nx = relay.var(\"x\", shape=(4, 4))\n", "Relay");
        row("text of Relay", "fn (%x: Tensor[(4, 4), float32]) {\n  nn.relu(%x)\n}\n", "Relay");
        row("fragment", "s2 = te.create_schedule(C.op)\nprint(tvm.lower(s2, [A, C]))\n", "te.placeholder");
        row("a helper alone", "def show_diff(a, b):\n    print(a, b)\n", "te.compute");
        row("numpy", "a = np.ones((4, 4))\nb = a @ a\n", "NumPy");
        row("executor", "executor.run()\nout = executor.get_output(0)\n", "model");
    }
    void scriptsThatMakeNoKernelSayWhatToOpen()
    {
        QFETCH(QString, text);
        QFETCH(QString, said);
        const auto script = te::readTeScript(text.toStdString(), "k.py");
        QVERIFY(!script);
        QCOMPARE(script.error().code, std::string("te.no-kernel"));
        QVERIFY2((script.error().message + script.error().hint).contains(said.toStdString()),
                 script.error().render().c_str());
    }

    void pagesOfNotebooks()
    {
        const auto script = te::readTeScript("# A page\nLet us begin:\n\nIn [1]:\nfrom tvm import te\n"
                                             "A = te.placeholder((8,))\n",
                                             "k.py");
        QVERIFY(!script);
        QVERIFY2(script.error().hint.contains("notebook"), script.error().render().c_str());
    }

    void attributesInADict()
    {
        const te::TeScript script = read(kernel + R"(
f = te.create_prim_func([A, B, C]).with_attr({"global_symbol": "mm", "tir.noalias": True})
mod = tvm.IRModule({"mm": f})
)");
        QCOMPARE(script.module.functions().front().name, std::string("mm"));
    }

    void schedulesInTheFileOfAKernel()
    {
        const std::string twice = "import tvm\nfrom tvm import te, tir\n"
                                  "A = te.placeholder((8,), name=\"A\")\n"
                                  "B = te.compute((8,), lambda i: A[i] * 2, name=\"B\")\n"
                                  "f = te.create_prim_func([A, B])\n";
        const auto steps = [&](const std::string &lines) -> std::string {
            const auto script = te::readTeScript(twice + lines, "k.py");
            if (!script)
                return script.error().render();
            return script->schedules.empty() ? "none" : tests::stepsText(script->schedules.back());
        };
        // The last line needs no end of its own; other objects that are called so are no schedules.
        QVERIFY(
            steps(
                "from tvm.tir import Schedule\nsch = Schedule(f)\nsch.split(sch.get_loops(\"B\")[0], [2, 4])")
                .ends_with("[2, 4])\n"));
        QVERIFY(
            steps("sch = tvm.tir.Schedule(f)\nsch.parallel(sch.get_loops(\"B\")[0])\n").contains("parallel"));
        QCOMPARE(steps("sch = tvm.runtime.Scheduler(f)\nsch.parallel(1)\n"), std::string("none"));

        const auto several = te::readTeScript(twice
                                                  + "n = 4\n"
                                                    "one = tvm.tir.Schedule(f)\n"
                                                    "two = tvm.tir.Schedule(f)\n"
                                                    "i, = one.get_loops(\"B\")\n"
                                                    "j, = two.get_loops(\"B\")\n"
                                                    "one.split(i, [n, None])\n"
                                                    "two.parallel(j)\n"
                                                    "two = tvm.tir.Schedule(one.mod)\n"
                                                    "two.unroll(two.get_loops(\"B\")[1])\n",
                                              "k.py");
        QVERIFY(several);
        QCOMPARE(several->schedules.size(), 3U);
        const auto isIn = [&](std::size_t i, const char *part) {
            return tests::stepsText(several->schedules[i]).contains(part);
        };
        QCOMPARE(several->schedules[0].name, std::string("one"));
        QVERIFY(isIn(0, "one.split") && isIn(0, "n = 4") && !isIn(0, "two."));
        QCOMPARE(several->schedules[1].name, std::string("two (line 8)"));
        QVERIFY(isIn(1, "two.parallel") && !isIn(1, "one.split"));
        // A schedule that goes on from another's module has its steps.
        QVERIFY(isIn(2, "one.split") && isIn(2, "two.unroll") && !isIn(2, "two.parallel"));
    }
};

QTEST_GUILESS_MAIN(OwnSchedulesTest)
#include "own_schedules_test.moc"
