// SPDX-License-Identifier: Apache-2.0
// A system that refuses: standard output that is full or closed, folders and names that are none, and the
// limits of a process. nestc says so in one sentence and never that it has a bug.
#include "tests/cli/hostile.h"

#include <QElapsedTimer>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace nestwright::tests;
using nestwright::test::Outcome;

namespace {

const QString small = "op:matmul(M=4,N=4,K=4)";

const QByteArray schedule = R"(def apply_trace(sch):
  b0 = sch.get_block(name="C", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  sch.parallel(loop=l1)
)";

/// A command for each one that prints.
std::vector<Case> printing()
{
    const auto scheduled = [](const QStringList &before, const QStringList &after) {
        return [=](const NestcRunner &nestc) {
            return before + QStringList{"--schedule", nestc.write("s.py", schedule)} + after;
        };
    };
    const QStringList quick{"--repetitions", "1", "--seconds", "0.001"};
    std::vector<Case> all{
        {"print", command({"print", small})},
        {"equal", command({"equal", small, "op:matmul(M=4,N=4,K=8)"})},
        {"apply", scheduled({"apply", small}, {})},
        {"verify", command({"verify", small, "--how", "interpreter"})},
        {"bisect", scheduled({"bisect", small}, {})},
        {"ablate", scheduled({"ablate", small}, {})},
        {"suggest", command({"suggest", small})},
        {"suggest, JSON", command({"suggest", small, "--json"})},
        {"lower", command({"lower", small})},
        {"pass", command({"pass", "simplify", small})},
        {"simplify", command({"simplify", "1 + 2"})},
        {"source", command({"source", small})},
        {"loops", command({"loops", small})},
        {"cache", command({"cache", small})},
        {"layout", scheduled({"layout", small}, {})},
        {"measure", command(QStringList{"measure", small} + quick)},
        {"measure, JSON", command(QStringList{"measure", small, "--json", "-"} + quick)},
        {"report", command({"report", small, "-o", "-"})},
        {"course", command({"course"})},
        {"course, JSON", command({"course", "--json"})},
        {"list", command({"list", "primitives"})},
        {"help", command({"--help"})},
        {"help of a command", command({"print", "--help"})},
        {"version", command({"--version"})},
    };
    const QString encoder = NestcRunner::example("models/transformer_encoder.onnx");
    if (QFile::exists(encoder))
        all.insert(all.end(), {{"graph", command({"graph", encoder})},
                               {"run-model", command({"run-model", encoder, "--random"})}});
    return all;
}

/// A script of the shell, in the folder of the run; $NESTC is the program. For names that are no UTF-8, which
/// QProcess does not give.
struct Script {
    const char *name;
    const char *text;
    int least, most; ///< status
    const char *says;
};

const std::vector<Script> scripts{
    {"a link to itself for a module", "ln -s x.py x.py; $NESTC print x.py", 2, 2, "symbolic links"},
    {"a link to itself for a schedule of a module", "ln -s x.py x.py; $NESTC print x.py#s", 2, 2,
     "symbolic links"},
    {"a name beyond all lengths for a schedule of a module", "$NESTC print $(printf '%05000d' 0).py#s", 2, 2,
     ""},
    {"a link to itself for a model", "ln -s x.onnx x.onnx; $NESTC print x.onnx", 2, 2, "symbolic links"},
    {"a link to itself for a kernel of a model", "ln -s x.onnx x.onnx; $NESTC print x.onnx#k", 2, 2,
     "symbolic links"},
    {"a link to itself for a session", "ln -s x.nest x.nest; $NESTC print x.nest", 2, 2, "symbolic links"},
    {"a link to itself for an output", "ln -s x.py x.py; $NESTC source $OP -o x.py", 2, 2, "symbolic links"},
    {"a link to itself for a folder of outputs", "ln -s x x; $NESTC export $OP --format c -o x/k.c", 2, 2,
     "symbolic links"},
    {"a module whose name is no UTF-8",
     "n=$(printf 'k\\377.py'); $NESTC print $OP > \"$n\" && "
     "$NESTC print \"$n\"",
     0, 0, ""},
    {"a module that is not there, whose name is no UTF-8", "$NESTC print \"$(printf 'k\\377.py')\"", 2, 2,
     "there is no file"},
    {"measurements of a module whose name is no UTF-8",
     "n=$(printf 'k\\377.py'); $NESTC print $OP > \"$n\" && $NESTC measure \"$n\" --repetitions 1 "
     "--seconds 0.001 --json times.json && grep -q variants times.json",
     0, 0, ""},
    {"a schedule whose name is no UTF-8",
     "n=$(printf 's\\377.py'); printf 'def apply_trace(sch):\\n  pass\\n' > \"$n\"; $NESTC measure "
     "$OP --schedule \"$n\" --repetitions 1 --seconds 0.001 --json -",
     0, 0, ""},
    {"a variable whose name is no UTF-8", "$NESTC simplify --var \"$(printf 'x\\377:int32')\" 1", 0, 2, ""},
    {"an operator whose name is no UTF-8", "$NESTC print \"$(printf 'op:\\377')\"", 2, 2, ""},
    {"a script that is no UTF-8",
     "printf 'from tvm import te\\nA = te.placeholder((8,), name=\"A\\377\")\\nB = te.compute((8,), lambda "
     "i: A[i] + 1.0, name=\"B\\376\")\\n' > k.py; $NESTC loops k.py --json; $NESTC measure k.py "
     "--repetitions 1 --seconds 0.001 --json t.json",
     0, 2, ""},
    {"files of 512 bytes at most", "ulimit -f 1; $NESTC source $OP -o out.ll", 2, 2, "ulimit -f"},
    {"standard output of 512 bytes at most", "ulimit -f 1; $NESTC source $OP > out.ll", 2, 2, "ulimit -f"},
    {"8 open files", "ulimit -n 8; $NESTC measure $OP --repetitions 1 --seconds 0.001", 1, 2, "ulimit -n"},
    {"300 MB of memory", "ulimit -v 300000; $NESTC run 'op:matmul(M=20000,N=20000,K=1)'", 1, 2, "ulimit -v"},
    {"an export where the temporary folder has a comma",
     "mkdir 'a,b c'; TMPDIR=\"$PWD/a,b c\" $NESTC export $OP --format shared -o k.so", 0, 0, ""},
    {"a folder that somebody else has locked", "flock . $NESTC source $OP -o out.py && grep -q main out.py",
     0, 0, ""},
    {"a device that is full for an output", "$NESTC source $OP -o /dev/full", 2, 2, "No space left"},
    {"a device that is full for a table",
     "$NESTC measure $OP --repetitions 1 --seconds 0.001 --json "
     "/dev/full",
     2, 2, "No space left"},
    {"a device that is full for an array", "$NESTC run $OP --out C=/dev/full", 2, 2, "No space left"},
    {"a device that is full for code", "$NESTC export $OP --format c -o /dev/full", 2, 2, "No space left"},
    {"a closed standard output does not become the file",
     "$NESTC source $OP -o out.py >&-; $NESTC source $OP | cmp - out.py", 0, 0, ""},
    {"a million cores", "$NESTC measure $OP --target 'llvm -num-cores=1000000'", 2, 2, "from 1 to 256"},
    {"a tolerance below 0", "$NESTC verify $OP --tolerance -1", 2, 2, "from 0 to less than 1"},
    {"a tolerance of 1", "$NESTC verify $OP --tolerance 1", 2, 2, "from 0 to less than 1"},
    {"a tolerance without end", "$NESTC verify $OP --tolerance inf", 2, 2, "from 0 to less than 1"},
    {"a tolerance that is no number", "$NESTC verify $OP --tolerance nan", 2, 2, "from 0 to less than 1"},
};

} // namespace

class HostileSystemTest : public QObject {
    Q_OBJECT

    std::vector<Case> m_printing;

    Outcome run(const Case &printing, const std::function<void()> &inChild)
    {
        NestcRunner nestc;
        const QStringList arguments = printing.arguments(nestc);
        nestc.process().setChildProcessModifier(inChild);
        return nestc.run(arguments, {}, mostMilliseconds);
    }

private Q_SLOTS:
    void initTestCase() { m_printing = printing(); }

    void fullOutputIsAnError_data() { addRows(m_printing); }
    void fullOutputIsAnError()
    {
        QFETCH(int, number);
        const Case &each = m_printing[static_cast<std::size_t>(number)];
        const Outcome outcome = run(each, [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("standard output cannot be written: No space left"),
                 qPrintable(outcome.err));
        QCOMPARE(outcome.err.count("error: "), 1);
    }

    void closedOutputIsAnError_data() { addRows(m_printing); }
    void closedOutputIsAnError()
    {
        QFETCH(int, number);
        const Case &each = m_printing[static_cast<std::size_t>(number)];
        const Outcome outcome = run(each, [] { close(STDOUT_FILENO); });
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("standard output cannot be written: Bad file descriptor"),
                 qPrintable(outcome.err));
        QCOMPARE(outcome.err.count("error: "), 1);
    }

    void isSaidInOneSentence_data()
    {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < scripts.size(); ++i)
            QTest::newRow(scripts[i].name) << static_cast<int>(i);
    }
    void isSaidInOneSentence()
    {
        QFETCH(int, number);
        const Script &script = scripts[static_cast<std::size_t>(number)];
        if (isSanitized && QByteArray(script.text).contains("ulimit -v"))
            QSKIP("the sanitizer's memory fits into no limit");
        QTemporaryDir folder;
        QProcess shell;
        shell.setWorkingDirectory(folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("OP", small);
        environment.insert("NESTC", qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + "/nestc");
        shell.setProcessEnvironment(environment);
        shell.start("bash", {"-c", script.text});
        QElapsedTimer clock;
        clock.start();
        QVERIFY(shell.waitForFinished(mostMilliseconds));
        const QString errors = QString::fromUtf8(shell.readAllStandardError());
        const QString told =
            QString("status %1 after %2 ms\n%3\n%4")
                .arg(shell.exitCode())
                .arg(clock.elapsed())
                .arg(errors.left(2000), QString::fromUtf8(shell.readAllStandardOutput()).left(1000));
        QVERIFY2(shell.exitStatus() == QProcess::NormalExit && shell.exitCode() >= script.least
                     && shell.exitCode() <= script.most,
                 qPrintable(told));
        for (const char *word : {"bug in nestc", "internal error", "std::", "filesystem error", "terminate"})
            QVERIFY2(!errors.contains(word), qPrintable(told));
        QVERIFY2(told.contains(script.says), qPrintable(told));
    }
};

QTEST_GUILESS_MAIN(HostileSystemTest)
#include "hostile_system_test.moc"
