// SPDX-License-Identifier: Apache-2.0
#include "core/explore/findings/scene.h"

#include "core/analysis/kernel/counts.h"
#include "core/explore/predict/prediction.h"
#include "core/explore/predict/unit_time.h"
#include "core/ir/build/builder.h"
#include "core/ir/strides.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

namespace nestwright::explore {

namespace {

double operationsOfRun(const ir::Block &block)
{
    const auto counted = analysis::operationsOf(block);
    if (!counted)
        return 1;
    double points = 1;
    for (const ir::IterVar &variable : block.iterVars) {
        if (const std::int64_t *extent = ir::asInt(variable.domain.extent))
            points *= static_cast<double>(std::max<std::int64_t>(1, *extent));
    }
    return std::max(1.0,
                    (counted->flops + counted->integerOps + counted->transcendental * operationsOfFunction)
                        / points);
}

/// Time of a block in operations without latency: a vector computes several at once, terms of a sum follow
/// one after the other.
double timeOf(const SceneBlock &block)
{
    constexpr double lanes = 8, waiting = 4;
    const double all = block.runs * block.operations;
    if (block.loops.empty())
        return all;
    const bool isDense = std::ranges::all_of(block.accesses, [](const AccessStrides &access) {
        return access.strides.back() == 0 || access.strides.back() == 1;
    });
    if (block.vectorLoop() || (isDense && !block.loops.back().isReduction))
        return all / lanes;
    return block.loops.back().isReduction ? all * waiting : all;
}

template <class Holds>
std::optional<std::size_t> lastOf(const std::vector<SceneLoop> &loops, const Holds &holds)
{
    const auto found = std::ranges::find_if(loops.rbegin(), loops.rend(), holds);
    if (found == loops.rend())
        return std::nullopt;
    return static_cast<std::size_t>(found.base() - loops.begin()) - 1;
}

} // namespace

double countedElements(const ir::Buffer &buffer)
{
    const auto elements = ir::elementsOf(buffer, 1);
    return elements ? static_cast<double>(*elements) : std::numeric_limits<double>::infinity();
}

std::int64_t SceneBlock::elementBytes() const
{
    return block->writes.empty() ? 4 : std::max(1, block->writes.front().buffer.dtype().bytes());
}

std::optional<std::size_t> SceneBlock::vectorLoop() const
{
    return lastOf(loops, [](const SceneLoop &loop) { return loop.kind == ir::ForKind::Vectorized; });
}

std::optional<std::size_t> SceneBlock::parallelLoop() const
{
    return lastOf(loops, [](const SceneLoop &loop) { return loop.kind == ir::ForKind::Parallel; });
}

std::optional<std::size_t> SceneBlock::lastReduction() const
{
    return lastOf(loops, [](const SceneLoop &loop) { return loop.isReduction; });
}

Scene::Scene(StepPath path, const target::Target &target, const target::Machine &machine,
             std::stop_token stop)
    : m_path(std::move(path))
    , m_target(target)
    , m_machine(machine)
    , m_stop(std::move(stop))
    , m_nest(m_path.end(), script::print(m_path.end().module))
{
    const ir::Module::Entry *entry = state().module.mainEntry();
    m_index = entry ? state().index->function(entry->name) : nullptr;
    if (!m_index || !m_index->root()) {
        m_index = nullptr;
        return;
    }
    for (const StmtId id : m_index->all()) {
        if (m_index->block(id) && id != m_index->root() && m_index->children(id).empty())
            addBlock(id);
    }
    double all = 0;
    for (SceneBlock &each : m_blocks) {
        each.share = timeOf(each);
        all += each.share;
    }
    for (SceneBlock &each : m_blocks)
        each.share /= all;
    std::ranges::stable_sort(m_blocks, std::greater(), &SceneBlock::share);
}

void Scene::addBlock(StmtId id)
{
    SceneBlock added{.id = id, .name = m_nest.name(id), .block = m_index->block(id)};
    std::vector<StmtId> loops;
    for (const StmtId each : m_nest.loopsTo(id)) {
        const auto iterations = m_nest.iterations(each);
        if (!iterations)
            return;
        if (*iterations == 1 && m_nest.loop(each)->forKind != ir::ForKind::Parallel)
            continue;
        const analysis::LoopAxis *axis = m_nest.axis(each);
        const bool isPlain = axis && !axis->opaque;
        added.loops.push_back({.id = each,
                               .extent = *iterations,
                               .kind = m_nest.loop(each)->forKind,
                               .isReduction = isPlain && axis->reduce && !axis->spatial,
                               .isSpatial = isPlain && axis->spatial && !axis->reduce});
        added.runs *= static_cast<double>(*iterations);
        loops.push_back(each);
    }
    added.accesses = accessStrides(*m_index, id, loops);
    added.operations = operationsOfRun(*added.block);
    added.reduces = std::ranges::any_of(added.block->iterVars, [](const ir::IterVar &variable) {
        return variable.kind == ir::IterKind::Reduce;
    });
    m_blocks.push_back(std::move(added));
}

const SceneBlock *Scene::block(std::string_view name) const
{
    const auto found = std::ranges::find(m_blocks, name, &SceneBlock::name);
    return found == m_blocks.end() ? nullptr : &*found;
}

double Scene::seconds() const
{
    if (!m_seconds) {
        const auto predicted = predict(state(), m_machine);
        m_seconds = predicted ? predicted->seconds : 0;
    }
    return *m_seconds;
}

const backend::LoopCode *Scene::code(const SceneBlock &block) const
{
    if (!m_code) {
        auto made = backend::loopCode(state().module, m_target, m_stop);
        m_code = made ? *std::move(made) : std::vector<backend::LoopCode>();
    }
    return backend::codeOf(*m_code, {block.id});
}

bool Scene::isIntermediate(const ir::Buffer &buffer) const
{
    const ir::Block *root = m_index->block(m_index->root());
    return std::ranges::find(root->allocBuffers, buffer) != root->allocBuffers.end();
}

} // namespace nestwright::explore
