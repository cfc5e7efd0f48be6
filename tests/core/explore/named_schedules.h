// SPDX-License-Identifier: Apache-2.0
/// Pairs of variants whose loops have names that both sides share, so that the right pairs are known.
#pragma once

#include "core/explore/step_path.h"
#include "core/schedule/apply.h"
#include "core/schedule/state_index.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nestwright::tests {

using support::StmtId;

/// A step on loops and blocks by their names, which any variant that has them can take.
struct NamedStep {
    std::string primitive;
    std::vector<std::string> on; ///< loops; of a copy or a move the block first
    std::vector<std::int64_t> numbers{};
};

/// A variant being made by named steps. A loop that a step makes is named by its source and part, "i.o" and
/// "i.i" of a split, whatever ids it gets: two variants name loops alike that are the same part of the same.
class NamedVariant {
public:
    explicit NamedVariant(const schedule::State &root) : m_path(root)
    {
        for (const StmtId id : index().all()) {
            if (index().block(id) && id != index().root())
                m_blocks.push_back(index().block(id)->name);
            if (!index().loop(id))
                continue;
            std::string name = index().loop(id)->var.name();
            for (int copy = 2; m_sources.contains(name); ++copy)
                name = index().loop(id)->var.name() + std::to_string(copy);
            give(id, name, {name});
        }
    }

    const explore::StepPath &path() const { return m_path; }
    const std::vector<std::string> &blocks() const { return m_blocks; } ///< of the root program

    /// Loops of the variant as it is.
    std::map<std::string, StmtId> loops() const
    {
        std::map<std::string, StmtId> loops;
        for (const StmtId id : index().all()) {
            if (const auto found = m_names.find(id); found != m_names.end() && index().loop(id))
                loops.emplace(found->second, id);
        }
        return loops;
    }
    /// The loops of the root program that a loop was made of; those that a step made for a block are their
    /// own.
    std::set<std::string> sources(const std::string &loop) const { return m_sources.at(loop); }

    /// False where a name is not there, or where the step is not legal.
    bool take(const NamedStep &step)
    {
        const auto made = stepOf(step);
        if (!made)
            return false;
        const auto outputs = m_path.add(*made);
        if (!outputs)
            return false;
        nameNewLoops(step, *outputs);
        return true;
    }

private:
    const analysis::FunctionIndex &index() const
    {
        return *m_path.end().index->function(m_path.end().module.functions().front().name);
    }

    /// The name gets a mark where the same step was taken before.
    void give(StmtId id, std::string name, std::set<std::string> sources)
    {
        while (m_sources.contains(name))
            name += '\'';
        m_names[id] = name;
        m_sources[name] = std::move(sources);
    }

    std::optional<schedule::Step> stepOf(const NamedStep &step) const
    {
        const auto all = loops();
        schedule::ArgList on;
        for (const std::string &name : step.on) {
            if (const auto loop = all.find(name); loop != all.end())
                on.push_back(loop->second);
            else if (const auto block = index().blockByName(name))
                on.push_back(*block);
            else
                return std::nullopt;
        }
        const auto make = [&]() -> schedule::Result<schedule::Step> {
            const std::string &name = step.primitive;
            if (name == "split") {
                schedule::ArgList factors{{}};
                for (const std::int64_t number : step.numbers)
                    factors.push_back(number);
                return schedule::makeStep(name, {{"loop", on[0]}, {"factors", factors}});
            }
            if (name == "fuse" || name == "reorder")
                return schedule::makeStep(name, {{"loops", on}});
            if (name == "cache_read")
                return schedule::makeStep(name, {{"block", on[0]},
                                                 {"read_buffer_index", step.numbers[0]},
                                                 {"storage_scope", std::string("global")}});
            if (name == "decompose_reduction" || name == "compute_at")
                return schedule::makeStep(name, {{"block", on[0]}, {"loop", on[1]}});
            return schedule::makeStep(name, {{"loop", on[0]}});
        };
        const auto made = make();
        if (!made)
            qFatal("%s", made.error().message.c_str());
        return *made;
    }

    void nameNewLoops(const NamedStep &step, const schedule::ArgList &outputs)
    {
        if (step.primitive == "split") {
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const char *part = i == 0 ? ".o" : i + 1 == outputs.size() ? ".i" : ".m";
                give(*outputs[i].as<StmtId>(), step.on[0] + part, m_sources.at(step.on[0]));
            }
            return;
        }
        if (step.primitive == "fuse") {
            std::string name;
            std::set<std::string> sources;
            for (const std::string &each : step.on) {
                name += (name.empty() ? "(" : "*") + each;
                sources.merge(std::set(m_sources.at(each)));
            }
            give(*outputs[0].as<StmtId>(), name + ')', sources);
            return;
        }
        // Loops that are made for a block: "init.j", "C.copy1.0".
        std::string stem = step.on[0] + '.' + step.primitive;
        if (step.primitive == "cache_read")
            stem = step.on[0] + ".copy" + std::to_string(step.numbers[0]);
        int number = 0;
        for (const StmtId id : index().all()) {
            if (!index().loop(id) || m_names.contains(id))
                continue;
            const ir::Origin &origin = index().loop(id)->origin;
            std::string name = stem + '.' + std::to_string(number++);
            std::set<std::string> sources{name};
            if (const auto copied = m_names.find(origin.parent);
                origin.part == "init" && copied != m_names.end()) {
                name = "init." + copied->second;
                sources.clear();
                for (const std::string &each : m_sources.at(copied->second))
                    sources.insert("init." + each);
            }
            give(id, name, sources);
        }
    }

    explore::StepPath m_path;
    std::vector<std::string> m_blocks;
    std::map<StmtId, std::string> m_names; ///< of all loops that there ever were
    std::map<std::string, std::set<std::string>> m_sources;
};

/// A random step on what `variant` has, legal or not.
inline NamedStep randomNamedStep(const NamedVariant &variant, Random &random)
{
    std::vector<std::string> loops;
    for (const auto &[name, id] : variant.loops())
        loops.push_back(name);
    const std::string loop = random.pick(loops), other = random.pick(loops);
    const std::string block = random.pick(variant.blocks());
    const std::vector<std::int64_t> factors{2, 4, 8, 16, 32};
    switch (random.below(10)) {
    case 0:
    case 1:
    case 2: return {"split", {loop}, {random.pick(factors)}};
    case 3: return {"split", {loop}, {random.pick(factors), 2}};
    case 4: return {"reorder", {loop, other}};
    case 5: return {"fuse", {loop, other}};
    case 6: return {"cache_read", {block}, {random.below(2)}};
    case 7: return {"decompose_reduction", {block, loop}};
    case 8: return {"compute_at", {block, loop}};
    default: return {random.pick(std::vector<std::string>{"parallel", "vectorize", "unroll"}), {loop}};
    }
}

struct VariantPair {
    NamedVariant first, second;
};

/// Variants of one of the programs matmul, mm_relu, conv2d_pad and softmax: a beginning that both share, then
/// the same steps with other numbers here and there, in another order and some of them left out on a side.
inline VariantPair randomVariantPair(std::uint64_t seed)
{
    static constexpr const char *names[] = {"matmul", "mm_relu", "conv2d_pad", "softmax"};
    Random random(seed);
    NamedVariant common(schedule::makeState(program(names[seed % 4])).value());
    for (int tries = 0; tries < 8; ++tries)
        common.take(randomNamedStep(common, random));
    NamedVariant whole = common;
    std::vector<NamedStep> steps;
    for (int tries = 0; tries < 40 && steps.size() < 6; ++tries) {
        const NamedStep step = randomNamedStep(whole, random);
        if (whole.take(step))
            steps.push_back(step);
    }
    VariantPair pair{common, common};
    for (NamedVariant *side : {&pair.first, &pair.second}) {
        std::vector<NamedStep> own;
        for (NamedStep step : steps) {
            if (random.chance(15))
                continue;
            if (step.primitive == "split" && random.chance(30))
                step.numbers.front() = step.numbers.front() == 4 ? 8 : 4;
            own.push_back(step);
        }
        random.shuffle(own);
        for (int round = 0; round < 2; ++round) // a step may need the loops of one behind it
            std::erase_if(own, [&](const NamedStep &step) { return side->take(step); });
    }
    return pair;
}

} // namespace nestwright::tests
