// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/model.h"
#include "core/graph/passes/change.h"
#include "core/graph/program/compile.h"
#include "core/graph/strategy/strategy.h"
#include "core/schedule/script/writer.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>

namespace nestwright::cli {

namespace {

struct GraphOptions : ModelOptions {
    std::string target = "llvm";
    std::string form = "relay";
    std::string kernel; ///< whose default schedule is printed
    std::string after;  ///< the pass after which the graph is shown, or "import"; empty: the last
    std::string output;
};

/// One line per distinct kernel: its name, how many nodes use it, and the results of the first of them.
std::string tasksText(const graph::Program &program)
{
    std::string text;
    for (const graph::Kernel &kernel : program.kernels) {
        const graph::Node &node = program.function.at(kernel.nodes.front());
        text += std::format("{:<40} {:>4} × {}\n", kernel.name, kernel.nodes.size(), node.types[0].str());
    }
    return text;
}

/// One line per result that has a place in the model's memory: where it begins, its bytes, and the value
/// whose place it takes; then sums.
support::Result<std::string> memoryText(graph::Program program, const graph::Schedules &schedules)
{
    if (const auto modules = graph::scheduleKernels(program, schedules); !modules)
        return support::fail(modules.error());
    const graph::Function &function = program.function;
    std::string text = std::format("{:<40} {:>12} {:>12}  {}\n", "result", "at", "bytes", "in place of");
    for (int i = 0; i < static_cast<int>(function.nodes.size()); ++i) {
        const std::vector<std::int64_t> &offsets = program.memory.offsets[static_cast<std::size_t>(i)];
        for (int k = 0; k < static_cast<int>(offsets.size()); ++k) {
            const std::int64_t begin = offsets[static_cast<std::size_t>(k)];
            if (begin == graph::MemoryPlan::none)
                continue;
            const std::int64_t bytes = graph::bytesOf(function.typeOf({i, k}));
            const auto home = program.memory.inPlaceOf.find({i, k});
            const bool inPlace = home != program.memory.inPlaceOf.end();
            text += std::format("{:<40} {:>12} {:>12}  {}\n", graph::displayName(function, i), begin, bytes,
                                inPlace ? graph::displayName(function, home->second.node) : "");
        }
    }
    return text
           + std::format("{} bytes for results, {} if none took the place of another; {} with the workspace "
                         "of kernels\n",
                         program.memory.resultBytes, graph::planMemory(function).resultBytes,
                         program.memory.bytes);
}

std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (const char c : text)
        result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result + '"';
}

/// In the language of Graphviz.
std::string dotText(const graph::Function &function)
{
    std::string text = "digraph model {\n  node [shape=box];\n";
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
        const graph::Node &node = function.nodes[i];
        if (node.isConstant())
            continue;
        text +=
            std::format("  n{} [label={}];\n", i, quoted(graph::displayName(function, static_cast<int>(i))));
        for (const graph::Value input : node.inputs) {
            if (!function.at(input).isConstant())
                text += std::format("  n{} -> n{} [label={}];\n", input.node, i,
                                    quoted(function.typeOf(input).str()));
        }
    }
    return text + "}\n";
}

/// The schedule of a kernel as a script: that of the session, else the default one.
support::Result<std::string> scheduleText(const graph::Program &program, const std::string &name,
                                          const std::optional<session::ModelWork> &work)
{
    if (work) {
        const session::Reapplied again = session::reapply(work->sessions, program);
        for (const auto &[place, session] : again.sessions) {
            if (program.kernels[static_cast<std::size_t>(place)].name == name)
                return session.exportSchedule(session.tree().current().id);
        }
    }
    const auto kernel = graph::findKernel(program, name);
    if (!kernel)
        return support::fail(kernel.error());
    const ir::Module &module = (*kernel)->module;
    const auto initial = schedule::makeState(module);
    const auto scheduled = graph::defaultSchedule(module, program.machine);
    if (!initial || !scheduled)
        return support::fail(initial ? scheduled.error() : initial.error());
    return schedule::writeScheduleScript(*initial, scheduled->steps);
}

/// One line per pass: whether it runs, and its changes.
std::string passesText(const std::vector<graph::GraphPassRecord> &records)
{
    std::string text = std::format("{:<26} {:>5} {:>8} {:>8} {:>8} {:>9}  {}\n", "pass", "level", "removed",
                                   "added", "changed", "ms", "summary");
    for (const graph::GraphPass &pass : graph::graphPasses()) {
        const auto record = std::ranges::find(records, pass.name, &graph::GraphPassRecord::name);
        if (record == records.end()) {
            text += std::format("{:<26} {:>5} {:>8} {:>8} {:>8} {:>9}  {}\n", pass.name, pass.level, "–", "–",
                                "–", "–", pass.summary);
            continue;
        }
        const graph::GraphChange change = graph::changeOf(record->before, record->after);
        text += std::format("{:<26} {:>5} {:>8} {:>8} {:>8} {:>9.2f}  {}\n", pass.name, pass.level,
                            change.removed.size(), change.added.size(), change.changed.size(),
                            record->micros * 1e-3, pass.summary);
    }
    return text;
}

constexpr std::string_view beforeAllPasses = "import";

/// The graph as the pass of that name left it, or as it was imported. Error: "graph.unknown-pass" where that
/// pass did not run.
support::Result<graph::Function> functionAfter(const frontend::ModelGraph &graph, const std::string &pass)
{
    if (pass == beforeAllPasses)
        return graph.records.empty() ? graph.function : graph.records.front().before;
    std::string names;
    for (const graph::GraphPassRecord &record : graph.records) {
        if (record.name == pass)
            return record.after;
        names += (names.empty() ? "" : ", ") + record.name;
    }
    return support::fail(
        support::diagnostic("graph.unknown-pass", std::format("no pass \"{}\" runs here", pass))
            .withHint(std::format("these run: {}; {} is the graph before them", names, beforeAllPasses)));
}

int printGraph(GraphOptions options)
{
    auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    options.scheduledFor = std::move(*target);
    options.request.keepRecords = options.form == "passes" || !options.after.empty();
    auto opened = openModel(options);
    if (!opened)
        return report(opened.error());
    if (options.form == "passes")
        return writeOutput(options.output, passesText(opened->records));
    if (!options.after.empty()) {
        auto function = functionAfter(*opened, options.after);
        if (!function)
            return report(function.error());
        opened->function = std::move(*function);
    }
    if (!options.kernel.empty()) {
        const auto program = graph::makeProgram(std::move(opened->function), opened->machine);
        if (!program)
            return report(program.error());
        const auto text = scheduleText(*program, options.kernel, opened->work);
        return text ? writeOutput(options.output, *text) : report(text.error());
    }
    if (options.form == "relay")
        return writeOutput(options.output, graph::print(opened->function));
    if (options.form == "dot")
        return writeOutput(options.output, dotText(opened->function));
    auto program = graph::makeProgram(std::move(opened->function), opened->machine);
    if (!program)
        return report(program.error());
    if (options.form == "tasks")
        return writeOutput(options.output, tasksText(*program));
    const auto schedules = kernelSchedules(*program, {}, opened->work);
    if (!schedules)
        return report(schedules.error());
    const auto text = memoryText(std::move(*program), *schedules);
    return text ? writeOutput(options.output, *text) : report(text.error());
}

} // namespace

std::function<int()> declareGraph(CLI::App &app)
{
    auto options = std::make_shared<GraphOptions>();
    options->add(app);
    options->addInputs(app);
    app.add_option("--target", options->target, "target that its kernels are made for")
        ->capture_default_str();
    app.add_option(
           "--print", options->form,
           "relay: the graph as text; tasks: its kernels; memory: where results lie; dot: for Graphviz; "
           "passes: the changes by each")
        ->check(CLI::IsMember({"relay", "tasks", "memory", "dot", "passes"}))
        ->capture_default_str();
    app.add_option("--after", options->after,
                   "the graph as this pass leaves it, not the last; import: as it is before all passes")
        ->transform(support::passName);
    app.add_option("--schedule-of", options->kernel,
                   "print the schedule of this kernel instead: that of the session, or the default one");
    app.add_option("-o", options->output, "file to write");
    return [options] { return printGraph(*options); };
}

} // namespace nestwright::cli
