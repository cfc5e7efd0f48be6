// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/opening/opener.h"

#include "core/frontend/open_kernel.h"
#include "core/script/print/printer.h"
#include "core/session/model/model.h"
#include "core/session/reuse/own_schedule.h"
#include "core/support/text/line_difference.h"
#include "core/support/text/near_names.h"
#include "core/workbench/opening/module_names.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::workbench {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Leaves the schedule called `name` alone; all where none is named.
Result<void> keepNamed(std::vector<te::ScheduleSteps> &schedules, const std::string &name,
                       const std::string &file)
{
    if (name.empty())
        return {};
    if (name == unscheduledName) {
        schedules.clear();
        return {};
    }
    const auto found = std::ranges::find(schedules, name, &te::ScheduleSteps::name);
    if (found == schedules.end()) {
        std::vector<std::string_view> known{unscheduledName};
        for (const te::ScheduleSteps &each : schedules)
            known.push_back(each.name);
        return fail(
            diagnostic("open.no-variant", std::format("\"{}\" has no schedule named \"{}\"", file, name))
                .withHint(support::didYouMean(name, known)));
    }
    schedules = {std::move(*found)};
    return {};
}

/// Names the kernels of a model where one of them is wanted.
support::Diagnostic wantsKernel(const std::string &path)
{
    const auto model = session::openModel(path, session::settingsFor());
    if (!model)
        return model.error();
    constexpr std::size_t mostListed = 8;
    std::string names;
    const auto &kernels = model->program.kernels;
    for (std::size_t i = 0; i < std::min(kernels.size(), mostListed); ++i)
        names += (i ? ", " : "") + kernels[i].name;
    if (kernels.size() > mostListed)
        names += ", …";
    return diagnostic("open.model", std::format("\"{}\" is a model; one of its kernels is needed here", path))
        .withHint(kernels.empty() ? "it has none: all of it is known without running it"
                                  : std::format("write {}#{}; its {} kernels: {}", path, kernels.front().name,
                                                kernels.size(), names));
}

Result<schedule::State> afterOwn(const schedule::State &initial, const te::ScheduleSteps &own,
                                 const std::string &module)
{
    schedule::PartialRun partial = session::runOwnSchedule(initial, own, fileAndSchedule(module).first);
    if (partial.error)
        return fail(std::move(*partial.error));
    return std::move(partial.run.state);
}

/// The program that the schedule `name` of the kernel's file makes; the kernel as it is where that does
/// nothing. Empty where the schedule fails.
std::string programOf(const frontend::OpenedKernel &kernel, const schedule::State &initial,
                      const std::string &name, const std::string &module)
{
    const auto own = std::ranges::find(kernel.schedules, name, &te::ScheduleSteps::name);
    if (own == kernel.schedules.end())
        return script::print(initial.module).text;
    const auto made = afterOwn(initial, *own, module);
    return made ? script::print(made->module).text : std::string();
}

} // namespace

void Opener::tell(support::Diagnostic remark, std::string difference) const
{
    if (m_hooks.note)
        m_hooks.note({std::move(remark), std::move(difference)});
}

std::shared_ptr<void> Opener::watch(const std::string &input) const
{
    return m_hooks.watch ? m_hooks.watch(input) : nullptr;
}

/// The differences that the file itself would print.
void Opener::tellComparisons(const frontend::OpenedKernel &kernel, const schedule::State &initial,
                             const std::string &module) const
{
    for (const te::ProgramComparison &each : kernel.comparisons) {
        const std::string before = programOf(kernel, initial, each.before, module);
        const std::string after = programOf(kernel, initial, each.after, module);
        if (!before.empty() && !after.empty())
            tell(each.note, std::format("--- {}\n+++ {}\n{}", each.before, each.after,
                                        support::lineDifference(before, after)));
    }
}

/// Opens a module as `frontend::openKernel` does, or a kernel of a model.
Result<frontend::OpenedKernel> Opener::openModule(const std::string &module)
{
    const auto [file, schedule] = fileAndSchedule(module);
    if (!schedule.empty()) {
        auto kernel = openModule(file);
        const auto kept = kernel ? keepNamed(kernel->schedules, schedule, file) : Result<void>();
        return kept ? std::move(kernel) : std::unexpected(kept.error());
    }
    if (const auto ofModel = session::kernelOfModel(module)) {
        auto opened = session::openKernelOfModel(ofModel->first, ofModel->second, m_target);
        if (!opened)
            return fail(opened.error());
        frontend::OpenedKernel kernel;
        kernel.name = ofModel->second;
        kernel.module = std::move(*opened);
        return kernel;
    }
    std::error_code unknown;
    if (session::isModelFile(module) && std::filesystem::exists(module, unknown))
        return fail(wantsKernel(module));
    const auto watched = watch(module); // not of models, whose size is that of their weights
    auto kernel = frontend::openKernel(module);
    if (kernel && kernel->kind == frontend::KernelSource::ScheduleScript)
        return fail(diagnostic("open.not-a-kernel", "'" + module + "' is a schedule script, not a module")
                        .withHint("give the module first and the script with --schedule"));
    return kernel;
}

Result<schedule::State> Opener::loadState(const std::string &module, bool withNotes)
{
    if (isSession(module))
        return loadSession(module);
    const auto kernel = openModule(module);
    if (!kernel)
        return std::unexpected(kernel.error());
    if (withNotes) {
        for (const support::Diagnostic &remark : kernel->notes)
            tell(remark);
    }
    const auto watched = watch(module);
    auto state = schedule::makeState(kernel->module);
    if (state && withNotes)
        tellComparisons(*kernel, *state, module);
    return !state || kernel->schedules.empty() ? state : afterOwn(*state, kernel->schedules.back(), module);
}

Result<std::vector<NamedState>> Opener::loadVariants(const std::string &module)
{
    if (isSession(module))
        return sessionVariants(module);
    std::vector<NamedState> variants;
    const auto kernel = openModule(module);
    if (!kernel)
        return std::unexpected(kernel.error());
    const auto state = schedule::makeState(kernel->module);
    if (!state)
        return std::unexpected(state.error());
    variants.push_back({std::string(unscheduledName), *state});
    for (const te::ScheduleSteps &own : kernel->schedules) {
        auto made = afterOwn(*state, own, module);
        if (!made && &own == &kernel->schedules.back())
            return std::unexpected(made.error());
        if (!made) {
            tell(made.error());
            continue;
        }
        const bool isOnly = own.name.empty() || kernel->schedules.size() == 1;
        variants.push_back({isOnly ? "as scheduled" : own.name, std::move(*made)});
    }
    return variants;
}

Result<schedule::State> Opener::loadUnscheduled(const std::string &module)
{
    if (isSession(module))
        return loadRoot(module);
    const auto kernel = openModule(module);
    const auto watched = watch(module);
    return kernel ? schedule::makeState(kernel->module) : std::unexpected(kernel.error());
}

Result<schedule::State> Opener::loadStart(const std::string &module, const std::string &schedule,
                                          bool withNotes)
{
    const bool isBare = isSession(module) && sessionAndVariant(module).second.empty();
    return isBare && !schedule.empty() ? loadRoot(module) : loadState(module, withNotes);
}

Result<schedule::State> Opener::loadScheduled(const std::string &module, const std::string &schedule)
{
    auto state = loadStart(module, schedule);
    if (!state || schedule.empty())
        return state;
    auto run = runSchedule(*state, schedule);
    return run ? Result<schedule::State>(std::move(run->state)) : std::unexpected(run.error());
}

} // namespace nestwright::workbench
