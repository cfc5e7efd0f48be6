// SPDX-License-Identifier: Apache-2.0
/// A session that is worked on: the current variant and its view, undo, and a queue of steps.
#pragma once

#include "core/schedule/fix.h"
#include "core/schedule/script/reader.h"
#include "core/session/history/script_edit.h"
#include "core/session/session.h"
#include "core/workbench/document/executor.h"
#include "core/workbench/document/listener.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nestwright::workbench {

/// A refused step becomes a variant, or nothing but Listener::stepRefused.
enum class IfRefused : std::uint8_t { Keep, Drop };

/// For one thread; what takes long is run by the executor, every change is told to the listener.
class Document {
public:
    using StmtId = support::StmtId;
    using VariantId = session::VariantId;
    /// The program of a variant as it is shown; made once, by the executor, and never changed.
    using View = std::shared_ptr<const void>;
    using MakeView = View (*)(const schedule::State &);
    /// A run of steps on a state.
    using Run = std::function<support::Result<schedule::ScriptRun>(const schedule::State &)>;

    /// `executor` and `listener` outlive the document.
    Document(Executor &executor, Listener &listener, MakeView makeView);
    Document(const Document &) = delete;
    Document &operator=(const Document &) = delete;

    bool isOpen() const { return m_session.has_value(); }
    /// Only while open.
    const session::Session &session() const { return *m_session; }
    const session::VariantTree &tree() const { return m_session->tree(); }
    VariantId currentId() const { return tree().current().id; }
    /// Of the current variant; null while nothing is open.
    const View &view() const { return m_view; }
    /// The session at this moment, for writing it elsewhere.
    std::optional<session::Session> copy() const { return m_session; }

    /// Takes the place of what is open; what waits is forgotten. `view`: of the session's current variant.
    void take(session::Session session, View view);
    /// Goes on with a session that is the open one with more variants, and shows its current one.
    void goOnWith(session::Session session, View view);

    // Changes of the session wait their turn while something is at work, in the order asked for. Behind a
    // step that is refused, or that names loops or blocks that are gone, nothing is carried out any more:
    // Listener::dropped tells so.

    /// Applies a step of the program seen now to what is the current variant by then: the step follows its
    /// loops and blocks there.
    void apply(const schedule::Step &step, IfRefused ifRefused = IfRefused::Keep);
    /// Applies the steps that `run` gives for the state of the current variant, all at once, as one entry of
    /// the history. The last variant gets `name`. Ends with Listener::currentChanged, and `then` after it, or
    /// with Listener::failed. `from`: the variant in place of the current one.
    void applyAll(const std::string &name, Run run, std::function<void()> then = {},
                  std::optional<VariantId> from = {});
    /// Applies steps that were made on `from` to it; the end of the branch gets `name` and becomes current.
    /// Ends as above.
    void branch(VariantId from, const std::string &name, std::vector<schedule::Step> steps,
                std::function<void()> then = {});
    /// The counterpart in the current program of a loop or block of the program of `seen`; none where it is
    /// gone.
    StmtId follow(StmtId id, VariantId seen) const;
    /// A fix that makes the step legal that was refused last; none once another step was applied.
    const std::optional<schedule::Fix> &fix() const { return m_fix; }
    /// Applies its steps.
    void applyFix();
    void apply(const schedule::Fix &fix);
    /// Makes `id` current; a refused one cannot be.
    void jumpTo(VariantId id);
    /// True as well while it is not known yet which variant will be current.
    bool canUndo() const;
    bool canRedo() const;
    void undo();
    void redo();

    /// Replays steps on another variant. Ends with Listener::currentChanged, and Listener::editStopped after
    /// it where a step cannot be made there: one that is refused becomes a variant, one that names what is
    /// not there a problem; either way the steps left are `rest`.
    void edit(const session::HistoryEdit &edit);
    /// The steps that the last edit did not make, the one at fault first; empty once another edit was made.
    const std::vector<VariantId> &rest() const { return m_rest; }
    /// Replays the rest on the current variant; `skips`: without the step at fault.
    void goOn(bool skips);
    /// Makes variants of steps that were replayed on a copy of the tree; `view`: of the program behind them,
    /// which becomes the current one. Only while nothing is at work.
    void takeIn(const session::StepBranch &branch, View view);
    /// Makes variants of several edits, the current one staying so, and gives `then` the last of each.
    void make(const std::vector<session::HistoryEdit> &edits,
              std::function<void(const std::vector<VariantId> &)> then);
    /// Adds edited code of the program of `of` and makes it current; the variant.
    VariantId addEdit(VariantId of, session::CodeEdit edit);
    /// A person agrees to run the edited code that the session's file held.
    void allowEdits();
    void setName(VariantId id, const std::string &name);
    void setMarks(VariantId id, session::VariantMarks marks);

    void setTarget(const target::Target &target);
    /// The arguments that every variant is measured with from now on; the others are random.
    void setInputs(const measure::GivenInputs &inputs);
    void setMeasurement(VariantId id, measure::Measurement measurement);
    /// Sets what stood on `target` before a measurement that came to no end; none: nothing did.
    void restoreMeasurement(VariantId id, const target::Target &target,
                            std::optional<measure::Measurement> measurement);
    /// Sets the results of the target's rungs of trust.
    void setTrust(VariantId id, std::vector<measure::RungResult> results);

    const std::vector<Problem> &problems() const { return m_problems; }
    void addProblem(Problem problem);
    void clearProblems();

    /// Whether a step, a jump or whatever holds the document is at work.
    bool isBusy() const { return m_isBusy; }
    /// Lets requests wait, as while another document is being opened.
    void hold() { setBusy(true); }
    /// Ends that; what waits begins with `startNext`.
    void release() { setBusy(false); }
    void startNext();
    /// Stops what is at work and forgets what waits. Whether there was something.
    bool cancel();
    /// The executor's work ended by a fault of the program itself, and what waits is forgotten.
    void workFailed(const support::Diagnostic &why);

private:
    struct AppliedStep;
    struct AppliedSteps;
    struct EditedHistory;

    // document_queue.cpp
    /// A step on the program of the variant that was seen when it was asked for.
    struct SeenStep {
        schedule::Step step;
        VariantId seen;
        bool isKept = true; ///< as a variant, if it is refused
    };
    enum class Move : std::uint8_t { Undo, Redo };
    /// Request that waits its turn: a step, a jump, a move along the tree, other work on the session.
    using Request = std::variant<SeenStep, VariantId, Move, std::function<void()>>;
    void ask(Request request);
    void start(const SeenStep &asked);
    void start(Move move);
    std::optional<VariantId> lastTarget() const;
    void dropWaiting(const support::Diagnostic &why);
    void startApply(const schedule::Step &step, bool isKept);
    void startJump(VariantId id);
    void finishApply(const schedule::Step &step, bool isKept, AppliedStep result);
    void finishRefused(const support::Diagnostic &why, std::optional<schedule::Fix> fix);
    void startAll(VariantId parent, const std::string &name, const Run &run,
                  const std::function<void()> &then);
    void finishAll(const std::string &name, AppliedSteps run);
    template <class Work, class Done> void run(Work work, Done done);

    // document_history.cpp
    void startEdit(const session::HistoryEdit &edit);
    void startMaking(const std::vector<session::HistoryEdit> &edits,
                     const std::function<void(const std::vector<VariantId> &)> &then);
    void finishEdit(const session::HistoryEdit &edit, const EditedHistory &made);
    void tellConflicts(int first);

    void show(VariantId id, View view);
    void remember(VariantId id, const View &view);
    View remembered(VariantId id) const;
    void setBusy(bool busy);

    Executor &m_executor;
    Listener &m_listener;
    MakeView m_makeView;
    std::optional<session::Session> m_session;
    View m_view;
    VariantId m_shown;                 ///< whose view it is
    std::map<VariantId, View> m_views; ///< of the variants seen last
    std::deque<VariantId> m_seen;      ///< their order
    std::deque<Request> m_waiting;
    std::optional<schedule::Fix> m_fix;
    std::vector<VariantId> m_rest;      ///< steps of the last edit that were not made
    std::optional<VariantId> m_jumping; ///< where the jump at work goes
    std::vector<Problem> m_problems;
    bool m_isBusy = false;
};

/// Runs `work` while the document is busy, then `done` with its result.
template <class Work, class Done> void Document::run(Work work, Done done)
{
    setBusy(true);
    m_executor.run([this, work = std::move(work), done = std::move(done)]() -> Executor::Then {
        using Value = decltype(work());
        return [this, done, result = std::make_shared<Value>(work())] {
            setBusy(false);
            done(std::move(*result));
        };
    });
}

} // namespace nestwright::workbench
