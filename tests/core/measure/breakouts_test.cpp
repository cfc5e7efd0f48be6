// SPDX-License-Identifier: Apache-2.0
// Edited C that tries to get out, as a kernel and as a constructor, with all layers of the sandbox and where
// the system lacks one of them.
#include "tests/core/measure/breakouts.h"

#include "core/measure/sandbox/edited_compiler.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/process/child_process.h"
#include "tests/core/measure/worker_fixture.h"
#include "tests/support/missing_layer.h"

#include <QTemporaryDir>

#include <csignal>
#include <memory>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::tests;
using backend::EditedCode;
using backend::SourceKind;
using measure::Failure;
using measure::Measurement;

namespace {

ir::Module program() { return adding("A[vi] + T.float32(1)"); }

/// The kernel that adds 1, with `before` in front of it and `code` at its beginning. What is won shows as a
/// wrong result.
QString edited(const QString &code, const QString &before)
{
    const auto source = backend::editableSource(program(), {}, SourceKind::C);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    QString text = QString::fromStdString(source->text);
    text.insert(text.indexOf("for ("), code + "\n");
    text.insert(text.indexOf("return 0;"), "if (won) B[0] = -1;\n");
    return text.insert(text.indexOf("int32_t"), before + u'\n');
}

const QString prelude = "long syscall(long, ...); int *__errno_location(void);\n"
                        "static volatile int won;\n"
                        "#define S syscall\n"
                        "#define TRY(call) if ((call) >= 0) won = 1;\n"
                        "#define REACH(call) { long got = (call); int e = *__errno_location(); "
                        "if (got >= 0 || (e != 1 && e != 13 && e != 38)) won = 1; }\n";

} // namespace

class BreakoutsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    pid_t m_victim = -1;
    cpu_set_t m_places{};
    std::unique_ptr<measure::Measurer> m_measurer;
    int m_tried = 0, m_refused = 0;

    QString filled(QString text) const
    {
        return text.replace("VICTIM", QString::number(m_victim)).replace("FOLDER", m_folder.path());
    }

    void writeOwn()
    {
        QFile file(m_folder.filePath("own"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("own") == 3);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    }

    Measurement measured(const QString &text)
    {
        measure::MeasureJob job = jobOf({program()});
        job.edits[0] = EditedCode{SourceKind::C, text.toStdString(), "edited"};
        const auto results = m_measurer->measure(job, ignore);
        if (!results)
            qFatal("%s", results.error().render().c_str());
        return results->front();
    }

    /// Nothing that others have was reached.
    void allIsAsBefore()
    {
        int status = 0;
        QCOMPARE(waitpid(m_victim, &status, WNOHANG), 0);
        cpu_set_t now{};
        QCOMPARE(sched_getaffinity(m_victim, sizeof now, &now), 0);
        QVERIFY(CPU_EQUAL(&now, &m_places));
        QCOMPARE(getpriority(PRIO_PROCESS, id_t(m_victim)), 0);
        QFile own(m_folder.filePath("own"));
        QVERIFY(own.open(QIODevice::ReadOnly));
        QCOMPARE(own.readAll(), QByteArray("own"));
        QCOMPARE(own.permissions() & QFile::WriteOther, QFile::Permissions());
        QCOMPARE(QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
                 QStringList{"own"});
    }

    /// Ended for trying, or told that it may not and gone on.
    void isHeld(const QString &text)
    {
        ++m_tried;
        const Measurement result = measured(text);
        const std::string why = result.failure ? result.failure->message : "";
        QVERIFY2(result.isVerified() || (result.failed == Failure::Crash && why.contains("SIGSYS")),
                 why.c_str());
        allIsAsBefore();
    }

    void rows()
    {
        QTest::addColumn<int>("attempt");
        QTest::addColumn<bool>("asLoaded");
        for (std::size_t i = 0; i < breakouts.size(); ++i) {
            for (const bool asLoaded : {false, true})
                QTest::addRow("%s%s", breakouts[i].name, asLoaded ? ", as it is loaded" : "")
                    << int(i) << asLoaded;
        }
    }

    void tried()
    {
        QFETCH(int, attempt);
        QFETCH(bool, asLoaded);
        const QString code = filled(breakouts[std::size_t(attempt)].code);
        if (asLoaded)
            isHeld(edited({},
                          prelude + "__attribute__((constructor)) static void begin(void) { " + code + " }"));
        else
            isHeld(edited("{ " + code + " }", prelude));
    }

    /// A worker on a system without that part. It is told to it alone.
    void begin(const char *missing)
    {
        qputenv("NESTWRIGHT_TEST_MISSING", missing);
        measure::WorkerOptions options;
        options.program = thisProgram();
        options.silence = std::chrono::seconds(20);
        options.memoryBytes = std::uint64_t{1} << 30;
        m_measurer = std::make_unique<measure::Measurer>(options);
        const Measurement plain = measured(edited({}, prelude));
        QVERIFY2(plain.isVerified(), plain.failure ? plain.failure->message.c_str() : "");
    }

private Q_SLOTS:
    void initTestCase()
    {
#if !defined(__x86_64__)
        QSKIP("the numbers of calls are those of another processor");
#endif
        if (!measure::sandboxHere().holdsStrangers())
            QSKIP("this system runs no edited code of files unasked");
        qputenv("NW_SECRET_TOKEN", "secret");
        writeOwn();
        const pid_t test = getpid();
        m_victim = fork();
        if (m_victim == 0) {
            process::dieWithParent(test);
            while (true)
                pause();
        }
        QCOMPARE(sched_getaffinity(m_victim, sizeof m_places, &m_places), 0);
    }

    void cleanupTestCase()
    {
        if (m_victim > 0) {
            kill(m_victim, SIGKILL);
            waitpid(m_victim, nullptr, 0);
        }
        qInfo("%d attempts were run, %d are refused beforehand", m_tried, m_refused);
    }

    /// A call that is allowed is seen to be won.
    void theTableCanFail()
    {
        begin("");
        const QString code = "TRY(S(39))";
        QVERIFY(measured(edited(code, prelude)).failed == Failure::WrongResult);
        QVERIFY(measured(edited({}, prelude + "__attribute__((constructor)) static void begin(void) { " + code
                                        + " }"))
                    .failed
                == Failure::WrongResult);
    }

    void nothingGetsOut_data() { rows(); }
    void nothingGetsOut()
    {
        if (!m_measurer)
            begin("");
        tried();
    }

    /// By seccomp alone. What reads files as a library is loaded is not run unasked there.
    void nothingGetsOutWithoutLandlock_data()
    {
        m_measurer.reset();
        rows();
    }
    void nothingGetsOutWithoutLandlock()
    {
        QFETCH(int, attempt);
        QFETCH(bool, asLoaded);
        if (!m_measurer)
            begin("landlock");
        if (!asLoaded || !breakouts[std::size_t(attempt)].readsAsLoaded)
            tried();
        else
            isRefused("landlock");
    }

    /// By Landlock, limits and rights alone. All else is not run unasked there.
    void nothingGetsOutWithoutSeccomp_data()
    {
        m_measurer.reset();
        rows();
    }
    void nothingGetsOutWithoutSeccomp()
    {
        QFETCH(int, attempt);
        if (!m_measurer)
            begin("seccomp");
        if (breakouts[std::size_t(attempt)].calls == Without::Files)
            tried();
        else
            isRefused("seccomp");
    }

    void endlessConstructorsAreStopped()
    {
        begin("");
        measure::WorkerOptions options;
        options.program = thisProgram();
        options.silence = std::chrono::seconds(1);
        m_measurer = std::make_unique<measure::Measurer>(options);
        const Measurement result =
            measured(edited({}, prelude
                                    + "__attribute__((constructor)) static void begin(void) { for (volatile "
                                      "int on = 1; on;) {} }"));
        QVERIFY(result.failed == Failure::TimeOut);
    }

    void theCompilerReadsNothing_data()
    {
        QTest::addColumn<QString>("text");
        for (const CompilerBreakout &each : compilerBreakouts)
            QTest::newRow(each.name) << filled(each.text);
    }
    void theCompilerReadsNothing()
    {
        QFETCH(QString, text);
        ++m_tried;
        const auto artifact = measure::compileEdited(
            program(), {}, {SourceKind::C, edited({}, prelude + text).toStdString(), "edited.c"});
        if (artifact) // read as something else
            QVERIFY(!artifact->bytes.contains("root:x:0") && !artifact->bytes.contains("NW_SECRET"));
        allIsAsBefore();
    }

private:
    /// nestc and the window ask before such a system runs anything of the kind.
    void isRefused(const char *missing)
    {
        ++m_refused;
        QVERIFY(!sandboxWithout(missing).holdsStrangers());
    }
};

int main(int argc, char *argv[])
{
    if (argc == 2 && std::string_view(argv[1]) == "worker")
        withoutLayer(qgetenv("NESTWRIGHT_TEST_MISSING").constData());
    return runTestOrWorker<BreakoutsTest>(argc, argv);
}
#include "breakouts_test.moc"
