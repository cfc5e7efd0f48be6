// SPDX-License-Identifier: Apache-2.0
// Calls of cuBLAS and NVIDIA's driver: both are one library that is made here, which notes how it
// is called.
#include "core/measure/peers/cublas_peer.h"

#include "core/backend/link/compiler.h"

#include <QtTest>

#include <cstdint>
#include <dlfcn.h>
#include <memory>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

/// NW_FAIL names a function that fails, NW_CODE says how. The first product takes longer than all that are
/// made to warm up.
constexpr const char *cublasText = R"(
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef unsigned long long address;
int nw_products, nw_held, nw_words[8];
double nw_factors[2];
static int of(const char *name)
{
    const char *failing = getenv("NW_FAIL");
    return failing && strcmp(failing, name) == 0 ? atoi(getenv("NW_CODE")) : 0;
}
int cuInit(unsigned flags) { return 0; }
int cuGetErrorString(int code, const char **text) { *text = "its words"; return 0; }
int cuDeviceGet(int *device, int i) { *device = i; return of("device"); }
int cuCtxCreate_v2(void **made, unsigned flags, int device)
{
    *made = "context";
    nw_held += !of("context");
    return of("context");
}
int cuCtxDestroy_v2(void *context) { --nw_held; return 0; }
int cuCtxSynchronize(void) { return of("synchronize"); }
int cuMemAlloc_v2(address *made, size_t bytes)
{
    *made = of("allocate") ? 0 : (address)malloc(bytes);
    nw_held += !of("allocate");
    return of("allocate");
}
int cuMemFree_v2(address memory) { free((void *)memory); --nw_held; return 0; }
int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes)
{
    memcpy((void *)to, from, bytes);
    return of("upload");
}
#define UNUSED(name) int name(void) { return 1; }
UNUSED(cuDriverGetVersion)
UNUSED(cuDeviceGetCount)
UNUSED(cuDeviceGetName)
UNUSED(cuDeviceGetAttribute)
UNUSED(cuDeviceTotalMem_v2)
UNUSED(cuModuleLoadData)
UNUSED(cuModuleUnload)
UNUSED(cuModuleGetFunction)
UNUSED(cuFuncSetAttribute)
UNUSED(cuMemcpyDtoH_v2)
UNUSED(cuLaunchKernel)
int cublasCreate_v2(void **handle) { *handle = "handle"; return of("create"); }
int cublasDestroy_v2(void *handle) { return strcmp(handle, "handle"); }
int cublasGetVersion_v2(void *handle, int *version) { *version = 120803; return 0; }
static int note(int a, int b, int m, int n, int k, int x, int y, int z)
{
    const int words[] = {a, b, m, n, k, x, y, z};
    const struct timespec first = {0, 110000000};
    memcpy(nw_words, words, sizeof words);
    if (nw_products++ == 0)
        nanosleep(&first, 0);
    return of("product");
}
#define GEMM(name, type)                                                                                     \
    int name(void *handle, int a, int b, int m, int n, int k, const type *alpha, const type *x, int sx,      \
             const type *y, int sy, const type *beta, type *z, int sz)                                       \
    {                                                                                                        \
        nw_factors[0] = *alpha;                                                                              \
        nw_factors[1] = *beta;                                                                               \
        z[(n - 1) * sz + m - 1] = x[m * k - 1] + y[k * n - 1];                                               \
        return note(a, b, m, n, k, sx, sy, sz);                                                              \
    }
GEMM(cublasSgemm_v2, float)
GEMM(cublasDgemm_v2, double)
)";

using CublasWords = std::vector<int>;

} // namespace

class CublasCallsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<backend::TemporaryFolder> m_folder;
    std::string m_library;
    void *m_loaded = nullptr;

    template <class T> T &noted(const char *name) const { return *static_cast<T *>(dlsym(m_loaded, name)); }

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = std::make_unique<backend::TemporaryFolder>();
        const auto file = m_folder->path() / "cublas.c", object = m_folder->path() / "cublas.so";
        backend::writeFile(file, cublasText);
        const auto compiled = backend::runCompiler(
            {"-std=gnu11", "-w", "-shared", "-fPIC", "-o", object.string(), file.string()}, {});
        if (!compiled && compiled.error().code == "backend.no-compiler")
            QSKIP("there is no C compiler here");
        QVERIFY2(compiled, compiled ? "" : compiled.error().message.c_str());
        m_library = object.string();
        m_loaded = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
        QVERIFY2(m_loaded, m_loaded ? "" : dlerror());
        qputenv("NESTWRIGHT_CUDA_DRIVER", m_library.c_str());
    }

    void init()
    {
        qputenv("NESTWRIGHT_CUBLAS", m_library.c_str());
        noted<int>("nw_products") = 0;
    }
    void cleanup()
    {
        qunsetenv("NW_FAIL");
        QCOMPARE(noted<int>("nw_held"), 0); // memory and contexts are given back, whatever happened
    }

    /// Once until it is warm, then 15 samples, each of one product where the first was that slow.
    void productsAreTimed()
    {
        const auto time = timeCublas({4, 3, 2, false, false, false});
        QVERIFY2(time, time ? "" : time.error().message.c_str());
        QCOMPARE(noted<int>("nw_products"), 1 + 15);
        QCOMPARE(time->library, std::string("cuBLAS 12.8"));
        QCOMPARE(time->flops, 2.0 * 4 * 3 * 2);
        QVERIFY(time->seconds.low > 0 && time->seconds.median < 0.1); // not the first
    }

    /// By columns what is meant by rows: transposed, and with its factors exchanged.
    void matricesLieAsTheLibraryTakesThem_data()
    {
        QTest::addColumn<bool>("isDouble");
        QTest::addColumn<bool>("transposedA");
        QTest::addColumn<bool>("transposedB");
        QTest::addColumn<CublasWords>("expected");
        // 4 x 2 times 2 x 3; 1: transposed.
        QTest::newRow("plain") << false << false << false << CublasWords{0, 0, 3, 4, 2, 3, 2, 3};
        QTest::newRow("A transposed") << false << true << false << CublasWords{0, 1, 3, 4, 2, 3, 4, 3};
        QTest::newRow("B transposed") << true << false << true << CublasWords{1, 0, 3, 4, 2, 2, 2, 3};
        QTest::newRow("both") << true << true << true << CublasWords{1, 1, 3, 4, 2, 2, 4, 3};
    }
    void matricesLieAsTheLibraryTakesThem()
    {
        QFETCH(bool, isDouble);
        QFETCH(bool, transposedA);
        QFETCH(bool, transposedB);
        analysis::MatrixProduct product{4, 3, 2};
        product.isDouble = isDouble;
        product.transposedA = transposedA;
        product.transposedB = transposedB;
        QVERIFY(timeCublas(product));
        const int *begin = &noted<int>("nw_words");
        QTEST((CublasWords{begin, begin + 8}), "expected");
        const double *factors = &noted<double>("nw_factors");
        QCOMPARE(factors[0], 1.0);
        QCOMPARE(factors[1], 0.0);
    }

    void whatFailsIsTold_data()
    {
        QTest::addColumn<QString>("failing");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("error");
        const auto row = [](const char *failing, int code, const char *error) {
            QTest::newRow(failing) << failing << code << error;
        };
        row("device", 999, "device.lost: the GPU cannot be opened: the driver lost the GPU");
        row("context", 46,
            "device.lost: the GPU cannot be opened: the GPU is taken, or not available any more");
        row("allocate", 2, "device.memory: a matrix has no room on the GPU: the GPU has not enough memory");
        row("upload", 5, "device.launch: a matrix cannot be copied: the driver says error 5, its words");
        row("synchronize", 700,
            "device.launch: the GPU did not finish: a kernel reads or writes outside of its arrays");
        row("create", 1, "peer.none: cuBLAS does not begin: error 1");
        row("product", 13, "peer.none: cuBLAS says error 13");
    }
    void whatFailsIsTold()
    {
        QFETCH(QString, failing);
        QFETCH(int, code);
        qputenv("NW_FAIL", failing.toUtf8());
        qputenv("NW_CODE", QByteArray::number(code));
        const auto time = timeCublas({4, 3, 2, false, false, false});
        QVERIFY(!time);
        QTEST(QString::fromStdString(time.error().code + ": " + time.error().message), "error");
    }

    void librariesThatAreNotThere()
    {
        qputenv("NESTWRIGHT_CUBLAS", "/nowhere/libcublas.so");
        const auto time = timeCublas({4, 3, 2, false, false, false});
        QVERIFY(!time);
        QCOMPARE(time.error().code, std::string("peer.none"));
        QVERIFY(time.error().hint.contains("NESTWRIGHT_CUBLAS"));
    }

    void longMatricesAreRefused()
    {
        for (const auto &[m, n] : {std::pair{std::int64_t{1} << 31, std::int64_t{1}},
                                   std::pair{std::int64_t{1} << 20, std::int64_t{1} << 20}}) {
            const auto time = timeCublas({m, n, 1, false, false, false});
            QVERIFY(!time);
            QCOMPARE(time.error().code, std::string("peer.size"));
            QVERIFY(time.error().message.contains("cuBLAS"));
        }
    }
};

QTEST_GUILESS_MAIN(CublasCallsTest)
#include "cublas_calls_test.moc"
