// SPDX-License-Identifier: Apache-2.0
#include "core/explore/findings/variations.h"

#include "core/explore/step_numbers.h"
#include "core/ir/node/attributes.h"
#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"
#include "core/suggest/move_innermost.h"

#include <algorithm>
#include <format>

namespace nestwright::explore {

using schedule::ArgList;
using schedule::ArgValue;

ArgList StepChain::apply(std::string_view primitive,
                         const std::vector<std::pair<std::string_view, ArgValue>> &args)
{
    auto step = m_isLegal ? schedule::makeStep(primitive, args) : support::Result<schedule::Step>();
    if (!m_isLegal || !step) {
        m_isLegal = false;
        return {};
    }
    auto outputs = m_path.add(*step);
    return outputs ? *std::move(outputs) : insert(*step);
}

ArgList StepChain::insert(const schedule::Step &step)
{
    for (std::size_t position = m_path.size(); position-- > 0;) {
        const auto applied = schedule::apply(m_path.state(position), step);
        if (!applied)
            continue;
        auto path = m_path.inserted(position, step);
        if (!path)
            break;
        m_path = *std::move(path);
        return applied->outputs;
    }
    m_isLegal = false;
    return {};
}

StmtId StepChain::applied(std::string_view primitive,
                          const std::vector<std::pair<std::string_view, ArgValue>> &args)
{
    const ArgList outputs = apply(primitive, args);
    const auto *id = outputs.empty() ? nullptr : outputs.front().as<StmtId>();
    return id ? *id : StmtId();
}

suggest::LoopNest StepChain::nest() const { return {m_path.end(), script::print(m_path.end().module)}; }

void StepChain::finish(std::vector<Variation> &variations, std::string title) const
{
    if (m_isLegal && !title.empty()) {
        title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
        variations.push_back({std::move(title), m_path});
    }
}

std::optional<std::size_t> placeWhereMade(const StepPath &path, StmtId loop)
{
    for (std::size_t position = 0; position <= path.size(); ++position) {
        if (path.state(position).index->of(loop))
            return position == 0 ? std::nullopt : std::optional(position - 1);
    }
    return std::nullopt;
}

std::optional<std::size_t> placeOfStep(const StepPath &path, std::string_view primitive, StmtId subject)
{
    for (std::size_t place = path.size(); place-- > 0;) {
        const schedule::Step &step = path.step(place);
        const auto *first = step.args.empty() ? nullptr : step.args.front().as<StmtId>();
        if (step.primitive->name == primitive && first && *first == subject)
            return place;
    }
    return std::nullopt;
}

std::optional<std::size_t> placeOfMove(const StepPath &path, StmtId block)
{
    const auto forward = placeOfStep(path, "compute_at", block);
    return forward ? forward : placeOfStep(path, "reverse_compute_at", block);
}

std::vector<Variation> otherNumbers(
    const Scene &scene, StmtId loop,
    const std::function<std::vector<std::int64_t>(std::int64_t value, std::int64_t iterations)> &values)
{
    const auto place = placeWhereMade(scene.path(), loop);
    if (!place)
        return {};
    const schedule::State &before = scene.path().state(*place);
    const schedule::Step &step = scene.path().step(*place);
    const auto applied = schedule::apply(before, step);
    std::optional<std::size_t> own;
    for (std::size_t i = 0; applied && i < applied->outputs.size(); ++i) {
        const auto *id = applied->outputs[i].as<StmtId>();
        if (id && *id == loop)
            own = i;
    }
    std::vector<StepNumber> numbers = numbersOf(step);
    if (std::ranges::any_of(numbers, [&](const StepNumber &number) { return number.element == own; }))
        std::erase_if(numbers, [&](const StepNumber &number) { return number.element != own; });
    std::vector<Variation> variations;
    for (const StepNumber &number : numbers) {
        for (const std::int64_t value : values(number.value, iterationsOf(before, step).value_or(0))) {
            if (value == number.value)
                continue;
            if (auto path = scene.path().with(*place, withNumber(step, number, value)))
                variations.push_back({std::format("{} {} instead of {} in {}", number.name, value,
                                                  number.value, scene.path().label(*place)),
                                      *std::move(path)});
        }
    }
    return variations;
}

std::vector<Variation> otherPlaces(const Scene &scene, std::size_t place, std::string_view stage, bool within)
{
    const schedule::State &before = scene.path().state(place);
    const suggest::LoopNest nest(before, script::print(before.module));
    const StmtId own = *scene.path().step(place).args[1].as<StmtId>();
    std::vector<Variation> variations;
    for (const StmtId loop : within ? nest.all() : nest.loopsTo(own)) {
        if (loop == own || !nest.loop(loop) || (within && !std::ranges::contains(nest.loopsTo(loop), own)))
            continue;
        schedule::Step moved = scene.path().step(place);
        moved.args[1] = loop;
        if (auto path = scene.path().with(place, std::move(moved)))
            variations.push_back({std::format("Compute {} in {}", stage, nest.name(loop)), *std::move(path)});
    }
    return variations;
}

std::vector<std::int64_t> divisorsOf(std::int64_t iterations, std::int64_t most)
{
    std::vector<std::int64_t> divisors;
    for (std::int64_t value = 1; value <= std::min(most, iterations); ++value) {
        if (iterations % value == 0)
            divisors.push_back(value);
    }
    return divisors;
}

void computeByVectors(StepChain &chain, StmtId loop, std::int64_t lanes, std::string &said)
{
    const auto say = [&said](const std::string &done) { said += (said.empty() ? "" : ", ") + done; };
    const suggest::LoopNest nest = chain.nest();
    const std::string name = nest.name(loop);
    if (const auto move = suggest::moveInnermost(nest, loop)) {
        chain.apply("reorder", {{"loops", move->step.args.front()}});
        if (!chain.isLegal())
            return;
        say(std::format("reorder {} innermost", name));
    }
    const std::int64_t iterations = nest.iterations(loop).value_or(0);
    if (iterations > lanes) {
        const ArgList made = chain.apply("split", {{"loop", loop}, {"factors", ArgList{{}, lanes}}});
        if (made.size() != 2)
            return chain.refuse();
        loop = *made[1].as<StmtId>();
        say(std::format("split {} by {}", name, lanes));
    }
    chain.apply("vectorize", {{"loop", loop}});
    say(std::format("vectorize {}", iterations > lanes ? "the inner part" : name));
}

void sumInParts(StepChain &chain, StmtId loop)
{
    chain.apply("annotate", {{"block_or_loop", loop},
                             {"ann_key", std::string(ir::reassociateKey)},
                             {"ann_val", std::int64_t{1}}});
}

bool reassociates(const Scene &scene, const SceneLoop &loop)
{
    return ir::numberAt(scene.nest().loop(loop.id)->annotations, ir::reassociateKey) != 0;
}

std::int64_t lanesOf(const Scene &scene, const SceneBlock &block)
{
    return std::max<std::int64_t>(2, scene.machine().vectors.bits() / (8 * block.elementBytes()));
}

} // namespace nestwright::explore
