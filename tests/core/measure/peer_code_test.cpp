// SPDX-License-Identifier: Apache-2.0
// Code of files and of libraries at work, read in a process of its own.
#include "core/measure/peers/peer_code.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <set>

using namespace nestwright;
using measure::PeerLibrary;

namespace {

constexpr const char *twoFunctions = R"(#include <math.h>
void scale(int n, float *x) { for (int i = 0; i < n; ++i) x[i] *= 2; }
void roots(int n, float *x) { for (int i = 0; i < n; ++i) x[i] = sqrtf(x[i]); }
)";

constexpr const char *irOfLoop = R"(
define void @count(ptr %p, i64 %n) {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %at = getelementptr float, ptr %p, i64 %i
  store volatile float 1.0, ptr %at
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %again
end:
  ret void
}
)";

} // namespace

class PeerCodeTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string write(const char *name, const char *text) const
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            qFatal("%s cannot be written", name);
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    void namesOfFiles()
    {
        const std::string file = write("with:colon.c", "");
        QCOMPARE(measure::parsePeerFile(file).path, file);
        QCOMPARE(measure::parsePeerFile(file + ":f").function, std::string("f"));
        QCOMPARE(measure::parsePeerFile("gone.c:f").path, std::string("gone.c"));
        QCOMPARE(measure::parsePeerFile("gone.c").function, std::string());
    }

    void aFileOfC()
    {
        const std::string file = write("two.c", twoFunctions);
        const auto names = measure::functionsOfFile(file, {});
        if (!names && names.error().code == "backend.no-compiler")
            QSKIP("no C compiler is here");
        QVERIFY2(names, names ? "" : names.error().message.c_str());
        QCOMPARE(*names, (std::vector<std::string>{"roots", "scale"}));
        const auto code = measure::codeOfFile({file, "scale"}, {});
        QVERIFY2(code, code ? "" : code.error().message.c_str());
        QCOMPARE(code->name, std::string("two.c:scale"));
        QVERIFY(!code->code.loops.empty());
        QCOMPARE(measure::codeOfFile({file, {}}, {}).error().code, std::string("code.function"));
        const std::string bad = write("bad.c", "void f(void) {\n  return 1 +;\n}\n");
        const auto refused = measure::codeOfFile({bad, {}}, {});
        QCOMPARE(refused.error().code, std::string("code.compile"));
        QCOMPARE(refused.error().locations.at(0).line, 2);
        QCOMPARE(refused.error().locations.at(0).file, bad);
        QVERIFY(!refused.error().message.contains("edited"));
        QVERIFY(refused.error().hint.contains("headers of the system"));
    }

    /// The compiler of a stranger's text reads nothing of the person's.
    void confined()
    {
        const std::string secret = write("secret.h", "#define SECRET 1\n");
        const std::string file =
            write("reads.c", ("#include \"" + secret + "\"\nint f(void) { return SECRET; }\n").c_str());
        const auto code = measure::codeOfFile({file, {}}, {});
        if (code)
            QSKIP("the system cannot confine files");
        QVERIFY(code.error().code == "code.compile" || code.error().code == "backend.no-compiler");
    }

    void llvmIrAndAssembly()
    {
        const auto ir = measure::codeOfFile({write("count.ll", irOfLoop), {}}, {});
        QVERIFY2(ir, ir ? "" : ir.error().message.c_str());
        QCOMPARE(ir->code.loops.size(), 1U);
        QVERIFY(ir->code.loops[0].counts.stores > 0);
        const auto broken =
            measure::codeOfFile({write("broken.ll", "define void @f() {\n  huh\n}\n"), {}}, {});
        QCOMPARE(broken.error().code, std::string("code.compile"));
        QCOMPARE(broken.error().locations.at(0).line, 2);
        QVERIFY(!broken.error().hint.contains("headers"));
    }

    void filesThatAreNone()
    {
        QCOMPARE(measure::codeOfFile({m_folder.filePath("gone.so").toStdString(), {}}, {}).error().code,
                 std::string("open.no-file"));
        QCOMPARE(measure::codeOfFile({write("text.o", "no object"), {}}, {}).error().code,
                 std::string("code.file"));
        target::Target gpu;
        gpu.kind = target::TargetKind::Cuda;
        QCOMPARE(measure::codeOfFile({write("one.c", "void f(void) {}"), {}}, gpu).error().code,
                 std::string("code.processor"));
    }

    void theLibraryAtWork_data()
    {
        QTest::addColumn<int>("library");
        QTest::addColumn<QString>("name");
        QTest::newRow("OpenBLAS") << int(PeerLibrary::OpenBlas) << "OpenBLAS ";
        QTest::newRow("oneDNN") << int(PeerLibrary::OneDnn) << "oneDNN ";
    }

    void theLibraryAtWork()
    {
        QFETCH(int, library);
        QFETCH(QString, name);
        const analysis::MatrixProduct product{512, 512, 512, false, false, false};
        const auto code = measure::codeOfLibrary(static_cast<PeerLibrary>(library), product, {}, true);
        if (!code && code.error().code == "peer.none")
            QSKIP("the library is not on this machine");
        QVERIFY2(code, code ? "" : code.error().message.c_str());
        QVERIFY2(code->name.starts_with(name.toStdString()), code->name.c_str());
        QVERIFY(code->time && code->time->seconds.median > 0);
        const int hottest = backend::hottestLoop(code->code);
        QVERIFY(hottest >= 0);
        const backend::LoopCode &loop = code->code.loops[static_cast<std::size_t>(hottest)];
        QVERIFY2(loop.counts.multiplyAdds > 0 || loop.counts.flops > 0,
                 code->code.text.substr(0, 2000).c_str());
        QVERIFY(code->code.allSamples > 0);
    }

    void refused()
    {
        const analysis::MatrixProduct product{64, 64, 64, false, false, true};
        const auto doubles = measure::codeOfLibrary(PeerLibrary::OneDnn, product, {}, false);
        QCOMPARE(doubles.error().code, std::string("peer.none"));
        target::Target other;
        other.mtriple = "riscv64-linux-gnu";
        QCOMPARE(measure::codeOfLibrary(PeerLibrary::OpenBlas, product, other, false).error().code,
                 std::string("code.processor"));
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(
            measure::codeOfLibrary(PeerLibrary::OpenBlas, product, {}, false, stop.get_token()).error().code,
            std::string("cancelled"));
    }
};

QTEST_GUILESS_MAIN(PeerCodeTest)
#include "peer_code_test.moc"
