// SPDX-License-Identifier: Apache-2.0
/// What a click costs: applying a step, checking every primitive, printing, lowering, source of each kind.

#include "core/backend/backend.h"
#include "core/lower/pipeline.h"
#include "core/ops/open_kernel.h"
#include "core/schedule/apply.h"
#include "core/schedule/script_reader.h"
#include "core/script/printer.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace nestwright;

namespace {

constexpr const char *topRung = "examples/schedules/matmul/5_unroll.py";

template <class T> T orExit(support::Result<T> result)
{
    if (result)
        return std::move(*result);
    std::fprintf(stderr, "%s\n", result.error().render().c_str());
    std::exit(1);
}

schedule::State initialState()
{
    return orExit(schedule::makeState(orExit(ops::openKernel("op:matmul(M=1024,N=1024,K=1024)")).module));
}

const schedule::ScriptRun &scheduledMatmul()
{
    static const schedule::ScriptRun run = [] {
        std::ifstream file(topRung);
        std::stringstream text;
        text << file.rdbuf();
        return orExit(schedule::runScheduleScript(initialState(), text.str(), topRung));
    }();
    return run;
}

/// Every step of the ladder's last rung, replayed from the start.
void replay(benchmark::State &state)
{
    const schedule::State initial = initialState();
    const auto &run = scheduledMatmul();
    for (auto round : state) {
        schedule::State current = initial;
        for (const schedule::ScriptStep &step : run.steps)
            current = orExit(schedule::apply(current, step.step)).state;
        benchmark::DoNotOptimize(current);
    }
    state.counters["steps"] = static_cast<double>(run.steps.size());
}
BENCHMARK(replay)->Unit(benchmark::kMillisecond);

void print(benchmark::State &state)
{
    const ir::Module &module = scheduledMatmul().state.module;
    for (auto round : state)
        benchmark::DoNotOptimize(script::print(module));
}
BENCHMARK(print)->Unit(benchmark::kMillisecond);

void lowering(benchmark::State &state)
{
    const ir::Module &module = scheduledMatmul().state.module;
    for (auto round : state)
        benchmark::DoNotOptimize(orExit(lower::lower(module, {})));
}
BENCHMARK(lowering)->Unit(benchmark::kMillisecond);

void source(benchmark::State &state, backend::SourceKind kind)
{
    const ir::Module &module = scheduledMatmul().state.module;
    lower::Target target;
    target.kind = backend::sourceFormat(kind).target;
    for (auto round : state)
        benchmark::DoNotOptimize(orExit(backend::source(module, target, kind)));
}
BENCHMARK_CAPTURE(source, c, backend::SourceKind::C)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(source, llvm, backend::SourceKind::LlvmIr)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(source, assembly, backend::SourceKind::Asm)->Unit(benchmark::kMillisecond);

} // namespace
