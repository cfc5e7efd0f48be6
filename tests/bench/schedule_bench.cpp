// SPDX-License-Identifier: Apache-2.0
/// Times one click in the schedule engine: a step, and the checks of all primitives for a selection.
#include "core/frontend/open_kernel.h"
#include "core/schedule/apply.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "core/script/tvmscript/parser.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <format>

using namespace nestwright;

namespace {

/// `count` element-wise blocks one after the other, each under two loops and split once: three loops per
/// block.
schedule::State chain(int count)
{
    std::string text = "@T.prim_func\ndef main(A: T.Buffer((64, 64), \"float32\"), B"
                       + std::to_string(count - 1) + ": T.Buffer((64, 64), \"float32\")):\n";
    for (int i = 0; i + 1 < count; ++i)
        text += "    B" + std::to_string(i) + " = T.alloc_buffer((64, 64))\n";
    for (int i = 0; i < count; ++i) {
        const std::string name = "B" + std::to_string(i), before = i ? "B" + std::to_string(i - 1) : "A";
        text += std::format(R"(    for i, j_0, j_1 in T.grid(64, 8, 8):
        with T.block("{0}"):
            vi = T.axis.spatial(64, i)
            vj = T.axis.spatial(64, j_0 * 8 + j_1)
            {0}[vi, vj] = {1}[vi, vj] + T.float32(1)
)",
                            name, before);
    }
    return *schedule::makeState(*script::parseTvmScript(text, "chain.py"));
}

ir::StmtId firstLoop(const schedule::State &state, const char *block)
{
    const analysis::FunctionIndex &index = *state.index->function("main");
    return index.loopsOf(*index.blockByName(block)).front();
}

void applyStep(benchmark::State &timing, const char *primitive,
               std::vector<std::pair<std::string_view, schedule::ArgValue>> args)
{
    const schedule::State state = chain(3);
    for (auto &[name, value] : args) {
        if (name == "loop")
            value = firstLoop(state, "B2");
        if (name == "block")
            value = *state.index->function("main")->blockByName("B1");
    }
    const schedule::Step step = *schedule::makeStep(primitive, args);
    for ([[maybe_unused]] auto round : timing) {
        // The facts about a state are made once per state, so each round gets a fresh one.
        const auto fresh = schedule::makeState(state.module);
        benchmark::DoNotOptimize(schedule::apply(*fresh, step));
    }
}

/// Every primitive with the selected block and its outermost loops in the places where loops and blocks go.
std::vector<schedule::Step> everyPrimitive(const schedule::State &state, const char *blockName)
{
    const analysis::FunctionIndex &index = *state.index->function("main");
    const ir::StmtId block = *index.blockByName(blockName), loop = index.loopsOf(block).front();
    std::vector<schedule::Step> steps;
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        schedule::Step step{&primitive, {}};
        for (const schedule::Field &field : primitive.fields) {
            using schedule::FieldKind;
            schedule::ArgValue value = field.fallback ? *field.fallback : schedule::ArgValue(std::int64_t{0});
            if (field.kind == FieldKind::Block || field.kind == FieldKind::BlockOrLoop)
                value = block;
            else if (field.kind == FieldKind::Loop)
                value = loop;
            else if (field.kind == FieldKind::Loops)
                value = schedule::ArgList{loop, index.loopsOf(block)[1]};
            else if (field.kind == FieldKind::OptionalInts)
                value = schedule::ArgList{schedule::ArgValue(), 4};
            else if (field.kind == FieldKind::String || field.kind == FieldKind::Choice)
                value = field.choices.empty() ? blockName : std::string(field.choices.front());
            step.args.push_back(value);
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

void checkAll(benchmark::State &timing, const schedule::State &state, const char *block)
{
    const std::vector<schedule::Step> steps = everyPrimitive(state, block);
    for ([[maybe_unused]] auto round : timing) {
        const auto fresh = schedule::makeState(state.module);
        for (const schedule::Step &step : steps)
            benchmark::DoNotOptimize(schedule::check(*fresh, step));
    }
}

void allChecks(benchmark::State &timing) { checkAll(timing, chain(34), "B20"); } // 102 loops

/// A layer of ResNet-50.
schedule::State convolution()
{
    const auto kernel =
        frontend::openKernel("op:conv2d(N=1,C=64,H=56,W=56,F=64,KH=3,KW=3,stride=1,padding=1)");
    return *schedule::makeState(kernel->module);
}

/// Tiled, cached and annotated in 60 steps, get_block and get_loops among them.
schedule::ScriptRun scheduledConvolution(const schedule::State &state)
{
    std::string script = R"(
conv = sch.get_block("Y")
n, f, h, w, c, kh, kw = sch.get_loops(conv)
f0, f1, f2, f3 = sch.split(f, [2, 4, 2, 4])
h0, h1, h2 = sch.split(h, [None, 2, 4])
w0, w1, w2 = sch.split(w, [None, 7, 4])
c0, c1 = sch.split(c, [None, 4])
sch.reorder(n, f0, h0, w0, f1, h1, w1, c0, kh, kw, c1, h2, w2, f2, f3)
out = sch.cache_write(conv, 0, "global")
sch.reverse_compute_at(out, w1)
a = sch.cache_read(conv, 0, "global")
sch.compute_at(a, c0)
b = sch.cache_read(conv, 1, "global")
sch.compute_at(b, c0)
pad = sch.get_block("pad")
sch.compute_at(pad, h0)
p = sch.fuse(n, f0)
p = sch.fuse(p, h0)
sch.parallel(p)
sch.unroll(c1)
)";
    for (const char *copy : {"pad", "out", "a", "b"})
        script += std::string("l = sch.get_loops(") + copy
                  + ")\nx, y = sch.split(l[-1], [None, 2])\n"
                    "sch.unroll(y)\n";
    int steps = 31;
    for (; steps < 60; ++steps)
        script +=
            "sch.annotate(conv, \"note" + std::to_string(steps) + "\", " + std::to_string(steps) + ")\n";
    return *schedule::runScheduleScript(state, script, "conv.py");
}

void replayOf60Steps(benchmark::State &timing)
{
    const schedule::State initial = convolution();
    const schedule::ScriptRun run = scheduledConvolution(initial);
    timing.counters["steps"] = static_cast<double>(run.steps.size());
    for ([[maybe_unused]] auto round : timing) {
        schedule::State state = initial;
        for (const schedule::ScriptStep &step : run.steps)
            state = schedule::apply(state, step.step)->state;
        benchmark::DoNotOptimize(state);
    }
}

void checksAfter60Steps(benchmark::State &timing)
{
    checkAll(timing, scheduledConvolution(convolution()).state, "Y");
}

/// The median over all primitives that are legal or refused on the scheduled convolution, each on facts made
/// anew.
void applyAfter60Steps(benchmark::State &timing)
{
    const schedule::State state = scheduledConvolution(convolution()).state;
    const std::vector<schedule::Step> steps = everyPrimitive(state, "Y");
    std::vector<double> micros;
    for ([[maybe_unused]] auto round : timing) {
        for (const schedule::Step &step : steps) {
            const auto fresh = schedule::makeState(state.module);
            const auto start = std::chrono::steady_clock::now();
            benchmark::DoNotOptimize(schedule::apply(*fresh, step));
            micros.push_back(
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        }
    }
    std::ranges::nth_element(micros, micros.begin() + static_cast<std::ptrdiff_t>(micros.size() / 2));
    timing.counters["median_us"] = micros[micros.size() / 2];
    timing.counters["worst_us"] = std::ranges::max(micros);
}

} // namespace

BENCHMARK_CAPTURE(applyStep, split, "split", {{"loop", {}}, {"factors", schedule::ArgList{{}, 4}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(applyStep, parallel, "parallel", {{"loop", {}}})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(applyStep, compute_at, "compute_at", {{"block", {}}, {"loop", {}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(applyStep, compute_inline, "compute_inline", {{"block", {}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(applyStep, cache_read, "cache_read",
                  {{"block", {}}, {"read_buffer_index", 0}, {"storage_scope", "local"}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(allChecks)->Unit(benchmark::kMillisecond);
BENCHMARK(replayOf60Steps)->Unit(benchmark::kMillisecond);
BENCHMARK(checksAfter60Steps)->Unit(benchmark::kMillisecond);
BENCHMARK(applyAfter60Steps)->Unit(benchmark::kMillisecond);
