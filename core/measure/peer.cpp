// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peer.h"

#include "core/measure/call_time.h"
#include "core/measure/other_load.h"
#include "core/support/json.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <limits>
#include <memory>
#include <random>
#include <unistd.h>

namespace nestwright::measure {

using analysis::MatrixProduct;
using support::fail;
using support::Result;

namespace {

constexpr std::int64_t mostMatrixBytes = std::int64_t{4} << 30;

// The numbers of the C interface of BLAS (Netlib's CBLAS).
constexpr int rowMajor = 101, plain = 111, transposed = 112;

template <class T>
using Gemm = void (*)(int order, int a, int b, int m, int n, int k, T alpha, const T *x, int strideX,
                      const T *y, int strideY, T beta, T *z, int strideZ);

/// The library, which stays loaded: its threads live as long as the process.
void *openBlas()
{
    static void *library = [] {
        void *found = nullptr;
        for (const char *name : {"libopenblas.so.0", "libopenblas.so"}) {
            if (!found)
                found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
        return found;
    }();
    return library;
}

template <class Function> Function find(const char *name)
{
    return reinterpret_cast<Function>(dlsym(openBlas(), name));
}

/// "OpenBLAS 0.3.29" of "OpenBLAS 0.3.29 NO_LAPACKE DYNAMIC_ARCH …".
std::string versionOf()
{
    const auto config = find<const char *(*)()>("openblas_get_config");
    const std::string text = config ? config() : "OpenBLAS";
    return text.substr(0, text.find(' ', text.find(' ') + 1));
}

template <class T> std::vector<T> randomNumbers(std::int64_t count, unsigned seed)
{
    std::mt19937 generator(seed);
    std::uniform_real_distribution<T> numbers(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(count));
    std::ranges::generate(values, [&] { return numbers(generator); });
    return values;
}

template <class T> Result<Interval> timeGemm(const MatrixProduct &product, const char *name)
{
    const auto gemm = find<Gemm<T>>(name);
    if (!gemm)
        return fail("peer.none", std::string("the library has no ") + name);
    const auto a = randomNumbers<T>(product.m * product.k, 1), b = randomNumbers<T>(product.k * product.n, 2);
    std::vector<T> c(static_cast<std::size_t>(product.m * product.n));
    const int m = static_cast<int>(product.m), n = static_cast<int>(product.n),
              k = static_cast<int>(product.k);
    return timeOf([&] {
        gemm(rowMajor, product.transposedA ? transposed : plain, product.transposedB ? transposed : plain, m,
             n, k, 1, a.data(), product.transposedA ? m : k, b.data(), product.transposedB ? k : n, 0,
             c.data(), n);
    });
}

} // namespace

Result<void> checkSize(const MatrixProduct &product, const std::string &library)
{
    const std::int64_t longest = std::max({product.m, product.n, product.k});
    const double bytes = (product.isDouble ? 8.0 : 4.0)
                         * (static_cast<double>(product.m) * static_cast<double>(product.k)
                            + static_cast<double>(product.k) * static_cast<double>(product.n)
                            + static_cast<double>(product.m) * static_cast<double>(product.n));
    if (longest <= std::numeric_limits<int>::max() && bytes <= static_cast<double>(mostMatrixBytes))
        return {};
    return fail("peer.size", "the matrices are too large to be timed with " + library);
}

Result<PeerTime> timePeer(const MatrixProduct &product, int threads)
{
    if (!openBlas())
        return fail(support::diagnostic("peer.none", "OpenBLAS is not on this machine")
                        .withHint("its package is libopenblas0 in Debian, openblas in others"));
    if (const auto fits = checkSize(product, "OpenBLAS"); !fits)
        return fail(fits.error());
    const int used = threads > 0 ? threads : usableCores();
    if (const auto set = find<void (*)(int)>("openblas_set_num_threads"))
        set(used);
    const OtherLoad load({getpid()});
    const auto seconds =
        product.isDouble ? timeGemm<double>(product, "cblas_dgemm") : timeGemm<float>(product, "cblas_sgemm");
    if (!seconds)
        return fail(seconds.error());
    PeerTime time{versionOf(), *seconds, 0, load.processors().value_or(0), false};
    time.flops = product.flops();
    time.disturbed = disturbs(time.otherLoad, used, usableCores());
    return time;
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
