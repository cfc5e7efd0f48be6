// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_comparison.h"

#include "app/cli/model_contest.h"
#include "app/cli/text/comparison_text.h"
#include "core/graph/strategy/strategy.h"
#include "core/ir/node/equality.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/statistics.h"
#include "core/session/model/model_project.h"
#include "core/session/reuse/transfer_text.h"
#include "core/support/text/text_table.h"

#include <algorithm>
#include <filesystem>
#include <format>
#include <iostream>

namespace nestwright::cli {

using session::ModelWork;
using support::diagnostic;
using support::fail;
using support::Result;
using workbench::ModelComparison;
using Part = ModelComparison::Part;

namespace {

/// Why two sessions are not on one model; empty where they are.
std::string differenceOf(const ModelWork &first, const ModelWork &second)
{
    const bool haveHashes = !first.modelHash.empty() && !second.modelHash.empty();
    const auto nameOf = [](const ModelWork &work) {
        return std::filesystem::path(work.modelPath).filename().string();
    };
    if (haveHashes && first.modelHash != second.modelHash)
        return std::format("the contents of \"{}\" and \"{}\" differ", first.modelPath, second.modelPath);
    if (!haveHashes && nameOf(first) != nameOf(second))
        return std::format("their models are \"{}\" and \"{}\"", nameOf(first), nameOf(second));
    if (first.settings.sizes != second.settings.sizes)
        return "symbolic dimensions have other sizes";
    return first.settings == second.settings ? "" : "it is optimised in another way";
}

Result<std::pair<ModelWork, ModelWork>> loadWorks(const ComparedFiles &files)
{
    auto first = session::loadModelProject(files.first);
    if (!first)
        return fail(first.error());
    auto second = session::loadModelProject(files.second);
    if (!second)
        return fail(second.error());
    if (const std::string difference = differenceOf(*first, *second); !difference.empty())
        return fail(diagnostic("compare.other-model",
                               std::format("\"{}\" and \"{}\" are not sessions on the same model: {}",
                                           files.first, files.second, difference))
                        .withHint("compare two sessions on one model, with the same settings"));
    return std::pair(std::move(*first), std::move(*second));
}

/// The model, and the way to the schedule of each kernel in both sessions.
struct ScheduledTwice {
    session::Model model;
    std::vector<std::pair<explore::StepPath, explore::StepPath>> paths{};
    std::vector<std::string> left{};

    /// The ends of the paths, by the kernel's name.
    graph::Schedules schedules(bool ofSecond) const
    {
        graph::Schedules states;
        for (std::size_t i = 0; i < paths.size(); ++i)
            states.insert_or_assign(model.program.kernels[i].name,
                                    ofSecond ? paths[i].second.end() : paths[i].first.end());
        return states;
    }
};

Result<explore::StepPath> pathOfKernel(const session::Reapplied &work, std::size_t place,
                                       const schedule::State &root, const target::Machine &machine)
{
    const auto session = work.sessions.find(static_cast<int>(place));
    if (session != work.sessions.end()) {
        const session::VariantTree &tree = session->second.tree();
        return explore::StepPath::along(root, tree.steps(tree.current().id).steps());
    }
    const auto usual = graph::defaultSchedule(root.module, machine);
    return usual ? explore::StepPath::along(root, usual->steps) : fail(usual.error());
}

Result<ScheduledTwice> scheduleTwice(const std::pair<ModelWork, ModelWork> &works, session::Model model)
{
    const session::Reapplied first = session::reapply(works.first.sessions, model.program);
    const session::Reapplied second = session::reapply(works.second.sessions, model.program);
    ScheduledTwice all{std::move(model)};
    for (const session::Reapplied *work : {&first, &second}) {
        for (const auto &[name, session] : work->left)
            all.left.push_back(name);
    }
    for (std::size_t i = 0; i < all.model.program.kernels.size(); ++i) {
        const auto root = schedule::makeState(all.model.program.kernels[i].module);
        if (!root)
            return fail(root.error());
        auto before = pathOfKernel(first, i, *root, all.model.program.machine);
        if (!before)
            return fail(before.error());
        auto after = pathOfKernel(second, i, *root, all.model.program.machine);
        if (!after)
            return fail(after.error());
        all.paths.emplace_back(std::move(*before), std::move(*after));
    }
    return all;
}

/// A ratio of what is the same program twice says nothing but the noise.
measure::Speedup judged(measure::Speedup speedup, bool isSame)
{
    speedup.significant = speedup.significant && !isSame;
    return speedup;
}

/// Runs the model with both in turns, and fills in the times.
Result<void> addTimes(ModelComparison &comparison, const ScheduledTwice &all, const target::Target &target,
                      int repetitions, const frontend::ModelGraph &opened)
{
    auto now = compiledWith(all.model.program, all.schedules(true), target);
    if (!now)
        return fail(now.error());
    auto before = compiledWith(all.model.program, all.schedules(false), target);
    if (!before)
        return fail(before.error());
    const Contest contest{std::move(*now), std::move(*before)};
    ContestTimes times;
    if (auto done = takeTimes(contest, opened, {.repetitions = repetitions}, times); !done)
        return done;
    if (!times.compares() || times.before.runs.size() != times.now.runs.size())
        return fail("kernel.crash", "the process that ran the model told no times");
    const graph::Program &program = contest.now.program;
    for (std::size_t i = 0; i < comparison.kernels.size(); ++i) {
        const int kernel = static_cast<int>(i);
        Part &part = comparison.kernels[i];
        part.before = measure::median(times.before.ofKernel(program, kernel));
        part.after = measure::median(times.now.ofKernel(program, kernel));
        part.speedup = judged(times.speedup(program, kernel), part.isSame);
    }
    comparison.whole.before = measure::median(times.before.runs);
    comparison.whole.after = measure::median(times.now.runs);
    comparison.whole.speedup = judged(times.speedup(), comparison.whole.isSame);
    if (times.disturbed)
        std::cerr << "note: " << measure::disturbance(times.otherLoad) << '\n';
    return {};
}

Result<ModelComparison> partsOf(const ScheduledTwice &all, const ComparedFiles &files,
                                const target::Target &target)
{
    ModelComparison comparison{
        .names = namesOf(files), .kernels = {}, .whole = {.name = "total"}, .left = {}};
    for (std::size_t i = 0; i < all.paths.size(); ++i) {
        const graph::Kernel &kernel = all.model.program.kernels[i];
        const auto &[before, after] = all.paths[i];
        Part part{.name = kernel.name,
                  .nodes = static_cast<int>(kernel.nodes.size()),
                  .isSame = ir::structurallyEqual(before.end().module, after.end().module)};
        if (!part.isSame) {
            auto pair = explore::compare({comparison.names.first, before}, {comparison.names.second, after},
                                         target, measure::threadsOf(target));
            if (!pair)
                return fail(pair.error());
            part.sentence = std::move(pair->sentence);
            comparison.whole.isSame = false;
        }
        comparison.whole.nodes += part.nodes;
        comparison.kernels.push_back(std::move(part));
    }
    comparison.left = all.left;
    return comparison;
}

std::vector<std::string> rowOf(const Part &part)
{
    std::vector<std::string> row{part.name, std::to_string(part.nodes)};
    if (part.speedup) {
        row.push_back(std::format("{:.3f}", part.before * 1e3));
        row.push_back(std::format("{:.3f}", part.after * 1e3));
        row.push_back(session::ratioText(*part.speedup));
    }
    row.push_back(part.isSame ? "the same program" : part.sentence);
    return row;
}

} // namespace

Result<ModelComparison> compareModels(const ComparedFiles &files, const ModelComparisonEffort &effort)
{
    if (!files.variants.empty())
        return fail(
            diagnostic("compare.variant", "sessions on models have no variants of their own")
                .withHint("leave out --variant: the current schedules of their kernels are compared"));
    auto target = target::parseTarget(files.target.empty() ? "llvm" : files.target);
    if (!target)
        return fail(target.error());
    const auto works = loadWorks(files);
    if (!works)
        return fail(works.error());
    auto model = session::openModelOf(works->second);
    if (!model)
        return fail(model.error());
    const auto all = scheduleTwice(*works, std::move(*model));
    if (!all)
        return fail(all.error());
    auto comparison = partsOf(*all, files, *target);
    if (!comparison)
        return comparison;
    if (effort.measures) {
        const auto opened = frontend::openGraph(works->second.modelPath, works->second.settings);
        if (!opened)
            return fail(opened.error());
        if (auto timed = addTimes(*comparison, *all, *target, effort.repetitions, *opened); !timed)
            return fail(timed.error());
    }
    std::ranges::stable_sort(comparison->kernels, [](const Part &a, const Part &b) {
        return std::pair(!a.isSame, a.before) > std::pair(!b.isSame, b.before);
    });
    return comparison;
}

std::string printedTable(const ModelComparison &comparison)
{
    const auto differ = std::ranges::count(comparison.kernels, false, &Part::isSame);
    std::string text =
        std::format("{} of {} kernels have another schedule in '{}' than in '{}'.\n", differ,
                    comparison.kernels.size(), comparison.names.second, comparison.names.first);
    std::vector<std::vector<std::string>> rows{{"kernel", "nodes"}};
    if (const auto &speedup = comparison.whole.speedup) {
        text += sentence(speedupText(*speedup, comparison.names.first, comparison.names.second)) + '\n';
        rows.front().insert(rows.front().end(),
                            {comparison.names.first + " ms", comparison.names.second + " ms", "speed-up"});
    }
    for (const Part &kernel : comparison.kernels)
        rows.push_back(rowOf(kernel));
    if (comparison.whole.speedup)
        rows.push_back(rowOf(comparison.whole));
    return text + '\n' + support::lineUp(rows);
}

} // namespace nestwright::cli
