// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "app/cli/model.h"
#include "core/analysis/counts.h"
#include "core/backend/runtime.h"
#include "core/graph/compile.h"
#include "core/measure/statistics.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <format>
#include <iostream>

namespace nestwright::cli {

using support::fail;
using support::Result;

namespace {

struct BenchModelOptions : ModelOptions {
    std::string target = "llvm";
    int repetitions = 10;
    int threads = 0;
    int timeout = 600;
    bool kernels = false;
};

struct KernelTime {
    std::string name;
    std::size_t uses = 0;
    double seconds = 0; ///< of all its calls together
    double flops = 0;   ///< of all its calls together
};

double median(std::vector<double> samples)
{
    std::ranges::sort(samples);
    return samples[samples.size() / 2];
}

std::string table(std::vector<KernelTime> times, double whole)
{
    std::ranges::sort(times, std::greater(), &KernelTime::seconds);
    std::string text =
        std::format("{:<44} {:>5} {:>10} {:>7} {:>8}\n", "kernel", "nodes", "time ms", "share", "GFLOPS");
    for (const KernelTime &time : times) {
        text += std::format("{:<44} {:>5} {:>10.3f} {:>6.1f}% {:>8.1f}\n", time.name, time.uses,
                            time.seconds * 1e3, 100 * time.seconds / whole,
                            time.seconds > 0 ? time.flops / time.seconds * 1e-9 : 0);
    }
    return text;
}

Result<void> bench(OpenedModel opened, const lower::Target &target, const BenchModelOptions &options)
{
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    nestwright_set_threads(options.threads);
    auto program = graph::makeProgram(std::move(opened.imported.function));
    if (!program)
        return fail(program.error());
    const Clock::time_point begin = Clock::now();
    auto executor = graph::makeExecutor(std::move(*program), target);
    if (!executor)
        return fail(executor.error());
    const double compiling = since(begin);
    const graph::Program &made = executor->program();
    const std::vector<int> inputs = made.function.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const graph::Node &input = made.function.at(inputs[i]);
        const auto data = opened.data.find(input.name);
        ir::NdArray random(input.types[0].dtype, *input.types[0].constantShape());
        random.fillRandom(i + 1);
        if (auto set = executor->setInput(i, data == opened.data.end() ? random : *data->second); !set)
            return set;
    }
    if (auto warm = executor->run(); !warm)
        return warm;
    std::vector<double> whole;
    std::vector<std::vector<double>> steps;
    for (int i = 0; i < options.repetitions; ++i) {
        const Clock::time_point start = Clock::now();
        if (auto done = executor->run(); !done)
            return done;
        whole.push_back(since(start));
        steps.emplace_back();
        if (auto done = executor->run(steps.back()); !done)
            return done;
    }
    const double time = median(whole);
    std::cout << std::format(
        "{}: {:.3f} ms (fastest {:.3f}), {} kernels for {} nodes compiled in {:.1f} s, {:.1f} MB of memory\n",
        options.model, time * 1e3, *std::ranges::min_element(whole) * 1e3, made.kernels.size(),
        made.steps.size(), compiling, static_cast<double>(made.memory.bytes) * 1e-6);
    if (!options.kernels)
        return {};
    std::vector<KernelTime> times;
    for (const graph::Kernel &kernel : made.kernels) {
        const double flops = analysis::countsOf(*kernel.module.mainEntry()->function).flops;
        times.push_back(
            {kernel.name, kernel.nodes.size(), 0, flops * static_cast<double>(kernel.nodes.size())});
    }
    for (std::size_t i = 0; i < made.steps.size(); ++i) {
        std::vector<double> samples;
        for (const std::vector<double> &run : steps)
            samples.push_back(run[i]);
        times[static_cast<std::size_t>(made.steps[i].kernel)].seconds += median(samples);
    }
    std::cout << table(std::move(times), time) << std::flush;
    return {};
}

int run(const BenchModelOptions &options)
{
    const auto target = lower::parseTarget(options.target);
    if (!target)
        return report(target.error());
    auto opened = openModel(options);
    if (!opened)
        return report(opened.error());
    return inChild(options.timeout, [&]() -> int {
        const auto done = bench(std::move(*opened), *target, options);
        std::cout << std::flush;
        return done ? Done : report(done.error());
    });
}

} // namespace

std::function<int()> declareBenchModel(CLI::App &app)
{
    auto options = std::make_shared<BenchModelOptions>();
    options->add(app);
    options->addInputs(app);
    app.add_option("--target", options->target, "what code is made for")->capture_default_str();
    app.add_option("--repetitions", options->repetitions, "how often it runs")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--threads", options->threads, "of parallel loops; 0: all cores")->capture_default_str();
    app.add_option("--timeout", options->timeout, "seconds after which the model is stopped")
        ->capture_default_str();
    app.add_flag("--kernels", options->kernels, "list the time of each kernel");
    return [options] { return run(*options); };
}

} // namespace nestwright::cli
