// SPDX-License-Identifier: Apache-2.0
/// The history of a session: every variant ever made, as a tree. Nothing is lost; undo goes to the parent.
#pragma once

#include "core/explore/step_path.h"
#include "core/measure/measurement.h"
#include "core/measure/verify/rungs.h"
#include "core/schedule/step.h"
#include "core/session/history/code_edit.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::session {

/// Position of a variant in its tree; the unscheduled program is 0.
struct VariantId {
    int value = 0;
    auto operator<=>(const VariantId &) const = default;
};

/// Marks that a person sets on a variant.
struct VariantMarks {
    bool star = false;
    int color = 0; ///< 0: none; 1 to colorCount
    std::vector<std::string> tags{};
    std::string note{};
    bool operator==(const VariantMarks &) const = default;

    static constexpr int colorCount = 6;
};

/// One node of the history: the step that made it, and its result; or edited code of its parent's program.
struct Variant {
    VariantId id;
    std::optional<VariantId> parent; ///< none for the root
    std::vector<VariantId> children; ///< in the order made
    schedule::Step step;             ///< that of the root, and of edited code, has no primitive
    std::optional<CodeEdit> edit{};  ///< its code is this text; nothing is made from it but other edits
    std::string label;               ///< "split(i, [None, 4])"; the root's names the program
    std::string
        name{}; ///< a person's, or of the schedule that ends here where the kernel's file names several
    VariantMarks marks{};
    support::Result<schedule::State> state;                  ///< the Diagnostic of a step that was refused
    schedule::ForwardMap forward;                            ///< where selections of the parent go
    std::optional<measure::Measurement> measurement;         ///< on the tree's target
    std::map<std::string, measure::Measurement> elsewhere{}; ///< on other targets, by their texts
    std::map<std::string, std::vector<measure::RungResult>> trust{}; ///< by the targets' texts
    std::optional<VariantId> redoChild;                              ///< where redo goes
    std::optional<VariantId> partOf{}; ///< it was made on the way to that variant, by one action of a person
    std::optional<VariantId> madeFrom{}; ///< of the end of such a way: the variant that was current
    std::optional<VariantId> redoOver{}; ///< the end of the way that redo goes instead of its child

    bool ok() const { return state.has_value(); }
    bool isRoot() const { return !parent; }
    /// The fastest on another target, with its text; null where there is none.
    const std::pair<const std::string, measure::Measurement> *fastestElsewhere() const;
};

class VariantTree {
public:
    VariantTree(schedule::State initial, std::string label);

    const Variant &at(VariantId id) const { return m_variants.at(static_cast<std::size_t>(id.value)); }
    const Variant &root() const { return m_variants.front(); }
    const Variant &current() const { return at(m_current); }
    int size() const { return static_cast<int>(m_variants.size()); }
    /// All variants in the order made.
    const std::vector<Variant> &all() const { return m_variants; }

    /// Adds the result of `step` on `parent`, or on the program below it where that is edited code. The same
    /// step made twice on one parent is one variant: the one there is returned. A refused step becomes a
    /// variant without state.
    VariantId add(VariantId parent, const schedule::Step &step, support::Result<schedule::Applied> applied);

    /// Adds edited code of the program of `parent`; where the same text is there already, that variant.
    VariantId addEdit(VariantId parent, CodeEdit edit);
    /// The variant that steps on `id` begin at: `id`, or the one below edited code.
    VariantId programOf(VariantId id) const { return at(id).edit ? *at(id).parent : id; }
    /// Number of edits that come from a file and were not agreed to.
    int foreignEdits() const;
    /// A person agrees to run the edits of the file.
    void allowEdits();

    /// Makes `id` the current variant; one without state cannot be (false).
    bool setCurrent(VariantId id);
    /// The variants from number `first` on were made by one action, the last of them being `end`, while
    /// `from` was current: histories fold them, undo goes back to `from`.
    void fold(int first, VariantId end, VariantId from);
    /// Whether a history may leave it out: it only leads on, and nothing is said of it.
    bool isOnTheWay(VariantId id) const;
    /// Targets of undo and redo from a variant.
    std::optional<VariantId> undoTarget(VariantId id) const;
    std::optional<VariantId> redoTarget(VariantId id) const;
    std::optional<VariantId> undoTarget() const { return undoTarget(m_current); }
    std::optional<VariantId> redoTarget() const { return redoTarget(m_current); }

    /// The schedule `name` of the kernel's file ends at `id`; several may.
    void addName(VariantId id, const std::string &name);
    /// Gives it this name alone; an empty one takes it away.
    void setName(VariantId id, std::string name);
    void setMarks(VariantId id, VariantMarks marks);
    /// Sets a measurement on the tree's target.
    void setMeasurement(VariantId id, measure::Measurement measurement);
    /// Measurements for another target are kept until that is the target again. `target` as
    /// target::Target::str writes it.
    void setTarget(const std::string &target);
    const std::string &target() const { return m_target; }
    /// Sets what stood on `target` before a measurement that came to no end; none: nothing did.
    void restoreMeasurement(VariantId id, const std::string &target,
                            std::optional<measure::Measurement> measurement);
    /// Sets the results of the rungs of the tree's target, which no file keeps.
    void setTrust(VariantId id, std::vector<measure::RungResult> results);
    /// The results for the tree's target; none where it was not checked.
    std::span<const measure::RungResult> trust(VariantId id) const;
    void setMeasurementElsewhere(VariantId id, const std::string &target, measure::Measurement measurement);

    /// The steps from the root to `id`.
    std::vector<schedule::Step> trace(VariantId id) const;
    /// The variants from the root to `id`, both included.
    std::vector<VariantId> path(VariantId id) const;
    /// The same as steps with the states between them. Only of a variant that was not refused.
    explore::StepPath steps(VariantId id) const;

private:
    std::vector<Variant> m_variants;
    VariantId m_current;
    std::string m_target;
};

} // namespace nestwright::session
