// SPDX-License-Identifier: Apache-2.0
// Code that a person, or a stranger, edited: compiled apart, loaded and run in the sandbox.
#include "core/backend/edited_code.h"

#include "core/measure/sandbox/edited_compiler.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/measure/verify/rungs.h"
#include "tests/core/measure/worker_fixture.h"

#include <array>

using namespace nestwright;
using namespace nestwright::tests;
using backend::EditedCode;
using backend::SourceKind;
using measure::Failure;
using measure::Measurement;
using measure::Verdict;

namespace {

ir::Module product()
{
    return tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((32, 48), "float32"), B: T.Buffer((48, 16), "float32"),
         C: T.Buffer((32, 16), "float32")):
    for i, j, k in T.grid(32, 16, 48):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)");
}

QString generated(const ir::Module &module, SourceKind kind)
{
    const auto source = backend::editableSource(module, {}, kind);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return QString::fromStdString(source->text);
}

Measurement measuredAs(const ir::Module &module, SourceKind kind, const QString &text)
{
    measure::WorkerOptions options;
    options.program = thisProgram();
    options.silence = std::chrono::seconds(2);
    options.memoryBytes = std::uint64_t{1} << 30;
    measure::Measurer measurer(options);
    measure::MeasureJob job = jobOf({module, module});
    job.reference = module;
    job.edits[1] = EditedCode{kind, text.toStdString(), "edited"};
    const auto results = measurer.measure(job, ignore);
    if (!results)
        qFatal("%s", results.error().render().c_str());
    if (!results->front().isVerified())
        qFatal("the generated variant beside it is not verified");
    return results->back();
}

/// The function that adds 1, with `code` in front of its body.
QString addingWith(const QString &code, const QString &before = {})
{
    QString text = generated(adding("A[vi] + T.float32(1)"), SourceKind::C);
    const auto at = text.indexOf("for (");
    text.insert(at, code + u'\n');
    return text.insert(text.indexOf("int32_t"), before + u'\n');
}

Measurement measuredWith(const QString &code, const QString &before = {})
{
    return measuredAs(adding("A[vi] + T.float32(1)"), SourceKind::C, addingWith(code, before));
}

const char *reasonOf(const Measurement &result)
{
    return result.failure ? result.failure->message.c_str() : "";
}

} // namespace

class EditedCodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anotherLoopOrderIsRight()
    {
        const QString text = generated(product(), SourceKind::C);
        const auto body = text.indexOf("for ("), end = text.indexOf("return 0;");
        QString edited = text;
        edited.replace(body, end - body, R"(for (int i = 0; i < 512; ++i) C[i] = 0;
  for (int i = 0; i < 32; ++i)
    for (int k = 0; k < 48; ++k)
      for (int j = 0; j < 16; ++j)
        C[i * 16 + j] += A[i * 48 + k] * B[k * 16 + j];
  )");
        const Measurement result = measuredAs(product(), SourceKind::C, edited);
        QVERIFY2(result.isVerified(), reasonOf(result));
        QVERIFY(result.ok());
        QVERIFY(result.speedup);
    }

    void everyKindIsRun_data()
    {
        QTest::addColumn<QString>("format");
        for (const char *format : {"c", "llvm", "llvm-unoptimized", "asm", "asm-intel"})
            QTest::newRow(format) << format;
    }
    void everyKindIsRun()
    {
        QFETCH(QString, format);
        const SourceKind kind = backend::findSourceFormat(format.toStdString())->kind;
        const Measurement result = measuredAs(product(), kind, generated(product(), kind));
        QVERIFY2(result.isVerified() && result.ok(), reasonOf(result));
    }

    void parallelLoopsAreParallel()
    {
        const Measurement result = measuredWith(
            "#pragma omp parallel for\nfor (int q = 0; q < 8; ++q) { volatile float x = A[q]; (void)x; }");
        QVERIFY2(result.isVerified() && result.ok(), reasonOf(result));
    }

    void aWrongEditIsFound()
    {
        const Measurement result =
            measuredAs(product(), SourceKind::C, generated(product(), SourceKind::C).replace("48", "47"));
        QVERIFY(result.failed == Failure::WrongResult);
        QVERIFY(result.verdict == Verdict::Wrong);
    }

    void anEndlessLoopIsStopped()
    {
        const Measurement result = measuredWith("for (volatile int on = 1; on;) {}");
        QVERIFY2(result.failed == Failure::TimeOut, reasonOf(result));
    }

    void aCrashIsRed()
    {
        QVERIFY(measuredWith("*(volatile int *)8 = 1;").failed == Failure::Crash);
        QVERIFY(measuredWith("__builtin_trap();").failed == Failure::Crash);
    }

    /// Calls of the system end the process, whichever way they are made, and from the moment it is loaded.
    void systemCallsAreRefused_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("before");
        const QString declared = "long syscall(long, ...); int fork(void); int system(const char *);";
        QTest::newRow("a file")
            << "if (syscall(257, -100, \"/etc/passwd\", 0, 0) >= 0) return 0;\n((float *)B)[0] = 1; return 9;"
            << declared;
        QTest::newRow("a process") << "if (fork() >= 0) return 0;" << declared;
        QTest::newRow("a shell") << "if (system(\"touch /tmp/nw-proof\") == 0) return 0;" << declared;
        QTest::newRow("a socket") << "if (syscall(41, 2, 1, 0) >= 0) return 0;" << declared;
        QTest::newRow("by assembly") << "long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(57) : "
                                        "\"rcx\", \"r11\", \"memory\"); if (r >= 0) return 0;"
                                     << "";
        QTest::newRow("as it is loaded") << ""
                                         << "long syscall(long, ...);\n__attribute__((constructor)) static "
                                            "void begin(void) { syscall(57); }";
        QTest::newRow("a file written as it is loaded")
            << ""
            << "long syscall(long, ...);\n__attribute__((constructor)) static void begin(void) { if "
               "(syscall(257, -100, \"/tmp/nw-proof\", 0101, 0600) >= 0) return; __builtin_trap(); }";
    }
    void systemCallsAreRefused()
    {
        if (!measure::probeSandbox().systemCalls)
            QSKIP("this system does not restrict calls");
#if !defined(__x86_64__)
        QSKIP("the numbers of calls are those of another processor");
#endif
        QFETCH(QString, code);
        QFETCH(QString, before);
        QFile::remove("/tmp/nw-proof");
        const Measurement result = measuredWith(code, before);
        QVERIFY2(result.failed == Failure::Crash, reasonOf(result));
        QVERIFY(!QFile::exists("/tmp/nw-proof"));
    }

    /// A library that is loaded may read the system's files only.
    void aFileIsOutOfReachAsItIsLoaded()
    {
        if (!measure::probeSandbox().files)
            QSKIP("this system does not restrict files");
        const Measurement result = measuredWith(
            "", "long syscall(long, ...);\n__attribute__((constructor)) static void begin(void) { if "
                "(syscall(257, -100, \"/etc/passwd\", 0, 0) >= 0) __builtin_trap(); }");
        QVERIFY2(result.isVerified(), reasonOf(result));
    }

    /// LLVM IR and assembly find the functions of the list only.
    void objectsFindTheListOnly()
    {
        QString text = generated(adding("A[vi] + T.float32(1)"), SourceKind::LlvmIr);
        text.replace("ret i32 0", "%done = call i32 @system(ptr null)\n  ret i32 0");
        const Measurement result = measuredAs(adding("A[vi] + T.float32(1)"), SourceKind::LlvmIr,
                                              text + "\ndeclare i32 @system(ptr)\n");
        QVERIFY(!result.isVerified());
        QVERIFY2(QString(reasonOf(result)).contains("system"), reasonOf(result));
    }

    /// The compiler reads no files but the system's, whatever the text has it do.
    void theCompilerIsConfined()
    {
        if (!measure::probeSandbox().files)
            QSKIP("this system does not restrict files");
        for (const QString &path : {QStringLiteral("/etc/passwd"), QStringLiteral("/proc/self/environ")}) {
            const QString text = addingWith("", "__asm__(\".incbin \\\"" + path + "\\\"\");");
            const auto artifact = measure::compileEdited(adding("A[vi] + T.float32(1)"), {},
                                                         {SourceKind::C, text.toStdString(), "a.c"});
            QVERIFY2(!artifact, qPrintable(path));
            QCOMPARE(artifact.error().code, "edited.compile");
            const auto assembled = measure::compileEdited(
                adding("A[vi] + T.float32(1)"), {},
                {SourceKind::Asm, ".data\n.incbin \"" + path.toStdString() + "\"\n", "a.s"});
            QVERIFY2(!assembled, qPrintable(path));
        }
    }

    void whatDoesNotCompileSaysWhere()
    {
        const Measurement result = measuredWith("int x = ;");
        QVERIFY(result.failed == Failure::Compile);
        QVERIFY(result.failure->message.find("expected expression") != std::string::npos);
        QVERIFY(result.failure->locations.front().line > 1);
        QCOMPARE(result.failure->locations.front().file, "edited");
    }

    /// The interpreter runs programs: it has nothing to say of a text.
    void onlyCompiledCodeIsChecked()
    {
        measure::WorkerOptions options;
        options.program = thisProgram();
        measure::Measurer measurer(options);
        measure::MeasureJob job = jobOf({adding("A[vi] + T.float32(1)")});
        const QString text = generated(job.reference, SourceKind::C);
        job.edits[0] = EditedCode{SourceKind::C, text.toStdString(), "edited"};
        const std::array rungs{measure::Rung::Interpreter, measure::Rung::Compiled};
        const auto results = measure::climb(measurer, job, rungs);
        QVERIFY(results && results->size() == 2);
        QVERIFY(results->front().outcome == measure::RungResult::Outcome::NotHere);
        QVERIFY(results->back().outcome == measure::RungResult::Outcome::Holds);
    }

    void aFunctionThatIsMissingIsNamed()
    {
        const Measurement result = measuredAs(adding("A[vi] + T.float32(1)"), SourceKind::C,
                                              "#include <stdint.h>\nint32_t f(void) { return 0; }\n");
        QVERIFY(!result.isVerified());
        QVERIFY2(QString(reasonOf(result)).contains("main"), reasonOf(result));
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<EditedCodeTest>(argc, argv); }
#include "edited_code_test.moc"
