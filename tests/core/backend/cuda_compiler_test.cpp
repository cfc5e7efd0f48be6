// SPDX-License-Identifier: Apache-2.0
// NVRTC in a process of its own: how it is found, what it makes, and what is said when it is not there.
#include "core/backend/cuda/cuda_compiler.h"
#include "core/backend/cuda/nvrtc.h"
#include "core/backend/device/ptx_listing.h"

#include <QtTest>

#include <QTemporaryDir>

using namespace nestwright;
using namespace nestwright::backend;

namespace {

constexpr const char *twice = R"(static __device__ float doubled(float x) { return x + x; }
extern "C" __global__ __launch_bounds__(64)
void twice(const float *__restrict__ A, float *__restrict__ B)
{
    __shared__ float s[64];
    s[threadIdx.x] = doubled(A[threadIdx.x]);
    __syncthreads();
    B[threadIdx.x] = s[63 - threadIdx.x];
}
)";

/// A variable of the environment for as long as a test runs.
class Variable {
public:
    Variable(const char *name, const QByteArray &value) : m_name(name), m_old(qgetenv(name))
    {
        qputenv(name, value);
    }
    ~Variable()
    {
        if (m_old.isEmpty())
            qunsetenv(m_name);
        else
            qputenv(m_name, m_old);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;

private:
    const char *m_name;
    QByteArray m_old;
};

bool isHere()
{
    static const auto found = cudaCompiler();
    if (!found && found.error().code != "cuda.no-compiler")
        qFatal("%s", found.error().render().c_str());
    return found.has_value();
}

void touch(const QString &path)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no library");
}

} // namespace

class CudaCompilerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc"); }

    void newestOfAFolder()
    {
        const QTemporaryDir folder;
        const auto newest = [&] {
            return QString::fromStdString(nvrtcIn(folder.path().toStdString()).filename().string());
        };
        QCOMPARE(newest(), QString());
        for (const char *name : {"libnvrtc.so.12", "libnvrtc.so.9.2", "libnvrtc-builtins.so.13.0",
                                 "libnvrtc.alt.so.13", "libnvrtc.so.12.x"})
            touch(folder.filePath(QString::fromLatin1(name)));
        QCOMPARE(newest(), QStringLiteral("libnvrtc.so.12"));
        touch(folder.filePath(QStringLiteral("libnvrtc.so.12.8")));
        QCOMPARE(newest(), QStringLiteral("libnvrtc.so.12.8"));
        QCOMPARE(nvrtcIn("/nowhere"), std::filesystem::path());
    }

    void wheelsOfTheCacheAreLookedIn()
    {
        const QTemporaryDir folder;
        const Variable cache("XDG_CACHE_HOME", folder.path().toUtf8());
        const QString wheel = folder.filePath(QStringLiteral("nestwright/cuda/nvidia/cu13/lib"));
        QVERIFY(QDir().mkpath(wheel));
        QVERIFY(std::ranges::contains(nvrtcFolders(), std::filesystem::path(wheel.toStdString())));
    }

    void libraryThatIsNamedButNotThere()
    {
        const Variable named("NESTWRIGHT_NVRTC", "/nowhere/libnvrtc.so");
        const auto compiler = cudaCompiler();
        QVERIFY(!compiler);
        QCOMPARE(compiler.error().code, std::string("cuda.no-compiler"));
        QVERIFY2(compiler.error().message.contains("/nowhere/libnvrtc.so"), compiler.error().message.c_str());
        QVERIFY(!compiler.error().hint.empty());
    }

    void brokenLibrary()
    {
        const QTemporaryDir folder;
        touch(folder.filePath(QStringLiteral("libnvrtc.so.13")));
        const Variable named("NESTWRIGHT_NVRTC", folder.path().toUtf8());
        const auto compiled = compileCuda(twice, "sm_90");
        QVERIFY(!compiled);
        QCOMPARE(compiled.error().code, std::string("cuda.load"));
        QVERIFY2(compiled.error().message.contains("libnvrtc.so.13"), compiled.error().message.c_str());
    }

    void processThatSaysNothing()
    {
        const Variable silent("NESTWRIGHT_NESTC", "/bin/true");
        const auto compiler = cudaCompiler();
        QVERIFY(!compiler);
        QCOMPARE(compiler.error().code, std::string("backend.compiler"));
        const Variable none("NESTWRIGHT_NESTC", "/nowhere/nestc");
        QCOMPARE(cudaCompiler().error().code, std::string("process.none"));
    }

    void whatKernelsUse()
    {
        const char *log = "ptxas info    : 0 bytes gmem\n"
                          "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
                          "ptxas info    : Function properties for first\n"
                          "ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill "
                          "loads\n"
                          "ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack "
                          "size, 49152 bytes smem\n"
                          "ptxas info    : Compile time = 2.671 ms\n"
                          "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
                          "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                          "ptxas info    : Used 8 registers, 352 bytes cmem[0]\n";
        const std::vector<KernelResources> kernels = readPtxasLog(log, "sm_90");
        QCOMPARE(kernels.size(), std::size_t{2});
        QVERIFY((kernels[0]
                 == KernelResources{.kernel = "first",
                                    .architecture = "sm_90",
                                    .registers = 255,
                                    .spillStores = 8,
                                    .spillLoads = 12,
                                    .stackBytes = 16,
                                    .sharedBytes = 49152,
                                    .barriers = 1}));
        QVERIFY((kernels[1] == KernelResources{.kernel = "second", .architecture = "sm_90", .registers = 8}));
        QVERIFY(readPtxasLog("", "sm_90").empty());
        QVERIFY(readPtxasLog("Used 8 registers", "sm_90").empty());
    }

    void linesOfPtx()
    {
        const char *ptx = "//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 9.0\n.target sm_90\n\n\n"
                          ".visible .entry twice(\n\t.param .u64 twice_param_0\n)\n{\n"
                          "\t.local .align 4 .b8 \t__local_depot0[64];\n\t.reg .b32 \t%r<5>;\n\t.loc\t1 2 "
                          "0\n\tmov.u32 \t%r1, %tid.x;\n"
                          "\t.loc\t1 4 3\n\tld.global.nc.f32 \t%f1, [%rd6];\n"
                          "\t.loc\t1 1 41, function_name $L__info_string0, inlined_at 1 3 9\n"
                          "\tadd.f32 \t%f2, %f1, %f1;\n\t.loc\t1 9 1\n\tret;\n}\n"
                          "\t.file\t1 \"kernels.cu\"\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n"
                          ".b8 95\n\t}\n";
        const support::StmtId outer{7}, inner{8};
        const std::vector<script::LineSpan> spans{{outer, 1, 4}, {inner, 3, 3}};
        const Listing listing =
            cleanPtx(ptx, "Made by hand", [&](std::uint32_t line) { return statementAt(line, spans); });
        QCOMPARE(QString::fromStdString(listing.text),
                 QStringLiteral("// Made by hand\n.version 9.0\n.target sm_90\n\n.visible .entry twice(\n"
                                "\t.param .u64 twice_param_0\n)\n{\n\t.local .align 4 .b8 "
                                "\t__local_depot0[64];\n\t.reg .b32 \t%r<5>;\n"
                                "\tmov.u32 \t%r1, %tid.x;\n\tld.global.nc.f32 \t%f1, [%rd6];\n"
                                "\tadd.f32 \t%f2, %f1, %f1;\n\tret;\n}\n"));
        const std::vector<script::LineSpan> expected{{outer, 10, 10}, {inner, 11, 11}, {outer, 12, 12}};
        QVERIFY(listing.spans == expected);
    }

    void compiles()
    {
        if (!isHere())
            QSKIP("NVRTC is not here");
        const auto compiler = cudaCompiler();
        QVERIFY(std::ranges::contains(compiler->architectures, 90));
        QVERIFY2(compiler->version.contains('.'), compiler->version.c_str());
        const auto binary = compileCuda(twice, "sm_90");
        QVERIFY2(binary, binary ? "" : binary.error().render().c_str());
        QVERIFY(binary->ptx.contains(".visible .entry twice("));
        QVERIFY(binary->cubin.starts_with("\x7f"
                                          "ELF"));
        QCOMPARE(binary->kernels.size(), std::size_t{1});
        const KernelResources &kernel = binary->kernels.front();
        QCOMPARE(kernel.kernel, std::string("twice"));
        QCOMPARE(kernel.sharedBytes, std::int64_t{256});
        QCOMPARE(kernel.spillStores, std::int64_t{0});
        QVERIFY(kernel.registers > 0 && kernel.registers < 64);
    }

    void refusesWithItsWords()
    {
        if (!isHere())
            QSKIP("NVRTC is not here");
        const auto wrong = compileCuda("extern \"C\" __global__ void f() { g(); }\n", "sm_90");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().code, std::string("backend.compiler"));
        QVERIFY2(wrong.error().message.contains("identifier \"g\" is undefined"),
                 wrong.error().message.c_str());
        const auto none = compileCuda(twice, "sm_12");
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("cuda.architecture"));
        QVERIFY2(none.error().hint.contains("sm_90"), none.error().hint.c_str());
    }

    void stops()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = compileCuda(twice, "sm_90", stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, std::string("cancelled"));
    }
};

QTEST_GUILESS_MAIN(CudaCompilerTest)
#include "cuda_compiler_test.moc"
