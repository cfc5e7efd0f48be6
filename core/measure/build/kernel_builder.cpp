// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/kernel_builder.h"

#include "core/backend/backend.h"
#include "core/ir/node/equality.h"
#include "core/measure/sandbox/edited_compiler.h"
#include "core/measure/verify/sound_program.h"
#include "core/support/errors/codes.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <utility>

namespace nestwright::measure {

using support::fail;
using support::Result;

namespace {

/// A hash does for programs that differ, equal ones are compared.
bool areSame(const BuildTask &a, const BuildTask &b)
{
    return a.function == b.function && a.target == b.target && a.externs == b.externs && a.edited == b.edited
           && a.isEmulated == b.isEmulated && ir::structurallyEqual(a.module, b.module);
}

Result<backend::Artifact> compiled(const BuildTask &task, const std::stop_token &stop)
{
    if (task.edited)
        return compileEdited(task.module, task.target, *task.edited, stop);
    if (auto sound = requireSound(task.module, task.function); !sound)
        return fail(sound.error());
    return task.isEmulated ? backend::compileEmulated(task.module, task.target, stop)
                           : backend::compile(task.module, task.target, stop, task.externs);
}

} // namespace

std::optional<KernelFile> KernelBuilder::known(std::uint64_t hash, const BuildTask &task)
{
    const std::scoped_lock lock(m_mutex);
    const auto [begin, end] = m_built.equal_range(hash);
    const auto found =
        std::find_if(begin, end, [&](const auto &each) { return areSame(each.second.task, task); });
    return found == end ? std::nullopt : std::optional(found->second.kernel);
}

Result<KernelFile> KernelBuilder::build(const BuildTask &task, const std::stop_token &stop)
{
    return build(task, ir::structuralHash(task.module), stop);
}

Result<KernelFile> KernelBuilder::build(const BuildTask &task, std::uint64_t hash,
                                        const std::stop_token &stop)
{
    if (auto kernel = known(hash, task))
        return *std::move(kernel);
    auto artifact = compiled(task, stop);
    if (!artifact)
        return fail(artifact.error());
    auto content = m_store.put(artifact->bytes);
    if (!content)
        return fail(content.error());
    KernelFile kernel;
    kernel.path = fileOf(m_store.folder(), *content).string();
    kernel.content = *std::move(content);
    kernel.entry = task.function;
    artifact->bytes.clear();
    kernel.artifact = *std::move(artifact);
    const std::scoped_lock lock(m_mutex);
    m_built.emplace(hash, Built{task, kernel});
    return kernel;
}

std::vector<Result<KernelFile>> KernelBuilder::build(std::span<const BuildTask> tasks,
                                                     const std::stop_token &stop)
{
    std::vector<std::uint64_t> hashes;
    std::vector<std::size_t> first; // place of the first task that is the same
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        hashes.push_back(ir::structuralHash(tasks[i].module));
        first.push_back(0);
        while (first[i] < i && !(hashes[first[i]] == hashes[i] && areSame(tasks[first[i]], tasks[i])))
            ++first[i];
    }
    std::vector<Result<KernelFile>> kernels(tasks.size());
    const auto buildOne = [&](std::int64_t place) -> Result<void> {
        const auto i = static_cast<std::size_t>(place);
        if (first[i] == i)
            kernels[i] = stop.stop_requested() ? fail(support::codes::cancelled, "compiling was cancelled")
                                               : build(tasks[i], hashes[i], stop);
        return {};
    };
    // Each task keeps its own error.
    [[maybe_unused]] const auto all = support::inParallel(std::ssize(kernels), buildOne);
    for (std::size_t i = 0; i < kernels.size(); ++i)
        kernels[i] = kernels[first[i]];
    return kernels;
}

} // namespace nestwright::measure
