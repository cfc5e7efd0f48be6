// SPDX-License-Identifier: Apache-2.0
/// The schedules of TVM's tensor-expression days (te.create_schedule): what was asked of each stage.
#pragma once

#include "core/frontend/te_script/arguments.h"
#include "core/frontend/te_script/schedule_steps.h"

#include <map>
#include <optional>

namespace nestwright::te {

class Interpreter;

/// A loop of a stage: one of its operation's axes, or made by a split or fuse.
struct LegacyAxis {
    std::string name;
    int stage = 0;
    Var var; ///< of the operation's axis; null for made ones
};

/// An action on the loops of a stage; actions are kept in the order of the script.
struct LegacyAction {
    enum class Kind { Split, Fuse, Reorder, Vectorize, Parallel, Unroll, Bind, Pragma, DoubleBuffer };
    Kind kind = Kind::Split;
    std::vector<int> axes;    ///< worked on
    std::vector<int> results; ///< made
    std::int64_t factor = 0;  ///< of a split
    bool isParts = false;     ///< the factor is the number of outer iterations
    std::string text;         ///< thread tag, or key of a pragma
    StepValue value;          ///< of a pragma
    int line = 0;
};

struct LegacyStage {
    enum class Kind {
        Compute,
        CacheWrite, ///< copies what the compute stage wrote to its cache
        CacheRead,
        Factored, ///< the partial results that rfactor takes out of a reduction
    };
    Kind kind = Kind::Compute;
    std::shared_ptr<const Operation> operation; ///< what s[…] finds it by
    ir::Buffer written;                         ///< by the block of the kernel that a compute stage is
    std::vector<int> own;                       ///< axes of the operation
    std::vector<int> leaves;                    ///< axes as they are nested now, outermost first
    bool isInlined = false;
    int inlineLine = 0;
    int attachStage = -1, attachAxis = -1, attachLine = 0;
    std::vector<LegacyAction> actions;
    // For a cache:
    std::string scope;
    int source = -1;          ///< stage that computes what a CacheWrite copies
    ir::Buffer cached;        ///< buffer of the kernel that a CacheRead stands for
    std::vector<int> readers; ///< stages that read a CacheRead
    int line = 0;
    // For a Factored stage; `source` is the stage that it was taken out of.
    std::vector<int> sourceAxes;             ///< of the source, as they were before
    std::vector<LegacyAction> sourceActions; ///< done to them before
    int factor = -1;                         ///< axis of the source whose iterations are kept apart
    std::int64_t factorAxis = 0;             ///< its place among the dimensions of the partial results
    std::vector<int> nested,
        nestedAttached; ///< own axes as TensorIR nests them at the root and under compute_at
    std::shared_ptr<const Operation> former; ///< of the source: its operation before, which still finds it
};

class LegacySchedule {
public:
    explicit LegacySchedule(std::vector<std::shared_ptr<const Operation>> outputs);

    const std::vector<std::shared_ptr<const Operation>> &outputs() const { return m_outputs; }
    const std::vector<LegacyStage> &stages() const { return m_stages; }
    const std::vector<LegacyAxis> &axes() const { return m_axes; }
    /// Stages from producers to consumers.
    const std::vector<int> &order() const { return m_order; }
    /// Caches in the order they were asked for.
    const std::vector<int> &caches() const { return m_caches; }

    /// `s[key]`
    Value stageOf(Interpreter &interpreter, const std::shared_ptr<LegacySchedule> &self, const Value &key,
                  py::Position at) const;
    /// `s[C].op`; nothing for other names.
    std::optional<Value> stageAttribute(int stage, const std::string &name) const;
    /// `s.cache_write(…)`; nothing when there is no such method.
    std::optional<Value> callMethod(const std::shared_ptr<LegacySchedule> &self, const std::string &name,
                                    const Arguments &arguments);
    /// `s[C].split(…)`; nothing when there is no such method.
    std::optional<Value> callStageMethod(const std::shared_ptr<LegacySchedule> &self, int stage,
                                         const std::string &name, const Arguments &arguments);

private:
    int addStage(const std::shared_ptr<const Operation> &operation, LegacyStage::Kind kind);
    int addAxis(int stage, std::string name, Var var = {});
    int findStage(const Operation *operation) const;
    int stageArgument(const Arguments &arguments, std::size_t index, std::string_view name) const;
    /// The axis at `index`, which must be a loop of `stage` as it is now; nothing where it comes from a
    /// skipped line.
    std::optional<int> axisArgument(const Arguments &arguments, const ArgumentValue &argument,
                                    std::string_view name, int stage) const;

    Value cacheRead(const Arguments &arguments);
    Value cacheWrite(const Arguments &arguments);
    Value factorReduction(const Arguments &arguments);
    /// For each axis that `stage` has or had, whether it iterates over (part of) a reduction; nothing when
    /// something else than splits and fuses of reduce axes was done to the stage.
    std::optional<std::vector<bool>> reduceAxes(int stage) const;
    /// The sum over the reduce axes of `before` other than `factor`, which becomes its data-parallel axis
    /// `factorAxis`.
    Operation partialSum(const LegacyStage &before, const std::vector<bool> &reduces, int factor,
                         std::int64_t factorAxis) const;
    Value split(const std::shared_ptr<LegacySchedule> &self, int stage, const Arguments &arguments);
    Value tile(const std::shared_ptr<LegacySchedule> &self, int stage, const Arguments &arguments);
    Value fuse(const std::shared_ptr<LegacySchedule> &self, int stage, const Arguments &arguments);
    Value reorder(int stage, const Arguments &arguments);
    Value annotate(int stage, LegacyAction::Kind kind, const Arguments &arguments);
    Value computeAt(int stage, const Arguments &arguments);
    /// Splits `axis`; the outer and inner axis.
    std::pair<int, int> splitAxis(int stage, int axis, std::int64_t factor, bool isParts, int line);

    std::vector<std::shared_ptr<const Operation>> m_outputs;
    std::vector<LegacyStage> m_stages;
    std::vector<LegacyAxis> m_axes;
    std::vector<int> m_order, m_caches;
};

/// The schedule as steps on the blocks of `function`, in an order that TensorIR allows: caches and inlining
/// first, then each stage's place and loops, consumers before producers. Fails, as a script does, where a
/// stage is computed at one that has no loops by then.
ScheduleSteps toSteps(const Interpreter &interpreter, const LegacySchedule &schedule, const ir::Stmt &root);

} // namespace nestwright::te
