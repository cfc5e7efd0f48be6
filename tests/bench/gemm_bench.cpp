// SPDX-License-Identifier: Apache-2.0
/// The matmul ladder beside the sgemm of OpenBLAS and oneDNN: same process, same threads, alternating calls.
/// Prints ratios.
///
/// bench_gemm [SIZE] from the project's root; SIZE is M = N = K, 1024 if not given.

#include "core/backend/backend.h"
#include "core/backend/loaded_kernel.h"
#include "core/backend/runtime.h"
#include "core/measure/statistics.h"
#include "core/schedule/script/reader.h"
#include "core/session/open_kernel.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

using namespace nestwright;

namespace {

constexpr int rounds = 9;

/// A library's C = A · B, n × n.
struct Library {
    std::string name;
    std::function<void(int n, const float *a, const float *b, float *c)> product;
    std::function<void(int threads)> setThreads;
    std::vector<double> times;
};

template <class Function> Function find(void *library, const char *name)
{
    return reinterpret_cast<Function>(library ? dlsym(library, name) : nullptr);
}

/// Those that are on this machine.
std::vector<Library> libraries()
{
    std::vector<Library> found;
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW), *dnnl = dlopen("libdnnl.so", RTLD_NOW);
    using CblasSgemm =
        void (*)(int order, int transA, int transB, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
    if (const auto sgemm = find<CblasSgemm>(blas, "cblas_sgemm")) {
        constexpr int rowMajor = 101, plain = 111;
        found.push_back({"OpenBLAS",
                         [sgemm](int n, const float *a, const float *b, float *c) {
                             sgemm(rowMajor, plain, plain, n, n, n, 1, a, n, b, n, 0, c, n);
                         },
                         find<void (*)(int)>(blas, "openblas_set_num_threads"),
                         {}});
    }
    using DnnlSgemm = int (*)(char transA, char transB, std::int64_t m, std::int64_t n, std::int64_t k,
                              float alpha, const float *a, std::int64_t lda, const float *b, std::int64_t ldb,
                              float beta, float *c, std::int64_t ldc);
    if (const auto sgemm = find<DnnlSgemm>(dnnl, "dnnl_sgemm")) {
        found.push_back({"oneDNN",
                         [sgemm](int n, const float *a, const float *b, float *c) {
                             sgemm('N', 'N', n, n, n, 1, a, n, b, n, 0, c, n);
                         },
                         find<void (*)(int)>(dnnl, "omp_set_num_threads"),
                         {}});
    }
    return found;
}

template <class T> T orExit(support::Result<T> result)
{
    if (result)
        return std::move(*result);
    std::fprintf(stderr, "%s\n", result.error().render().c_str());
    std::exit(1);
}

double seconds(const auto &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Rung {
    std::string name;
    std::unique_ptr<backend::LoadedKernel> kernel;
    std::vector<double> times;
};

std::vector<Rung> loadLadder(int size)
{
    const std::string text = std::to_string(size);
    auto loaded = orExit(session::openKernel("op:matmul(M=" + text + ",N=" + text + ",K=" + text + ")"));
    const auto state = orExit(schedule::makeState(loaded.module));
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator("examples/schedules/matmul"))
        files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Rung> rungs;
    for (const auto &file : files) {
        std::ifstream stream(file);
        std::stringstream script;
        script << stream.rdbuf();
        const auto run = orExit(schedule::runScheduleScript(state, script.str(), file.string()));
        const auto artifact = orExit(backend::compile(run.state.module, {}));
        rungs.push_back({file.stem().string(), orExit(backend::load(artifact)), {}});
    }
    return rungs;
}

/// How many times as fast the rung is, in the rounds that both have.
double ratioTo(const Library &library, const Rung &rung)
{
    const std::vector<double> pairs(library.times.begin(),
                                    library.times.begin() + static_cast<long>(rung.times.size()));
    return measure::pairedSpeedup(pairs, rung.times, pairs).ratio.median;
}

/// Idle threads of a library that spin have gone to sleep by then.
void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

void compareWith(std::vector<Library> peers, int size, int threads)
{
    std::vector<Rung> rungs = loadLadder(size);
    nestwright_set_threads(threads);
    ir::NdArray a(ir::DataType::float32(), {size, size}), b = a, c = a;
    a.fillRandom(1);
    b.fillRandom(2);
    ir::NdArray *arrays[] = {&a, &b, &c};
    const auto call = [&](const Library &library) {
        library.product(size, a.data<float>(), b.data<float>(), c.data<float>());
    };
    for (const Library &library : peers) {
        if (library.setThreads)
            library.setThreads(threads);
        call(library);
    }
    for (int round = 0; round < rounds; ++round) {
        for (Library &library : peers) {
            pause();
            call(library);
            library.times.push_back(seconds([&] { call(library); }));
        }
        pause();
        for (Rung &rung : rungs) {
            // The slow rungs say enough in three rounds.
            if (round >= 3 && measure::median(rung.times) > 0.2)
                continue;
            rung.times.push_back(seconds([&] {
                if (!backend::call(*rung.kernel, "main", arrays))
                    std::abort(); // it ran when it was loaded
            }));
        }
    }
    const double flops = 2.0 * size * size * size;
    std::printf("matmul %d^3 float32, %d thread%s:", size, threads, threads == 1 ? "" : "s");
    for (const Library &library : peers)
        std::printf(" %s %.1f GFLOPS", library.name.c_str(), flops / measure::median(library.times) * 1e-9);
    std::printf("\n  %-16s %9s", "rung", "GFLOPS");
    for (const Library &library : peers)
        std::printf(" %14s", ("of " + library.name).c_str());
    std::printf(" %12s\n", "of naive");
    for (const Rung &rung : rungs) {
        std::printf("  %-16s %9.2f", rung.name.c_str(), flops / measure::median(rung.times) * 1e-9);
        for (const Library &library : peers)
            std::printf(" %13.3fx", ratioTo(library, rung));
        std::printf(" %11.1fx\n", measure::median(rungs.front().times) / measure::median(rung.times));
    }
}

} // namespace

int main(int argc, char **argv)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
    const int size = argc > 1 ? std::atoi(argv[1]) : 1024;
    const std::vector<Library> peers = libraries();
    if (size < 64 || size % 128 != 0 || peers.empty()) {
        std::fprintf(stderr, "SIZE must be a multiple of 128, and OpenBLAS or oneDNN must be installed\n");
        return 2;
    }
    for (const int threads : {1, 2})
        compareWith(peers, size, threads);
    return 0;
}
