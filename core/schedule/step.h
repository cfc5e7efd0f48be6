// SPDX-License-Identifier: Apache-2.0
/// A schedule step and its result.
#pragma once

#include "core/schedule/state.h"
#include "core/schedule/value.h"

#include <map>

namespace nestwright::schedule {

struct Primitive;

/// Results of sampling a place to compute at besides loops: computing at the mark of inlining inlines the
/// block, at that of the root leaves it where it is.
inline constexpr StmtId inlineMark{0xfffffffe};
inline constexpr StmtId rootMark{0xffffffff};
inline bool isMark(StmtId id) { return id == inlineMark || id == rootMark; }

/// One value per field of the primitive, in the order of its fields.
using Args = ArgList;

/// One call of a primitive. A default-made argument list is filled up with the fields' defaults by
/// `makeStep`.
struct Step {
    const Primitive *primitive = nullptr;
    Args args;
    bool operator==(const Step &) const = default;
};

/// Maps loops and blocks of the state before to those after.
class ForwardMap {
public:
    /// Statement that a selection of `id` moves to: the same id when it survived, the id that took its place,
    /// or none.
    StmtId operator()(StmtId id) const
    {
        const auto found = m_changed.find(id);
        return found == m_changed.end() ? id : found->second;
    }
    void set(StmtId before, StmtId after) { m_changed[before] = after; }
    /// This map followed by `next`.
    ForwardMap then(const ForwardMap &next) const;
    bool contains(StmtId before) const { return m_changed.contains(before); }
    const std::map<StmtId, StmtId> &changed() const { return m_changed; }

private:
    std::map<StmtId, StmtId> m_changed; ///< only ids that did not survive
};

/// The state after a step, and the step's results (ids of loops and blocks, or integers), in TVM's order.
struct Applied {
    State state;
    ArgList outputs{};
    ForwardMap forward{};
    /// decision of a sampling step, for the field that keeps decisions
    ArgValue decision = {};

    /// Result `i`, which must be a loop or block.
    StmtId id(std::size_t i) const { return *outputs.at(i).as<StmtId>(); }
};

} // namespace nestwright::schedule
