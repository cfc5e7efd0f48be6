// SPDX-License-Identifier: Apache-2.0
/// Neighbours of a schedule: with other numbers, without a step, with some more.
#pragma once

#include "core/explore/findings/finding.h"
#include "core/explore/findings/scene.h"

#include <functional>
#include <string_view>
#include <vector>

namespace nestwright::explore {

/// Steps added to a schedule one after the other. Once one is refused it does nothing more.
class StepChain {
public:
    explicit StepChain(StepPath path) : m_path(std::move(path)) {}

    /// The results of the step, made at the end or, where it is not legal there, before as few of the other
    /// steps as can be; empty where it is refused.
    schedule::ArgList apply(std::string_view primitive,
                            const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args);
    /// The first result; none where the step is refused.
    StmtId applied(std::string_view primitive,
                   const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args);
    /// A chain that cannot go on.
    void refuse() { m_isLegal = false; }

    bool isLegal() const { return m_isLegal; }
    const StepPath &path() const { return m_path; }
    suggest::LoopNest nest() const;
    /// Adds the schedule so far to `variations` where all steps were legal.
    void finish(std::vector<Variation> &variations, std::string title) const;

private:
    schedule::ArgList insert(const schedule::Step &step);

    StepPath m_path;
    bool m_isLegal = true;
};

/// The place of the step that made the loop; nothing where it is of the unscheduled program.
std::optional<std::size_t> placeWhereMade(const StepPath &path, StmtId loop);
/// The place of the last step of the primitive with this loop or block as its first argument.
std::optional<std::size_t> placeOfStep(const StepPath &path, std::string_view primitive, StmtId subject);

/// The place of the last step that moved the block into a loop; nothing where none did.
std::optional<std::size_t> placeOfMove(const StepPath &path, StmtId block);

/// The schedule with other numbers in the step that made the loop: that of the loop itself, where it has one,
/// else each. `values` gives those to try for a number of a loop of so many iterations (0: not known).
std::vector<Variation> otherNumbers(
    const Scene &scene, StmtId loop,
    const std::function<std::vector<std::int64_t>(std::int64_t value, std::int64_t iterations)> &values);

/// The schedule with the step at `place`, which moves the stage into a loop, moving it into another: one
/// around that loop, or within it.
std::vector<Variation> otherPlaces(const Scene &scene, std::size_t place, std::string_view stage,
                                   bool within);

/// All that divide a loop of so many iterations, up to `most`, ascending.
std::vector<std::int64_t> divisorsOf(std::int64_t iterations, std::int64_t most);

/// Brings the loop innermost and makes it a vector, of `lanes` where it is longer than that divides.
/// `said` gets what was done: "split j by 32, vectorize it".
void computeByVectors(StepChain &chain, StmtId loop, std::int64_t lanes, std::string &said);

/// Lets the terms of a sum be added up in any order, by vectors.
void sumInParts(StepChain &chain, StmtId loop);
/// Whether they may be.
bool reassociates(const Scene &scene, const SceneLoop &loop);

/// Numbers of the type in a vector of the machine.
std::int64_t lanesOf(const Scene &scene, const SceneBlock &block);

} // namespace nestwright::explore
