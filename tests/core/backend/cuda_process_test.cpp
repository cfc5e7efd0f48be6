// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries in a process of their own, which may end in all ways: scripts stand in its place.
#include "core/backend/cuda/cuda_process.h"

#include "core/backend/compiler.h"
#include "core/backend/cuda/cuda_compiler.h"
#include "core/support/json.h"

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

class CudaProcessTest : public QObject {
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
            _exit(answerCuda(folder.string()));
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
        useAnswer({{"gpus",
                    {{{"name", "H100"},
                      {"driver", "CUDA 13.0"},
                      {"architecture", "sm_90"},
                      {"compute-units", 132},
                      {"memory-bytes", 7},
                      {"shared-bytes", 8},
                      {"most-threads", 9}}}}});
        const auto gpus = askForGpus();
        QVERIFY2(gpus, errorOf(gpus).c_str());
        QCOMPARE(gpus->size(), 1UL);
        QCOMPARE(gpus->front().name, std::string("H100"));
        QVERIFY(gpus->front().isGpu && gpus->front().mostThreads == 9);
    }

    void itsErrorsAreOurs()
    {
        useAnswer({{"error", {{"code", "a.code"}, {"message", "what"}, {"hint", "how"}}}});
        const auto answer = askCuda({{"question", "compiler"}}, {});
        QCOMPARE(errorOf(answer), std::string("a.code: what"));
        QCOMPARE(answer.error().hint, std::string("how"));
    }

    void answersThatAreNone()
    {
        const std::string none = "backend.compiler: NVIDIA's library ended without an answer";
        useScript("exit 0\n");
        QCOMPARE(errorOf(cudaCompiler()), none);
        useScript("echo hello > \"$2/answer\"\n");
        QCOMPARE(errorOf(cudaCompiler()), none);
        useAnswer({{"error", {{"code", 7}}}});
        QCOMPARE(errorOf(cudaCompiler()), none);
        useAnswer(Json::object());
        QCOMPARE(errorOf(cudaCompiler()), std::string("backend.compiler: NVRTC does not describe itself"));
        QCOMPARE(errorOf(compileCuda("text", "sm_90")),
                 std::string("backend.compiler: NVRTC left no machine code"));
        QCOMPARE(errorOf(askForGpus()),
                 std::string("device.driver: NVIDIA's driver does not describe its GPUs"));
    }

    void crashesAreTold()
    {
        useScript("kill -SEGV $$\n");
        const auto crashed = cudaCompiler();
        QCOMPARE(errorOf(crashed), std::string("backend.compiler: NVIDIA's library was ended by signal 11"));
        QVERIFY(!crashed.error().hint.empty());
    }

    void askingCanBeCancelled()
    {
        useScript("sleep 60\n");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(errorOf(cudaCompiler(stop.get_token())).starts_with("cancelled: "));
    }

    void questionsThatAreNone()
    {
        QCOMPARE(statusOfAnswering("/nowhere"), 2);
        QCOMPARE(statusOfAnswering(m_folder.path(), Json{{"other", 1}}), 2);
        QCOMPARE(statusOfAnswering(m_folder.path(), Json{7}), 2);
    }

    void errorsAreAnswers()
    {
        qputenv("NESTWRIGHT_NVRTC", "/nowhere/libnvrtc.so");
        qputenv("NESTWRIGHT_CUDA_DRIVER", "/nowhere/libcuda.so.1");
        for (const auto &[question, code] :
             {std::pair{"compiler", "cuda.no-compiler"}, {"devices", "device.driver"}}) {
            const TemporaryFolder folder;
            QCOMPARE(statusOfAnswering(folder.path(), Json{{"question", question}}), 0);
            const Json answer = Json::from_cbor(readFile(folder.path() / "answer"));
            QCOMPARE(answer.at("error").at("code").get<std::string>(), std::string(code));
        }
        qunsetenv("NESTWRIGHT_NVRTC");
        qunsetenv("NESTWRIGHT_CUDA_DRIVER");
    }
};

QTEST_GUILESS_MAIN(CudaProcessTest)
#include "cuda_process_test.moc"
