// SPDX-License-Identifier: Apache-2.0
// NVIDIA's compiler library: where it is looked for, and how it is asked. The library is made here.
#include "core/backend/cuda/nvrtc.h"

#include "core/backend/cuda/cuda_compiler.h"
#include "core/backend/link/compiler.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::backend;
namespace fs = std::filesystem;

namespace {

/// The log is what the program was created and compiled with.
constexpr const char *text = R"(
#include <stdio.h>
#include <string.h>
static char text[100], log_[1000];
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 7; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = COUNT; return STATUS; }
int nvrtcGetSupportedArchs(int *list) { list[0] = 80; list[1] = 90; return 0; }
int nvrtcCreateProgram(void **made, const char *given, const char *name, int headers,
                       const char *const *contents, const char *const *names)
{
    if (strcmp(given, "none") == 0 || headers != 0)
        return 1;
    strcpy(text, given);
    strcpy(log_, name);
    *made = text;
    return 0;
}
int nvrtcDestroyProgram(void **made) { *made = 0; return 0; }
int nvrtcCompileProgram(void *made, int count, const char *const *options)
{
    for (int i = 0; i < count; ++i)
        strcat(strcat(log_, " "), options[i]);
    return made != text || strcmp(text, "wrong") == 0;
}
int nvrtcGetProgramLogSize(void *made, size_t *size) { *size = strlen(log_) + 1; return 0; }
int nvrtcGetProgramLog(void *made, char *to) { strcpy(to, log_); return 0; }
int nvrtcGetPTXSize(void *made, size_t *size) { *size = 4; return strcmp(text, "no PTX") == 0; }
int nvrtcGetPTX(void *made, char *to) { strcpy(to, "ptx"); return 0; }
int nvrtcGetCUBINSize(void *made, size_t *size) { *size = 4; return 0; }
#ifndef OLD
int nvrtcGetCUBIN(void *made, char *to) { memcpy(to, "c\0\0", 4); return strcmp(text, "no code") == 0; }
#endif
)";

} // namespace

class NvrtcTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TemporaryFolder> m_folder;

    /// The library at `place` below the folder of the test.
    fs::path made(const fs::path &place, const char *count = "2", const char *status = "0",
                  const char *more = "-DNEW") const
    {
        const fs::path file = m_folder->path() / "nvrtc.c", object = m_folder->path() / place;
        fs::create_directories(object.parent_path());
        writeFile(file, text);
        const auto compiled =
            runCompiler({"-w", "-shared", "-fPIC", std::string("-DCOUNT=") + count,
                         std::string("-DSTATUS=") + status, more, "-o", object.string(), file.string()},
                        {});
        if (!compiled)
            qFatal("%s", compiled.error().message.c_str());
        return object;
    }

    static Nvrtc loaded(const fs::path &named)
    {
        qputenv("NESTWRIGHT_NVRTC", named.c_str());
        auto nvrtc = Nvrtc::load();
        if (!nvrtc)
            qFatal("%s", nvrtc.error().render().c_str());
        return std::move(*nvrtc);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (compilerVersion().empty())
            QSKIP("there is no C compiler here");
    }

    void init()
    {
        m_folder = std::make_unique<TemporaryFolder>();
        qputenv("XDG_CACHE_HOME", m_folder->path().c_str());
        for (const char *name : {"NESTWRIGHT_NVRTC", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"})
            qunsetenv(name);
    }

    void librariesAreNamedByFileOrFolder()
    {
        const fs::path file = made("here/libnvrtc.so.13");
        QCOMPARE(loaded(file).path(), file.string());
        QCOMPARE(loaded(file.parent_path()).path(), file.string());
        QCOMPARE(loaded(file).version(), std::string("13.7"));
        qputenv("NESTWRIGHT_NVRTC", m_folder->path().c_str()); // which has none itself
        const auto none = Nvrtc::load();
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("cuda.no-compiler"));
        QCOMPARE(none.error().message,
                 "there is no NVRTC at '" + m_folder->path().string() + "', which NESTWRIGHT_NVRTC names");
    }

    /// Nothing is named by an empty variable.
    void librariesAreFoundWhereToolkitsPutThem_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("place");
        QTest::newRow("a toolkit") << "CUDA_HOME" << "toolkit" << "toolkit/lib64";
        QTest::newRow("a toolkit by its other name") << "CUDA_PATH" << "toolkit" << "toolkit/lib64";
        QTest::newRow("a wheel") << "VIRTUAL_ENV" << "venv"
                                 << "venv/lib/python3.13/site-packages/nvidia/cu13/lib";
        QTest::newRow("the cache") << "NESTWRIGHT_NVRTC" << "" << "nestwright/cuda/nvidia/cuda_nvrtc/lib";
    }
    void librariesAreFoundWhereToolkitsPutThem()
    {
        QFETCH(QString, variable);
        QFETCH(QString, value);
        QFETCH(QString, place);
        const fs::path file = made((place + "/libnvrtc.so.13").toStdString());
        qputenv("NESTWRIGHT_NVRTC", "");
        if (!value.isEmpty())
            qputenv(variable.toUtf8().constData(), (m_folder->path() / value.toStdString()).c_str());
        const auto nvrtc = Nvrtc::load();
        QVERIFY2(nvrtc, nvrtc ? "" : nvrtc.error().message.c_str());
        QCOMPARE(nvrtc->path(), file.string());
    }

    /// The toolkit that a person names comes before what was installed into the cache.
    void foldersAreLookedInByTurns()
    {
        fs::create_directories(m_folder->path() / "nestwright/cuda/nvidia/cu13");
        fs::create_directories(m_folder->path() / "venv/lib/python3/site-packages/nvidia/a");
        qputenv("CUDA_PATH", "/path");
        qputenv("CUDA_HOME", "/home");
        qputenv("VIRTUAL_ENV", (m_folder->path() / "venv").c_str());
        QCOMPARE(nvrtcFolders(),
                 (std::vector<fs::path>{"/home/lib64", "/path/lib64",
                                        m_folder->path() / "nestwright/cuda/nvidia/cu13/lib",
                                        m_folder->path() / "venv/lib/python3/site-packages/nvidia/a/lib",
                                        "/usr/local/cuda/lib64"}));
        for (const char *name : {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"})
            qputenv(name, "");
        QCOMPARE(nvrtcFolders().size(), 2UL);
    }

    void librariesThatLackAFunction()
    {
        const fs::path file = made("old/libnvrtc.so.10", "2", "0", "-DOLD");
        qputenv("NESTWRIGHT_NVRTC", file.c_str());
        const auto old = Nvrtc::load();
        QVERIFY(!old);
        QCOMPARE(old.error().code, std::string("cuda.load"));
        QCOMPARE(old.error().message, '\'' + file.string() + "' is too old an NVRTC, or none");
        QVERIFY(old.error().hint.contains("11.2"));
    }

    void architecturesThatItKnows()
    {
        QCOMPARE(loaded(made("a/libnvrtc.so")).architectures(), (std::vector{80, 90}));
        QVERIFY(loaded(made("b/libnvrtc.so", "0")).architectures().empty());
        QVERIFY(loaded(made("c/libnvrtc.so", "-1")).architectures().empty());
        QVERIFY(loaded(made("d/libnvrtc.so", "2", "1")).architectures().empty());
    }

    void codeIsMade()
    {
        const Nvrtc nvrtc = loaded(made("libnvrtc.so"));
        const auto output = nvrtc.compile("right", "sm_90a");
        QVERIFY(output);
        QCOMPARE(output->ptx, std::string("ptx"));
        QCOMPARE(output->cubin, std::string("c\0\0\0", 4)); // bytes that count, to the last
        QCOMPARE(output->log, std::string("kernels.cu --gpu-architecture=sm_90a --std=c++17 "
                                          "--generate-line-info --ptxas-options=-v"));
    }

    /// The kind of code is asked for when none was made.
    void unknownArchitecturesAreTold()
    {
        qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc");
        qputenv("NESTWRIGHT_NVRTC", made("libnvrtc.so").c_str());
        const auto right = compileCuda("right", "sm_70");
        QVERIFY2(right, right ? "" : right.error().message.c_str());
        QCOMPARE(right->ptx, std::string("ptx"));
        const auto other = compileCuda("wrong", "sm_70");
        QVERIFY(!other);
        QCOMPARE(other.error().code, std::string("cuda.architecture"));
        QCOMPARE(other.error().message, std::string("NVRTC 13.7 makes no code for 'sm_70'"));
        QCOMPARE(other.error().hint, std::string("it does for sm_80, sm_90"));
        for (const char *known : {"sm_90", "sm_90a", "sm_80"})
            QCOMPARE(compileCuda("wrong", known).error().code, std::string("backend.compiler"));
        for (const char *none : {"90", "sm_", "sm_x90"})
            QCOMPARE(compileCuda("wrong", none).error().code, std::string("cuda.architecture"));
    }

    void whatItRefuses()
    {
        const Nvrtc nvrtc = loaded(made("libnvrtc.so"));
        const auto wrong = nvrtc.compile("wrong", "sm_90");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().code, std::string("backend.compiler"));
        QVERIFY(wrong.error().message.starts_with("NVRTC failed for sm_90:\nkernels.cu --gpu"));
        QCOMPARE(nvrtc.compile("none", "sm_90").error().message, std::string("NVRTC takes no program"));
        QCOMPARE(nvrtc.compile("no PTX", "sm_90")->ptx, std::string());
        QCOMPARE(nvrtc.compile("no code", "sm_90")->cubin, std::string());
    }
};

QTEST_GUILESS_MAIN(NvrtcTest)
#include "nvrtc_test.moc"
