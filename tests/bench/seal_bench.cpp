// SPDX-License-Identifier: Apache-2.0
// The seal of scheduled kernels beside the interpreter's own run of both programs: counter "ratio", of the
// best times of each. "window": the milliseconds that the window's seal takes, with the choice of sizes.
#include "core/explore/judge/seal_path.h"
#include "core/frontend/open_kernel.h"
#include "core/interp/interpreter.h"
#include "core/session/reuse/recipe.h"
#include "core/support/files/input_file.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

namespace {

using namespace nestwright;
using explore::StepPath;

/// Of the processor, which other programs do not change.
double secondsSince(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

/// `schedule`: a file, or a recipe.
StepPath pathOf(const std::string &kernel, const std::string &schedule)
{
    const schedule::State state = schedule::makeState(frontend::openKernel(kernel).value().module).value();
    const auto run = schedule.ends_with(".py")
                         ? schedule::runScheduleScript(state, support::readText(schedule).value(), schedule)
                         : session::runRecipe(state, session::findRecipe(schedule).value());
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run.value().steps)
        steps.push_back(each.step);
    return StepPath::along(state, steps).value();
}

double interpretedSeconds(const ir::PrimFunc &function)
{
    std::vector<ir::NdArray> arrays = interp::makeArguments(function, 1).value();
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    const auto start = std::clock();
    interp::run(function, pointers).value();
    return secondsSince(start);
}

void sealed(benchmark::State &state, const char *kernel, const char *schedule)
{
    constexpr explore::SealCut window{.work = 1e7};
    const StepPath path = pathOf(kernel, schedule);
    const StepPath cut = explore::sizesToSeal(path, {.work = 1e8}).value().path;
    double interpreted = 1e9, sealed = 1e9, inWindow = 1e9, cutting = 1e9;
    for (auto each : state) {
        double both = 0;
        for (const ir::Module *module : {&cut.state(0).module, &cut.end().module})
            both += interpretedSeconds(*module->mainEntry()->function);
        interpreted = std::min(interpreted, both);
        auto start = std::clock();
        benchmark::DoNotOptimize(explore::seal(cut.state(0).module, cut.end().module));
        sealed = std::min(sealed, secondsSince(start));
        start = std::clock();
        benchmark::DoNotOptimize(explore::sealPath(path, window));
        inWindow = std::min(inWindow, secondsSince(start));
        start = std::clock();
        benchmark::DoNotOptimize(explore::sizesToSeal(path, window));
        cutting = std::min(cutting, secondsSince(start));
    }
    state.counters["ratio"] = sealed / interpreted;
    state.counters["seal_ms"] = sealed * 1e3;
    state.counters["window_ms"] = inWindow * 1e3;
    state.counters["cut_ms"] = cutting * 1e3;
}

} // namespace

BENCHMARK_CAPTURE(sealed, matmul, "examples/matmul.py", "examples/schedules/matmul/10_unroll_terms.py");
BENCHMARK_CAPTURE(sealed, gemm, "examples/matmul.py", "gemm:threads=2");
BENCHMARK_CAPTURE(sealed, conv2d, "examples/conv2d.py", "conv2d");
BENCHMARK_CAPTURE(sealed, softmax, "examples/softmax.py", "rows");
BENCHMARK_CAPTURE(sealed, layer_norm, "examples/gpu/layer_norm.py", "rows");
BENCHMARK_CAPTURE(sealed, gemm_int8, "examples/matmul_int8.py", "gemm_int8:threads=2,tiles=1");
BENCHMARK_CAPTURE(sealed, gpu_matmul, "examples/matmul.py",
                  "examples/schedules/gpu_matmul/6_double_buffer.py");
