// SPDX-License-Identifier: Apache-2.0
/// The matmul ladder beside OpenBLAS's sgemm: same process, same threads, alternating calls. Prints ratios.
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
#include <sstream>

using namespace nestwright;

namespace {

constexpr int rounds = 9;

using Sgemm = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha, const float *a,
                       int lda, const float *b, int ldb, float beta, float *c, int ldc);
using SetThreads = void (*)(int);

struct OpenBlas {
    Sgemm sgemm = nullptr;
    SetThreads setThreads = nullptr;
};

OpenBlas loadOpenBlas()
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library)
        return {};
    return {reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm")),
            reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"))};
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

void compareWith(const OpenBlas &blas, int size, int threads)
{
    std::vector<Rung> rungs = loadLadder(size);
    nestwright_set_threads(threads);
    blas.setThreads(threads);
    ir::NdArray a(ir::DataType::float32(), {size, size}), b = a, c = a;
    a.fillRandom(1);
    b.fillRandom(2);
    ir::NdArray *arrays[] = {&a, &b, &c};
    std::vector<double> reference;
    const auto callBlas = [&] {
        constexpr int rowMajor = 101, noTranspose = 111;
        blas.sgemm(rowMajor, noTranspose, noTranspose, size, size, size, 1, a.data<float>(), size,
                   b.data<float>(), size, 0, c.data<float>(), size);
    };
    callBlas();
    for (int round = 0; round < rounds; ++round) {
        reference.push_back(seconds(callBlas));
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
    std::printf("matmul %d^3 float32, %d thread%s: OpenBLAS %.1f GFLOPS\n", size, threads,
                threads == 1 ? "" : "s", flops / measure::median(reference) * 1e-9);
    std::printf("  %-14s %9s %14s %12s\n", "rung", "GFLOPS", "of OpenBLAS", "of naive");
    for (const Rung &rung : rungs) {
        const std::vector<double> pairs(reference.begin(),
                                        reference.begin() + static_cast<long>(rung.times.size()));
        const auto ratio = measure::pairedSpeedup(pairs, rung.times, pairs).ratio;
        std::printf("  %-14s %9.2f %13.3fx %11.1fx\n", rung.name.c_str(),
                    flops / measure::median(rung.times) * 1e-9, ratio.median,
                    measure::median(rungs.front().times) / measure::median(rung.times));
    }
}

} // namespace

int main(int argc, char **argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 1024;
    const OpenBlas blas = loadOpenBlas();
    if (size < 64 || size % 64 != 0 || !blas.sgemm || !blas.setThreads) {
        std::fprintf(stderr, "SIZE must be a multiple of 64, and libopenblas must be installed\n");
        return 2;
    }
    for (const int threads : {1, 2})
        compareWith(blas, size, threads);
    return 0;
}
