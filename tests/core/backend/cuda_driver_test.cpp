// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver in this process: GPUs that it describes, a kernel on the first, and its errors in words.
// The driver is made here; each question is asked in a process of its own, which has it from then on.
#include "core/backend/cuda/cuda_device.h"
#include "core/backend/device/cuda_driver.h"

#include "core/backend/device/device_program.h"
#include "core/backend/link/compiler.h"
#include "core/lower/kernel_launch.h"
#include "core/lower/pipeline.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::backend;

namespace {

/// Of three devices the second cannot be had, and the third tells little of itself. Its only kernel doubles
/// floats. NW_FAIL names a function that fails, NW_CODE says how.
constexpr const char *text = R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long long address;
static int of(const char *name)
{
    const char *failing = getenv("NW_FAIL");
    return failing && strcmp(failing, name) == 0 ? atoi(getenv("NW_CODE")) : 0;
}
int cuInit(unsigned flags) { return of("init"); }
int cuDriverGetVersion(int *version) { *version = 12080; return 0; }
int cuGetErrorString(int code, const char **text)
{
    *text = code == 5 ? 0 : "its words";
    return code == 6;
}
int cuDeviceGetCount(int *count) { *count = 3; return of("count"); }
int cuDeviceGet(int *device, int i) { *device = 10 + i; return i == 1 ? 1 : of("device"); }
int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, size, "GPU %d", device);
    return device == 12;
}
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75   ? 9
             : attribute == 76 ? 0
             : attribute == 16 ? 132
             : attribute == 8  ? 49152
                               : 1024;
    return device == 12;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)80 << 30; return 0; }
int cuCtxCreate_v2(void **made, unsigned flags, int device) { *made = "context"; return of("context"); }
int cuCtxDestroy_v2(void *context) { return 0; }
int cuCtxSynchronize(void) { return of("synchronize"); }
int cuModuleLoadData(void **made, const void *image)
{
    *made = "module";
    return strcmp(image, "code") ? 200 : of("module");
}
int cuModuleUnload(void *module) { return 0; }
int cuModuleGetFunction(void **made, void *module, const char *name)
{
    *made = "function";
    return of("function");
}
static unsigned mostShared = 49152;
int cuFuncSetAttribute(void *function, int attribute, int value)
{
    if (attribute == 8)
        mostShared = value;
    return of("attribute");
}
int cuMemAlloc_v2(address *made, size_t bytes)
{
    *made = (address)malloc(bytes);
    return bytes ? of("allocate") : 1;
}
int cuMemFree_v2(address memory) { free((void *)memory); return 0; }
int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes)
{
    memcpy((void *)to, from, bytes);
    return of("upload");
}
int cuMemcpyDtoH_v2(void *to, address from, size_t bytes)
{
    memcpy(to, (void *)from, bytes);
    return of("download");
}
#ifndef OLD
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
    float *to = *(float **)arguments[OUT], *from = *(float **)arguments[IN];
    for (unsigned i = 0; i < gx * gy * gz * bx * by * bz; ++i)
        to[i] = 2 * from[i];
    return gx == 2 && bx == 4 && shared == 65536 && shared <= mostShared ? of("launch") : 1;
}
#endif
)";

struct Compiled {
    Artifact artifact;
    int in = 0, out = 0; ///< places of A and B among the arguments of the kernel
};

/// B = A * 2 in two blocks of four threads; its machine code is but a word.
Compiled doubling(const std::string &code = "code")
{
    const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            with T.block("B"):
                v = T.axis.spatial(8, b * 4 + t)
                B[v] = A[v] * T.float32(2)
)");
    const auto lowered = lower::lower(module, *target::parseTarget("cuda"), {.keepRecords = false});
    if (!lowered)
        qFatal("%s", lowered.error().render().c_str());
    DeviceProgram program{hostPart(lowered->module), code, {}};
    Compiled made;
    for (const ir::Module::Entry &entry : lowered->module.functions()) {
        if (!lower::isKernel(*entry.function))
            continue;
        program.kernels.push_back({entry.name, {4, 1, 1}, false, 65536}); // as if it needed as much
        for (std::size_t i = 0; i < entry.function->params.size(); ++i)
            (entry.function->params[i].buffer.name() == "A" ? made.in : made.out) = static_cast<int>(i);
    }
    made.artifact.format = Format::CudaDevice;
    made.artifact.bytes = program.bytes();
    made.artifact.entries = entriesOf(module).value();
    return made;
}

/// The error of doubling 1, 2, … on the first GPU.
std::string whyNotDoubled(const std::string &code = "code")
{
    const auto kernel = loadOnCuda(doubling(code).artifact);
    if (!kernel)
        return kernel.error().render();
    ir::NdArray a(ir::DataType::float32(), {8}), b(ir::DataType::float32(), {8});
    for (int i = 0; i < 8; ++i)
        a.set(i, i + 1);
    const auto called = call(**kernel, "main", std::array{&a, &b});
    if (!called)
        return called.error().render();
    return b.at(0) == 2 && b.at(7) == 16 ? "" : "other results";
}

std::string gpus()
{
    const auto found = cudaDevices();
    if (!found)
        return found.error().render();
    std::string told;
    for (const DeviceFacts &gpu : *found)
        told += std::format("{}, {}, {}, {}, {} units, {} GiB, {} shared, {} threads\n", gpu.name, gpu.driver,
                            gpu.architecture, gpu.isGpu ? "GPU" : "none", gpu.computeUnits,
                            gpu.memoryBytes >> 30, gpu.sharedBytes, gpu.mostThreads);
    return told;
}

} // namespace

class CudaDriverTest : public QObject {
    Q_OBJECT

    TemporaryFolder m_folder;
    std::string m_driver, m_old;

    std::string made(const char *name, const std::vector<std::string> &more)
    {
        const auto file = m_folder.path() / "driver.c", object = m_folder.path() / name;
        writeFile(file, text);
        std::vector<std::string> arguments{"-w", "-shared", "-fPIC", "-o", object.string(), file.string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto compiled = runCompiler(arguments, {});
        if (!compiled)
            qFatal("%s", compiled.error().message.c_str());
        return object.string();
    }

    /// Output of `body` in another process, with that driver and a function of it that fails.
    static std::string told(const std::function<std::string()> &body, const std::string &driver,
                            const char *failing = "", int code = 0)
    {
        int ends[2];
        if (pipe(ends) != 0)
            qFatal("no pipe");
        const pid_t child = fork();
        if (child == 0) {
            setenv("NESTWRIGHT_CUDA_DRIVER", driver.c_str(), 1);
            setenv("NW_FAIL", failing, 1);
            setenv("NW_CODE", std::to_string(code).c_str(), 1);
            const std::string text = body();
            _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
        }
        ::close(ends[1]);
        std::string said;
        for (char c = 0; read(ends[0], &c, 1) == 1;)
            said += c;
        ::close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        return status == 0 ? said : "it ended with " + std::to_string(status);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!isBuilt(target::TargetKind::Cuda))
            QSKIP("this program was built without CUDA");
        if (compilerVersion().empty())
            QSKIP("there is no C compiler here");
        const Compiled kernel = doubling();
        m_driver =
            made("libcuda.so.1", {std::format("-DIN={}", kernel.in), std::format("-DOUT={}", kernel.out)});
        m_old = made("libold.so.1", {"-DOLD"});
    }

    void gpusAreDescribed()
    {
        QCOMPARE(told(gpus, m_driver),
                 std::string("GPU 10, CUDA 12.8, sm_90, GPU, 132 units, 80 GiB, 49152 shared, 1024 threads\n"
                             ", CUDA 12.8, sm_00, GPU, 0 units, 80 GiB, 0 shared, 0 threads\n"));
        QVERIFY(told(gpus, m_driver, "count", 1).contains("finds no GPU [device.none]"));
    }

    void driversThatCannotBeUsed()
    {
        const std::string none = told(gpus, "/nowhere/libcuda.so.1"), old = told(gpus, m_old);
        QVERIFY2(none.starts_with("error: NVIDIA's driver cannot be loaded: /nowhere/libcuda.so.1: "),
                 none.c_str());
        QVERIFY2(old.starts_with("error: '" + m_old + "' is too old a driver, or none [device.driver]"),
                 old.c_str());
        QVERIFY(told(gpus, m_driver, "init", 100).contains("finds no GPU [device.none]"));
        const std::string broken = told(gpus, m_driver, "init", 803);
        QVERIFY2(broken.contains("does not begin: the driver says error 803, its words [device.driver]"),
                 broken.c_str());
    }

    void kernelsRunOnTheFirst()
    {
        QCOMPARE(told([] { return whyNotDoubled(); }, m_driver), std::string());
    }

    void whatFailsIsNamed_data()
    {
        QTest::addColumn<QString>("failing");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *failing, int code, const char *message) {
            QTest::addRow("%s %d", failing, code) << failing << code << message;
        };
        row("device", 999, "error: the GPU cannot be opened: the driver lost the GPU [device.lost]");
        row("context", 46, "error: 'GPU 10' cannot be opened: the GPU is taken, or not available any more");
        row("module", 209,
            "error: the kernels cannot be loaded on 'GPU 10': the machine code is for another");
        row("function", 500, "error: the compiler left no kernel 'main_kernel': the driver says error 500");
        row("allocate", 2, "bytes cannot be had on the GPU: the GPU has not enough memory [device.memory]");
        row("upload", 5, "error: an array cannot be copied to the GPU: the driver says error 5 [device");
        row("attribute", 1,
            "error: a block of 'main_kernel' cannot have 65536 bytes of shared memory on 'GPU 10'");
        row("launch", 701, "error: the kernel 'main_kernel' cannot be launched: a block needs more");
        row("synchronize", 700, "error: the GPU did not finish its work: a kernel reads or writes outside");
        row("download", 6, "error: an array cannot be copied from the GPU: the driver says error 6 [device");
    }
    void whatFailsIsNamed()
    {
        QFETCH(QString, failing);
        QFETCH(int, code);
        QFETCH(QString, message);
        const std::string why =
            told([] { return whyNotDoubled(); }, m_driver, failing.toUtf8().constData(), code);
        QVERIFY2(why.contains(message.toStdString()), why.c_str());
    }

    void codeThatIsNoneIsRefused()
    {
        const std::string why = told([] { return whyNotDoubled("other"); }, m_driver);
        QVERIFY2(why.contains("the machine code cannot be read [device.launch]"), why.c_str());
    }
};

QTEST_GUILESS_MAIN(CudaDriverTest)
#include "cuda_driver_test.moc"
