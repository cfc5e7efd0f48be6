// SPDX-License-Identifier: Apache-2.0
/// A schedule as the rules of findings see it.
#pragma once

#include "core/backend/listing/loop_code.h"
#include "core/explore/predict/access_strides.h"
#include "core/explore/step_path.h"
#include "core/suggest/loop_nest.h"
#include "core/target/machine.h"
#include "core/target/target.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::explore {

struct SceneLoop {
    StmtId id;
    std::int64_t extent = 1;
    ir::ForKind kind = ir::ForKind::Serial;
    bool isReduction = false; ///< drives axes of reduction alone
    bool isSpatial = false;   ///< drives spatial axes alone
};

/// A block that holds no other, whose loops all have a known number of iterations.
struct SceneBlock {
    StmtId id;
    std::string name;
    const ir::Block *block = nullptr;
    std::vector<SceneLoop> loops{}; ///< outermost first, without those of one iteration that are not parallel
    std::vector<AccessStrides> accesses{}; ///< one stride for each of `loops`
    double runs = 1;                       ///< of its body
    double operations = 1;                 ///< of a run; at least one
    double share = 0;                      ///< of the time of all blocks, by a rough estimate, 0 … 1
    bool reduces = false;

    std::int64_t elementBytes() const;
    /// Positions in `loops`; nothing where there is none.
    std::optional<std::size_t> vectorLoop() const;
    std::optional<std::size_t> parallelLoop() const;
    std::optional<std::size_t> lastReduction() const;
};

/// Elements of a buffer, to compare with counts; sizes that are symbolic count as one.
double countedElements(const ir::Buffer &buffer);

/// Everything is found when first asked for. Not for several threads at once.
class Scene {
public:
    /// `target` and `machine` must live as long.
    Scene(StepPath path, const target::Target &target, const target::Machine &machine, std::stop_token stop);

    const StepPath &path() const { return m_path; }
    const schedule::State &state() const { return m_path.end(); }
    const suggest::LoopNest &nest() const { return m_nest; }
    const target::Machine &machine() const { return m_machine; }
    const target::Target &target() const { return m_target; }
    const std::stop_token &stop() const { return m_stop; }
    const analysis::FunctionIndex &index() const { return *m_index; }
    bool isKnown() const { return m_index != nullptr; }

    /// Blocks, the one with most work first.
    const std::vector<SceneBlock> &blocks() const { return m_blocks; }
    const SceneBlock *block(std::string_view name) const;
    /// The predicted time; 0 where it is not known.
    double seconds() const;
    /// The loop of machine code that does most of a block's work; null where none is made here.
    const backend::LoopCode *code(const SceneBlock &block) const;

    /// Whether the buffer lives only within the program.
    bool isIntermediate(const ir::Buffer &buffer) const;
    std::string name(StmtId id) const { return m_nest.name(id); }

private:
    void addBlock(StmtId id);

    StepPath m_path;
    const target::Target &m_target;
    const target::Machine &m_machine;
    std::stop_token m_stop;
    suggest::LoopNest m_nest;
    const analysis::FunctionIndex *m_index = nullptr;
    std::vector<SceneBlock> m_blocks;
    mutable std::optional<double> m_seconds;
    mutable std::optional<std::vector<backend::LoopCode>> m_code;
};

} // namespace nestwright::explore
