// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/peer.h"

#include "core/measure/machine/other_load.h"
#include "core/measure/machine/topology.h"
#include "core/measure/peers/onednn_calls.h"
#include "core/measure/worker/call_time.h"
#include "core/support/library_functions.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <format>
#include <limits>
#include <memory>
#include <random>
#include <unistd.h>

namespace nestwright::measure {

using analysis::Convolution;
using analysis::LibraryKernel;
using analysis::MatrixProduct;
using analysis::Softmax;
using support::fail;
using support::Result;

namespace {

constexpr std::int64_t mostArrayBytes = std::int64_t{4} << 30;

// The numbers of the C interface of BLAS (Netlib's CBLAS).
constexpr int rowMajor = 101, plain = 111, transposed = 112;

template <class T>
using Gemm = void (*)(int order, int a, int b, int m, int n, int k, T alpha, const T *x, int strideX,
                      const T *y, int strideY, T beta, T *z, int strideZ);

// Libraries stay loaded: their threads live as long as the process.

void *openBlas()
{
    static void *library = support::openLibrary({"libopenblas.so.0", "libopenblas.so"});
    return library;
}

void *oneDnn()
{
    static void *library =
        support::openLibrary({"libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.3.7", "libdnnl.so"});
    return library;
}

/// A function of the library, or of one that it needs.
template <class Function> Function find(void *library, const char *name)
{
    return reinterpret_cast<Function>(dlsym(library, name));
}

/// "OpenBLAS 0.3.29" of "OpenBLAS 0.3.29 NO_LAPACKE DYNAMIC_ARCH …".
std::string openBlasVersion()
{
    const auto config = find<const char *(*)()>(openBlas(), "openblas_get_config");
    const std::string text = config ? config() : "OpenBLAS";
    return text.substr(0, text.find(' ', text.find(' ') + 1));
}

std::string oneDnnVersion()
{
    const auto version = find<const int *(*)()>(oneDnn(), "dnnl_version"); // major, minor, patch, …
    const int *parts = version ? version() : nullptr;
    return parts ? std::format("oneDNN {}.{}.{}", parts[0], parts[1], parts[2]) : "oneDNN";
}

template <class T> std::vector<T> randomNumbers(std::int64_t count, unsigned seed)
{
    std::mt19937 generator(seed);
    std::uniform_real_distribution<T> numbers(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(count));
    std::ranges::generate(values, [&] { return numbers(generator); });
    return values;
}

std::unexpected<support::Diagnostic> noFunction(std::string_view library)
{
    return fail("peer.none", std::format("{} has no function for this computation", library));
}

/// Random matrices, with their strides.
template <class T> struct PeerMatrices {
    explicit PeerMatrices(const MatrixProduct &product)
        : a(randomNumbers<T>(product.m * product.k, 1))
        , b(randomNumbers<T>(product.k * product.n, 2))
        , c(static_cast<std::size_t>(product.m * product.n))
        , strideA(product.transposedA ? product.m : product.k)
        , strideB(product.transposedB ? product.k : product.n)
    {
    }
    std::vector<T> a, b, c;
    std::int64_t strideA, strideB;
};

template <class T> Result<std::function<void()>> openBlasCall(const MatrixProduct &product, const char *name)
{
    const auto gemm = find<Gemm<T>>(openBlas(), name);
    if (!gemm)
        return noFunction("OpenBLAS");
    return [product, gemm, x = std::make_shared<PeerMatrices<T>>(product)] {
        const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
        gemm(rowMajor, product.transposedA ? transposed : plain, product.transposedB ? transposed : plain,
             whole(product.m), whole(product.n), whole(product.k), 1, x->a.data(), whole(x->strideA),
             x->b.data(), whole(x->strideB), 0, x->c.data(), whole(product.n));
    };
}

Result<std::function<void()>> oneDnnProduct(const MatrixProduct &product)
{
    using Sgemm = int (*)(char a, char b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                          const float *x, std::int64_t strideX, const float *y, std::int64_t strideY,
                          float beta, float *z, std::int64_t strideZ);
    const auto gemm = find<Sgemm>(oneDnn(), "dnnl_sgemm");
    if (!gemm || product.isDouble)
        return noFunction("oneDNN");
    return [product, gemm, x = std::make_shared<PeerMatrices<float>>(product)] {
        gemm(product.transposedA ? 'T' : 'N', product.transposedB ? 'T' : 'N', product.m, product.n,
             product.k, 1, x->a.data(), x->strideA, x->b.data(), x->strideB, 0, x->c.data(), product.n);
    };
}

/// Bytes of the arrays.
double sizeOf(const MatrixProduct &product)
{
    return (product.isDouble ? 8.0 : 4.0)
           * (static_cast<double>(product.m) * static_cast<double>(product.k)
              + static_cast<double>(product.k) * static_cast<double>(product.n)
              + static_cast<double>(product.m) * static_cast<double>(product.n));
}

double sizeOf(const Convolution &convolution)
{
    const auto area = [](const Convolution::Pair &pair) {
        return static_cast<double>(pair[0]) * static_cast<double>(pair[1]);
    };
    const auto channels = static_cast<double>(convolution.channels),
               filters = static_cast<double>(convolution.filters),
               batch = static_cast<double>(convolution.batch);
    return 4.0
           * (batch * channels * area(convolution.input) + channels * filters * area(convolution.kernel)
              + batch * filters * area(convolution.output));
}

double sizeOf(const Softmax &softmax)
{
    return 8.0 * static_cast<double>(softmax.rows) * static_cast<double>(softmax.columns);
}

Result<std::function<void()>> callOf(const LibraryKernel &kernel, PeerLibrary library)
{
    const auto *product = std::get_if<MatrixProduct>(&kernel);
    if (library == PeerLibrary::OneDnn) {
        if (const auto *convolution = std::get_if<Convolution>(&kernel))
            return oneDnnCall(oneDnn(), *convolution);
        return product ? oneDnnProduct(*product) : oneDnnCall(oneDnn(), std::get<Softmax>(kernel));
    }
    if (!product)
        return noFunction("OpenBLAS");
    return product->isDouble ? openBlasCall<double>(*product, "cblas_dgemm")
                             : openBlasCall<float>(*product, "cblas_sgemm");
}

} // namespace

support::Diagnostic noLibraryFor(const std::string &kernel)
{
    return support::diagnostic("peer.unknown", "no library is known for the computation of '" + kernel + "'")
        .withHint("a product of two float32 or float64 matrices is compared with OpenBLAS, oneDNN or cuBLAS, "
                  "a convolution or softmax of float32 with oneDNN");
}

Result<void> checkSize(const LibraryKernel &kernel, const std::string &library)
{
    const auto *product = std::get_if<MatrixProduct>(&kernel); // whose library counts with 32 bits
    const std::int64_t longest = product ? std::max({product->m, product->n, product->k}) : 0;
    const double bytes = std::visit([](const auto &each) { return sizeOf(each); }, kernel);
    if (longest <= std::numeric_limits<int>::max() && bytes <= static_cast<double>(mostArrayBytes))
        return {};
    return fail("peer.size", "the arrays are too large to be timed with " + library);
}

std::string_view nameOf(PeerLibrary library)
{
    return library == PeerLibrary::OpenBlas ? "OpenBLAS" : "oneDNN";
}

Result<PeerCall> peerCall(const LibraryKernel &kernel, int threads, PeerLibrary library)
{
    const bool isBlas = library == PeerLibrary::OpenBlas;
    const std::string name(nameOf(library));
    void *found = isBlas ? openBlas() : oneDnn();
    if (!found)
        return fail(support::diagnostic("peer.none", name + " is not on this machine")
                        .withHint(isBlas ? "its package is libopenblas0 in Debian, openblas in others"
                                         : "its package is libdnnl3 in Debian, onednn in others"));
    if (const auto fits = checkSize(kernel, name); !fits)
        return fail(fits.error());
    if (const auto set =
            find<void (*)(int)>(found, isBlas ? "openblas_set_num_threads" : "omp_set_num_threads"))
        set(threads > 0 ? threads : usableThreads());
    auto run = callOf(kernel, library);
    if (!run)
        return fail(run.error());
    return PeerCall{isBlas ? openBlasVersion() : oneDnnVersion(), *std::move(run), found};
}

Result<PeerTime> timePeer(const LibraryKernel &kernel, int threads, PeerLibrary library)
{
    const auto call = peerCall(kernel, threads, library);
    if (!call)
        return fail(call.error());
    const int used = threads > 0 ? threads : usableThreads();
    const OtherLoad load({getpid()});
    PeerTime time{call->library, timeOf(call->run), analysis::flopsOf(kernel), 0, false};
    time.otherLoad = load.processors().value_or(0);
    time.disturbed = disturbs(time.otherLoad, used, usableCores());
    return time;
}

Result<PeerTime> timeFastestPeer(const LibraryKernel &kernel, int threads)
{
    if (!std::holds_alternative<MatrixProduct>(kernel))
        return timePeer(kernel, threads, PeerLibrary::OneDnn);
    auto best = timePeer(kernel, threads, PeerLibrary::OpenBlas);
    auto other = timePeer(kernel, threads, PeerLibrary::OneDnn);
    if (other && (!best || other->seconds.median < best->seconds.median))
        return other;
    return best;
}

support::Json toJson(const LibraryKernel &kernel)
{
    if (const auto *product = std::get_if<MatrixProduct>(&kernel))
        return {{"m", product->m},
                {"n", product->n},
                {"k", product->k},
                {"transposed-a", product->transposedA},
                {"transposed-b", product->transposedB},
                {"double", product->isDouble}};
    if (const auto *softmax = std::get_if<Softmax>(&kernel))
        return {{"rows", softmax->rows}, {"columns", softmax->columns}};
    const auto &convolution = std::get<Convolution>(kernel);
    return {
        {"batch", convolution.batch},   {"channels", convolution.channels}, {"filters", convolution.filters},
        {"input", convolution.input},   {"kernel", convolution.kernel},     {"output", convolution.output},
        {"stride", convolution.stride}, {"dilation", convolution.dilation}, {"padding", convolution.padding}};
}

LibraryKernel libraryKernelFromJson(const support::Json &value)
{
    const auto number = [&](const char *name) { return value.at(name).get<std::int64_t>(); };
    const auto pair = [&](const char *name) { return value.at(name).get<Convolution::Pair>(); };
    if (value.contains("rows"))
        return Softmax{number("rows"), number("columns")};
    if (value.contains("filters"))
        return Convolution{number("batch"), number("channels"), number("filters"),
                           pair("input"),   pair("kernel"),     pair("output"),
                           pair("stride"),  pair("dilation"),   pair("padding")};
    return MatrixProduct{number("m"),
                         number("n"),
                         number("k"),
                         value.at("transposed-a").get<bool>(),
                         value.at("transposed-b").get<bool>(),
                         value.at("double").get<bool>()};
}

support::Json toJson(const PeerTime &time)
{
    return {{"library", time.library},
            {"seconds", time.seconds.median},
            {"seconds_low", time.seconds.low},
            {"seconds_high", time.seconds.high},
            {"flops", time.flops},
            {"gflops", time.gflops()},
            {"other_load", time.otherLoad},
            {"disturbed", time.disturbed}};
}

Result<PeerTime> peerTimeFromJson(const support::Json &value)
{
    try {
        PeerTime time{value.at("library").get<std::string>(),
                      {value.at("seconds_low").get<double>(), value.at("seconds").get<double>(),
                       value.at("seconds_high").get<double>()},
                      value.at("flops").get<double>(),
                      value.at("other_load").get<double>(),
                      value.at("disturbed").get<bool>()};
        const auto isTime = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
        if (!isTime(time.seconds.low) || !isTime(time.seconds.median) || !isTime(time.seconds.high)
            || !isTime(time.flops))
            return fail("peer.bad-time", "the library's time has numbers that cannot be");
        return time;
    } catch (const std::exception &error) {
        return fail("peer.bad-time", std::string("the library's time cannot be read: ") + error.what());
    }
}

} // namespace nestwright::measure
