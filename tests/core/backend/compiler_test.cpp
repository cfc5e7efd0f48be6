// SPDX-License-Identifier: Apache-2.0
// The C compiler, in whose place scripts stand that fail in all ways.
#include "core/backend/link/compiler.h"

#include "core/backend/backend.h"
#include "core/support/errors/errors.h"
#include "tests/support/programs.h"

#include <QTemporaryDir>
#include <QtTest>

#include <thread>

using namespace nestwright;
using namespace nestwright::backend;

class CompilerTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QByteArray m_compiler, m_path;

    QString script(const QString &name, const char *body) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray("#!/bin/sh\n") + body) <= 0)
            qFatal("no script");
        file.close();
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }

    /// Code and message of what `body` is as the compiler.
    std::string ran(const char *body) const
    {
        qputenv("CC", script("cc", body).toUtf8());
        const auto compiled = runCompiler({"-x", "a b"}, {});
        return compiled ? "" : compiled.error().code + ": " + compiled.error().message;
    }

    std::string named() const { return '\'' + m_folder.filePath("cc").toStdString() + '\''; }

private Q_SLOTS:
    void initTestCase()
    {
        m_compiler = qgetenv("CC");
        m_path = qgetenv("PATH");
    }
    void cleanup()
    {
        m_compiler.isEmpty() ? qunsetenv("CC") : qputenv("CC", m_compiler);
        qputenv("PATH", m_path);
    }

    void itsWordsAreTold()
    {
        QCOMPARE(ran("exit 0\n"), std::string());
        QCOMPARE(ran("echo \"$#: $1 $2\"; echo more >&2; exit 3\n"),
                 "backend.compiler: the C compiler " + named() + " failed:\n2: -x a b\nmore\n");
        QCOMPARE(ran("echo words; kill -SEGV $$\n"),
                 "backend.compiler: the C compiler " + named() + " failed:\nwords\n");
    }

    /// A wrapper that finds no compiler behind it says so by 127.
    void compilersThatAreNot()
    {
        QCOMPARE(ran("exit 127\n"),
                 "backend.no-compiler: there is no C compiler " + named() + ", which CC names");
        QVERIFY(ran("echo words; exit 127\n").starts_with("backend.compiler: "));
    }

    void compilersAreFoundByTheirUsualNames()
    {
        const QTemporaryDir none;
        qputenv("CC", "");
        qputenv("PATH", none.path().toUtf8());
        const auto missing = runCompiler({}, {});
        QVERIFY(!missing);
        QCOMPARE(missing.error().message,
                 std::string("there is no C compiler here: 'cc', 'gcc' and 'clang' were not found"));
        QVERIFY(!missing.error().hint.empty());
        QCOMPARE(compilerVersion(), std::string());
        script("clang", "echo version 12\n");
        qputenv("PATH", m_folder.path().toUtf8());
        QFile::remove(m_folder.filePath("cc"));
        QVERIFY(runCompiler({}, {}));
        QCOMPARE(compilerVersion(), std::string("version 12\n"));
        script("gcc", "echo version 11; exit 1\n"); // comes before it, but says no version
        QCOMPARE(compilerVersion(), std::string("version 12\n"));
        QVERIFY(!runCompiler({}, {}));
    }

    void wordsWithoutEndAreCut()
    {
        const std::string most = ran("head -c 20000 /dev/zero | tr '\\0' x; exit 1\n"),
                          more = ran("head -c 20001 /dev/zero | tr '\\0' x; exit 1\n");
        // Messages are cut as well, in their middle.
        QVERIFY(most.ends_with("xxx") && most.size() < 3000);
        QVERIFY(more.ends_with("xxx\n…") && more.size() < 3000);
    }

    void compilingCanBeCancelled()
    {
        qputenv("CC", script("cc", "sleep 60\n").toUtf8());
        std::stop_source stop;
        std::jthread stopping([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        const auto cancelled = runCompiler({}, stop.get_token());
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().code, std::string("cancelled"));
    }

    void filesAreReadAndWritten()
    {
        const auto path = std::filesystem::path(m_folder.path().toStdString()) / "file";
        writeFile(path, std::string("a\0b", 3));
        QCOMPARE(readFile(path), std::string("a\0b", 3));
        QVERIFY_THROWS_EXCEPTION(support::UserError, readFile(path / "none"));
        QVERIFY_THROWS_EXCEPTION(support::UserError, writeFile(path / "none", "x"));
    }

    /// Parallel loops then run one after the other.
    void openMpIsNotNeeded()
    {
        if (compilerVersion().empty())
            QSKIP("there is no C compiler here");
        qputenv("CC", script("cc", "case \"$*\" in *-fopenmp*) echo no OpenMP; exit 1;; esac\n"
                                   "exec cc \"$@\"\n")
                          .toUtf8());
        const auto artifact = compile(tests::program("row_sum"), *target::parseTarget("c"));
        QVERIFY2(artifact, artifact ? "" : artifact.error().message.c_str());
        QVERIFY(artifact->bytes.starts_with("\x7f"
                                            "ELF"));
        qputenv(
            "CC",
            script("cc", "case \"$*\" in *-fsyntax-only*) exit 0;; esac; echo broken; exit 1\n").toUtf8());
        const auto refused = compile(tests::program("row_sum"), *target::parseTarget("c"));
        QVERIFY(!refused);
        QVERIFY(refused.error().message.contains("broken"));
    }

    void cudasTextNeedsCPlusPlus()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        A[i] = T.float32(1)
)");
        qputenv("CC", script("cc", "echo 'fatal error: cannot execute cc1plus'; exit 1\n").toUtf8());
        const auto without = compileEmulated(module, *target::parseTarget("cuda"));
        QVERIFY(!without);
        QCOMPARE(without.error().code, std::string("backend.no-compiler"));
        QCOMPARE(without.error().hint, std::string("install g++ or clang"));
        qputenv(
            "CC",
            script("cc", "case \"$*\" in *-fsyntax-only*) exit 0;; esac; echo broken; exit 1\n").toUtf8());
        const auto broken = compileEmulated(module, *target::parseTarget("cuda"));
        QVERIFY(!broken);
        QCOMPARE(broken.error().code, std::string("backend.compiler"));
    }
};

QTEST_GUILESS_MAIN(CompilerTest)
#include "compiler_test.moc"
