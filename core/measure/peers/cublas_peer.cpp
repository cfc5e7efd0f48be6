// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/cublas_peer.h"

#include "core/backend/device/cuda_driver.h"
#include "core/measure/worker/call_time.h"
#include "core/support/errors/errors.h"
#include "core/support/library_functions.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace nestwright::measure {

using analysis::MatrixProduct;
using backend::CudaDriver;
using support::diagnostic;
using support::fail;
using support::Result;
using support::UserError;

namespace {

// The numbers of cublasOperation_t.
constexpr int asItIs = 0, turned = 1;

template <class T>
using CublasGemm = int (*)(void *handle, int a, int b, int m, int n, int k, const T *alpha, const void *x,
                           int strideX, const void *y, int strideY, const T *beta, void *z, int strideZ);

/// The functions of the library that are used here; each gives 0 when all is well.
struct Cublas {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*version)(void *handle, int *version);
    CublasGemm<float> sgemm;
    CublasGemm<double> dgemm;
};

void *openCublas()
{
    if (const char *named = std::getenv("NESTWRIGHT_CUBLAS"); named && *named)
        return support::openLibrary({named});
    return support::openLibrary({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so",
                                 "/usr/local/cuda/lib64/libcublas.so"});
}

Cublas loadCublas()
{
    void *library = openCublas();
    support::LibraryFunctions found(library);
    Cublas cublas{};
    found.find(cublas.create, "cublasCreate_v2");
    found.find(cublas.destroy, "cublasDestroy_v2");
    found.find(cublas.version, "cublasGetVersion_v2");
    found.find(cublas.sgemm, "cublasSgemm_v2");
    found.find(cublas.dgemm, "cublasDgemm_v2");
    if (!found.isWhole())
        throw UserError(diagnostic("peer.none", "cuBLAS is not on this machine")
                            .withHint("it comes with the CUDA toolkit, or as the wheel nvidia-cublas; "
                                      "NESTWRIGHT_CUBLAS names libcublas.so"));
    return cublas;
}

/// A context of the first GPU with memory for three matrices.
class Matrices {
public:
    explicit Matrices(const CudaDriver &driver) : m_driver(driver)
    {
        int device = 0;
        check(driver.device(&device, 0), "the GPU cannot be opened");
        check(driver.createContext(&m_context, 0, device), "the GPU cannot be opened");
    }
    ~Matrices()
    {
        for (const CudaDriver::Address memory : m_memories)
            m_driver.release(memory);
        m_driver.destroyContext(m_context);
    }
    Matrices(const Matrices &) = delete;
    Matrices &operator=(const Matrices &) = delete;

    template <class T> void *add(std::int64_t count, unsigned seed)
    {
        std::mt19937 generator(seed);
        std::uniform_real_distribution<T> numbers(-1, 1);
        std::vector<T> values(static_cast<std::size_t>(count));
        std::ranges::generate(values, [&] { return numbers(generator); });
        CudaDriver::Address memory = 0;
        check(m_driver.allocate(&memory, values.size() * sizeof(T)), "a matrix has no room on the GPU");
        m_memories.push_back(memory);
        check(m_driver.upload(memory, values.data(), values.size() * sizeof(T)), "a matrix cannot be copied");
        return reinterpret_cast<void *>(memory); // as the library takes it. NOLINT(performance-no-int-to-ptr)
    }

    void finish() const { check(m_driver.synchronize(), "the GPU did not finish"); }

private:
    void check(int code, const char *what) const
    {
        if (code == 0)
            return;
        const backend::CudaReason reason = backend::cudaReason(m_driver, code);
        throw UserError(
            diagnostic(reason.code, std::string(what) + ": " + reason.text).withHint(reason.hint));
    }

    const CudaDriver &m_driver;
    CudaDriver::Handle m_context = nullptr;
    std::vector<CudaDriver::Address> m_memories;
};

/// The library's matrices are stored by columns, so that it is given Cᵀ = Bᵀ Aᵀ.
template <class T>
Interval timeGemm(const MatrixProduct &product, CublasGemm<T> gemm, void *handle, Matrices &matrices)
{
    const void *a = matrices.add<T>(product.m * product.k, 1), *b = matrices.add<T>(product.k * product.n, 2);
    void *c = matrices.add<T>(product.m * product.n, 3);
    const int m = static_cast<int>(product.m), n = static_cast<int>(product.n),
              k = static_cast<int>(product.k);
    const T one = 1, zero = 0;
    return timeOf([&] {
        const int code =
            gemm(handle, product.transposedB ? turned : asItIs, product.transposedA ? turned : asItIs, n, m,
                 k, &one, b, product.transposedB ? k : n, a, product.transposedA ? m : k, &zero, c, n);
        if (code != 0)
            throw UserError(diagnostic("peer.none", "cuBLAS says error " + std::to_string(code)));
        matrices.finish();
    });
}

} // namespace

Result<PeerTime> timeCublas(const MatrixProduct &product)
try {
    const auto driver = backend::cudaDriver();
    if (!driver)
        return fail(driver.error());
    if (const auto fits = checkSize(product, "cuBLAS"); !fits)
        return fail(fits.error());
    const Cublas cublas = loadCublas();
    Matrices matrices(**driver);
    void *handle = nullptr;
    if (const int code = cublas.create(&handle); code != 0)
        return fail("peer.none", "cuBLAS does not begin: error " + std::to_string(code));
    int version = 0;
    cublas.version(handle, &version);
    PeerTime time;
    time.library = "cuBLAS " + std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100);
    time.seconds = product.isDouble ? timeGemm(product, cublas.dgemm, handle, matrices)
                                    : timeGemm(product, cublas.sgemm, handle, matrices);
    time.flops = product.flops();
    cublas.destroy(handle);
    return time;
} catch (const UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::measure
