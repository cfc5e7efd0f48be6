// SPDX-License-Identifier: Apache-2.0
// Kernels that reach for what is not theirs.
#include "core/measure/sandbox.h"

#include "core/measure/machine_facts.h"
#include "tests/core/measure/worker_fixture.h"

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;
using measure::Verdict;

class SandboxTest : public QObject, WorkerFixture {
    Q_OBJECT

private Q_SLOTS:
    /// The process that judges has memory, lines and a number that the kernel's process cannot reach.
    void aWrongKernelCannotPassForRight()
    {
        const QByteArray verdict =
            R"({"id":1,"measurements":[{"samples":[1e-9],"time":[1e-9,1e-9,1e-9],"verdict":"verified",)"
            R"("failed":"none","final":true}]})";
        const auto own =
            library("forge.so",
                    "#include <unistd.h>\nfloat nw_test_forge(float x) { static const char verdict[] = \""
                        + QByteArray(verdict).replace('"', "\\\"").toStdString()
                        + "\\n\"; int i; for (i = 0; i < 64; ++i) if (write(i, verdict, sizeof verdict - 1) "
                          "< 0) continue; return x; }\n");
        const Measurement result =
            measuredWith(own, R"(T.call_extern("float32", "nw_test_forge", A[vi]) + T.float32(2))");
        QVERIFY(result.verdict != Verdict::Verified);
        QVERIFY(result.failed == Failure::WrongResult || result.failed == Failure::Crash);
    }

    void aKernelReachesNeitherFilesNorProcessesNorNetwork_data()
    {
        QTest::addColumn<QString>("code");
        QTest::newRow("reads a file")
            << "char c; int f = open(\"/etc/passwd\", 0); if (f >= 0 && read(f, &c, 1) == 1) x = 100;";
        QTest::newRow("writes a file") << "if (open(\"PROOF\", O_CREAT | O_WRONLY, 0600) >= 0) x = 100;";
        QTest::newRow("forks") << "if (fork() >= 0) x = 100;";
        QTest::newRow("runs a shell") << "if (system(\"touch PROOF\") == 0) x = 100;";
        QTest::newRow("executes") << "char *none[] = {0}; execve(\"/bin/true\", none, none); x = 1;";
        QTest::newRow("has a socket") << "if (socket(AF_INET, SOCK_STREAM, 0) >= 0) x = 100;";
        QTest::newRow("kills") << "if (kill(getppid(), 0) == 0) x = 100;";
        QTest::newRow("traces") << "if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0) x = 100;";
        QTest::newRow("reads memory")
            << "struct iovec v = {&x, 4}; if (process_vm_readv(getppid(), &v, 1, &v, 1, 0) >= 0) x = 100;";
    }
    void aKernelReachesNeitherFilesNorProcessesNorNetwork()
    {
        if (!measure::probeSandbox().systemCalls)
            QSKIP("this system does not restrict calls");
        QFETCH(QString, code);
        const QString proof = m_folder.filePath("proof");
        code.replace("PROOF", proof);
        const auto own = library(
            "reach.so",
            "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <signal.h>\n#include <stdlib.h>\n"
            "#include <sys/ptrace.h>\n#include <sys/socket.h>\n#include <sys/uio.h>\n#include <unistd.h>\n"
            "float nw_test_reach(float x) { "
                + code.toStdString() + " return x; }\n");
        const Measurement result =
            measuredWith(own, R"(T.call_extern("float32", "nw_test_reach", A[vi]) + T.float32(1))");
        // Ended for asking, or told that it may not and gone on.
        if (result.failed == Failure::Crash)
            QVERIFY2(result.failure->message.contains("SIGSYS"), result.failure->message.c_str());
        else
            QVERIFY2(result.verdict == Verdict::Verified,
                     result.failure ? result.failure->message.c_str() : "");
        QVERIFY(!QFile::exists(proof));
    }

    /// Keys and addresses of services are not for those who may be strangers.
    void theEnvironmentIsClean()
    {
        qputenv("NW_SECRET_TOKEN", "secret");
        const auto own =
            library("environment.so", "#include <stdlib.h>\nfloat nw_test_environment(float x) { "
                                      "return getenv(\"NW_SECRET_TOKEN\") ? 100 : x; }\n");
        const Measurement result =
            measuredWith(own, R"(T.call_extern("float32", "nw_test_environment", A[vi]) + T.float32(1))");
        qunsetenv("NW_SECRET_TOKEN");
        QVERIFY(result.verdict == Verdict::Verified);
    }

    void whatIsAppliedIsTold()
    {
        int parts = 0;
        for (const measure::MachineFact &fact : measure::machineFacts())
            parts += fact.name.starts_with("sandbox-") ? 1 : 0;
        QCOMPARE(parts, 6);
        QVERIFY(measure::probeSandbox().noNewPrivileges);
        QVERIFY(measure::probeSandbox().limits);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<SandboxTest>(argc, argv); }

#include "sandbox_test.moc"
