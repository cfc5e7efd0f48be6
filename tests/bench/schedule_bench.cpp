// SPDX-License-Identifier: Apache-2.0
/// What one click costs in the schedule engine: a step, and the checks of all primitives for a selection.
#include "core/schedule/apply.h"
#include "core/schedule/script_reader.h"
#include "core/schedule/state_index.h"
#include "core/script/tvmscript_parser.h"

#include <benchmark/benchmark.h>

using namespace nestwright;

namespace {

/// `count` element-wise blocks one after the other, each under two loops and split once: three loops per block.
schedule::State chain(int count)
{
    std::string text = "@T.prim_func\ndef main(A: T.Buffer((64, 64), \"float32\"), B"
                       + std::to_string(count - 1) + ": T.Buffer((64, 64), \"float32\")):\n";
    for (int i = 0; i + 1 < count; ++i)
        text += "    B" + std::to_string(i) + " = T.alloc_buffer((64, 64))\n";
    for (int i = 0; i < count; ++i) {
        const std::string name = "B" + std::to_string(i), before = i ? "B" + std::to_string(i - 1) : "A";
        text += "    for i, j_0, j_1 in T.grid(64, 8, 8):\n        with T.block(\"" + name
                + "\"):\n"
                  "            vi = T.axis.spatial(64, i)\n            vj = T.axis.spatial(64, j_0 * 8 + "
                  "j_1)\n            "
                + name + "[vi, vj] = " + before + "[vi, vj] + T.float32(1)\n";
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
    for (auto _ : timing) {
        // The facts about a state are made once per state, so each round gets a fresh one.
        const auto fresh = schedule::makeState(state.module);
        benchmark::DoNotOptimize(schedule::apply(*fresh, step));
    }
}

/// Every primitive with the selected loop and its block in the places where loops and blocks go.
void allChecks(benchmark::State &timing)
{
    const schedule::State state = chain(34); // 102 loops
    const analysis::FunctionIndex &index = *state.index->function("main");
    const ir::StmtId block = *index.blockByName("B20"), loop = index.loopsOf(block).front();
    std::vector<schedule::Step> steps;
    for (const schedule::Primitive *primitive : schedule::primitives()) {
        schedule::Step step{primitive, {}};
        for (const schedule::Field &field : primitive->fields) {
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
                value = field.choices.empty() ? "B20" : std::string(field.choices.front());
            step.args.push_back(value);
        }
        steps.push_back(std::move(step));
    }
    for (auto _ : timing) {
        const auto fresh = schedule::makeState(state.module);
        for (const schedule::Step &step : steps)
            benchmark::DoNotOptimize(schedule::check(*fresh, step));
    }
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
