// SPDX-License-Identifier: Apache-2.0
// Compilers and drivers in a process of their own, which may end in all ways: scripts stand in its place.
#include "core/backend/device/driver_process.h"

#include "core/backend/cuda/cuda_compiler.h"
#include "core/backend/link/compiler.h"
#include "core/support/text/json.h"

#include <QtTest>

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::backend;
using support::Json;
namespace fs = std::filesystem;

namespace {

std::string cbor(const Json &value)
{
    std::string bytes;
    Json::to_cbor(value, bytes);
    return bytes;
}

template <class T> std::string errorOf(const support::Result<T> &result)
{
    return result ? "" : result.error().code + ": " + result.error().message;
}

} // namespace

class DriverProcessTest : public QObject {
    Q_OBJECT

    TemporaryFolder m_folder;

    /// nestc is a script that runs `body` with the folder of the question as $2.
    void useScript(const std::string &body) const
    {
        const fs::path path = m_folder.path() / "nestc";
        writeFile(path, "#!/bin/sh\n" + body);
        fs::permissions(path, fs::perms::owner_all);
        qputenv("NESTWRIGHT_NESTC", path.c_str());
    }
    void useAnswer(const Json &answer) const
    {
        writeFile(m_folder.path() / "prepared", cbor(answer));
        useScript("cp '" + (m_folder.path() / "prepared").string() + "' \"$2/answer\"\n");
    }

    /// The exit status of a process that answers `question`; it limits itself.
    int statusOfAnswering(const fs::path &folder, const Json &question = {}) const
    {
        if (!question.is_null())
            writeFile(folder / "question", cbor(question));
        const pid_t child = fork();
        if (child == 0)
            _exit(answerAsDriver(folder.string()));
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private Q_SLOTS:
    void answersAreHeard()
    {
        useAnswer({{"path", "/lib/nvrtc"}, {"version", "13.0"}, {"architectures", {80, 90}}});
        const auto compiler = cudaCompiler();
        QVERIFY2(compiler, errorOf(compiler).c_str());
        QCOMPARE(compiler->version, std::string("13.0"));
        QCOMPARE(compiler->architectures, (std::vector{80, 90}));
    }

    /// Once they are told they are not asked for again.
    void devicesAreHeard()
    {
        constexpr auto kind = target::TargetKind::Cuda;
        useAnswer(Json::object());
        QCOMPARE(errorOf(askForDevices(kind)),
                 std::string("device.driver: the driver does not describe its devices"));
        useAnswer({{"devices",
                    {{{"name", "H100"},
                      {"driver", "CUDA 13.0"},
                      {"architecture", "sm_90"},
                      {"gpu", true},
                      {"compute-units", 132},
                      {"memory-bytes", 7},
                      {"shared-memory-bytes", 8},
                      {"threads-in-a-block", 9},
                      {"cache-bytes", 10}}}}});
        for (int time = 0; time < 2; ++time) {
            const auto devices = askForDevices(kind);
            QVERIFY2(devices, errorOf(devices).c_str());
            QCOMPARE(devices->size(), 1UL);
            QCOMPARE(devices->front().name, std::string("H100"));
            QVERIFY(devices->front().isGpu && devices->front().mostThreads == 9
                    && devices->front().cacheBytes == 10);
            useAnswer(Json::object());
        }
    }

    void itsErrorsAreOurs()
    {
        useAnswer({{"error", {{"code", "a.code"}, {"message", "what"}, {"hint", "how"}}}});
        const auto answer = askDriver({{"compiler", "cuda"}, {"architecture", ""}}, "NVRTC", {});
        QCOMPARE(errorOf(answer), std::string("a.code: what"));
        QCOMPARE(answer.error().hint, std::string("how"));
    }

    void answersThatAreNone()
    {
        const std::string none = "backend.compiler: NVRTC ended without an answer";
        useScript("exit 0\n");
        QCOMPARE(errorOf(cudaCompiler()), none);
        useScript("echo hello > \"$2/answer\"\n");
        QCOMPARE(errorOf(cudaCompiler()), none);
        useAnswer({{"error", {{"code", 7}}}});
        QCOMPARE(errorOf(cudaCompiler()),
                 std::string("backend.compiler: NVRTC gave an answer that cannot be read"));
        useAnswer(Json::object());
        QCOMPARE(errorOf(cudaCompiler()), std::string("backend.compiler: NVRTC does not describe itself"));
        QCOMPARE(errorOf(compileCuda("text", "sm_90")),
                 std::string("backend.compiler: NVRTC left no machine code"));
    }

    void crashesAreTold()
    {
        useScript("kill -SEGV $$\n");
        const auto crashed = cudaCompiler();
        QCOMPARE(errorOf(crashed), std::string("backend.compiler: NVRTC crashed: Segmentation fault"));
        QVERIFY(!crashed.error().hint.empty());
    }

    void askingCanBeCancelled()
    {
        useScript("sleep 60\n");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(errorOf(cudaCompiler(stop.get_token())).starts_with("cancelled: "));
    }

    void questionsThatAreNone() { QCOMPARE(statusOfAnswering("/nowhere"), 2); }

    void errorsAreAnswers()
    {
        qputenv("NESTWRIGHT_NVRTC", "/nowhere/libnvrtc.so");
        qputenv("NESTWRIGHT_CUDA_DRIVER", "/nowhere/libcuda.so.1");
        for (const auto &[question, code] :
             {std::pair{Json{{"compiler", "cuda"}, {"architecture", ""}}, "cuda.no-compiler"},
              {Json{{"compiler", "llvm"}}, "backend.not-built"},
              {Json{{"devices", "cuda"}}, "device.driver"},
              {Json{{"devices", "llvm"}}, "backend.not-built"}}) {
            const TemporaryFolder folder;
            QCOMPARE(statusOfAnswering(folder.path(), question), 0);
            const Json answer = Json::from_cbor(readFile(folder.path() / "answer"));
            QCOMPARE(answer.at("error").at("code").get<std::string>(), std::string(code));
        }
        qunsetenv("NESTWRIGHT_NVRTC");
        qunsetenv("NESTWRIGHT_CUDA_DRIVER");
    }
};

QTEST_GUILESS_MAIN(DriverProcessTest)
#include "driver_process_test.moc"
