// SPDX-License-Identifier: Apache-2.0
// Kernels that reach for what is not theirs.
#include "core/measure/sandbox/sandbox.h"

#include "core/measure/machine/machine_facts.h"
#include "tests/core/measure/worker_fixture.h"

#include <array>
#include <optional>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;
using measure::Verdict;

namespace {

/// Number of processes that a process in the sandbox may have, when it might have had `most` before;
/// nothing where not all limits are applied. It cannot ask itself then.
std::optional<rlim_t> processesWithin(rlim_t most)
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
        return {};
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const rlimit before{most, most};
        const bool isSet = setrlimit(RLIMIT_NPROC, &before) == 0;
        char word = isSet && measure::enterSandbox({}).limits ? 'y' : 'n';
        if (write(ends[1], &word, 1) == 1)
            (void)!read(ends[1], &word, 1); // until it has been looked at
        _exit(0);
    }
    close(ends[1]);
    char word = 'n';
    rlimit within{};
    const bool isTold = read(ends[0], &word, 1) == 1 && prlimit(child, RLIMIT_NPROC, nullptr, &within) == 0;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return isTold && word == 'y' ? std::optional(within.rlim_cur) : std::nullopt;
}

} // namespace

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

    /// A person, or the system, may have allowed fewer.
    void processesAreNeverMoreThanBefore()
    {
        rlimit now{};
        QCOMPARE(getrlimit(RLIMIT_NPROC, &now), 0);
        if (now.rlim_max < 5000)
            QSKIP("few processes are allowed here");
        for (const auto &[before, after] : {std::pair{1000UL, 1000UL}, std::pair{5000UL, 4096UL}}) {
            const auto allowed = processesWithin(before);
            QVERIFY(allowed);
            QCOMPARE(*allowed, rlim_t{after});
        }
    }

    void whatIsAppliedIsTold()
    {
        int parts = 0;
        for (const measure::MachineFact &fact : measure::machineFacts())
            parts += fact.name.starts_with("sandbox-") ? 1 : 0;
        QCOMPARE(parts, 7);
        QVERIFY(measure::probeSandbox().noNewPrivileges);
        QVERIFY(measure::probeSandbox().limits);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<SandboxTest>(argc, argv); }

#include "sandbox_test.moc"
