// SPDX-License-Identifier: Apache-2.0
/// The queue of steps, jumps and other work on the session.
#include "core/workbench/document/document.h"

#include "core/schedule/apply.h"
#include "core/suggest/no_change.h"
#include "core/support/errors/crash_report.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::workbench {

using support::Diagnostic;
using support::Result;
using support::StmtId;

struct Document::AppliedStep {
    VariantId parent;
    Result<schedule::Applied> applied;
    View view;                        ///< null when the step was refused
    std::optional<schedule::Fix> fix; ///< of a refused step, where one is known
};

struct Document::AppliedSteps {
    VariantId parent;
    std::vector<std::pair<schedule::Step, schedule::Applied>> steps;
    View view; ///< behind the last
};

namespace {

/// `value` with each loop and block by `follow`; sets `isGone` where one is nowhere.
template <class Follow>
schedule::ArgValue followed(const schedule::ArgValue &value, const Follow &follow, bool &isGone)
{
    schedule::ArgValue result = value;
    if (const StmtId *id = value.as<StmtId>(); id && *id && !schedule::isMark(*id)) {
        const StmtId now = follow(*id);
        isGone = isGone || !now;
        result.value = now;
    } else if (const schedule::ArgList *list = value.as<schedule::ArgList>()) {
        schedule::ArgList items;
        for (const schedule::ArgValue &item : *list)
            items.push_back(followed(item, follow, isGone));
        result.value = std::move(items);
    }
    return result;
}

} // namespace

// --- what is asked for -------------------------------------------------------------------------------------

void Document::apply(const schedule::Step &step, IfRefused ifRefused)
{
    if (!isOpen())
        return;
    support::noteStep(std::string(step.primitive->name));
    ask(SeenStep{step, m_shown, ifRefused == IfRefused::Keep});
}

void Document::applyFix()
{
    if (m_fix)
        apply(*std::exchange(m_fix, std::nullopt));
}

void Document::apply(const schedule::Fix &fix)
{
    if (fix.first)
        apply(*fix.first);
    apply(fix.then);
}

void Document::applyAll(const std::string &name, Run run, std::function<void()> then,
                        std::optional<VariantId> from)
{
    if (!isOpen())
        return;
    ask([this, from, name, run = std::move(run), then = std::move(then)] {
        startAll(from.value_or(currentId()), name, run, then);
    });
}

void Document::branch(VariantId from, const std::string &name, std::vector<schedule::Step> steps,
                      std::function<void()> then)
{
    const auto run = [steps = std::move(steps)](const schedule::State &) -> Result<schedule::ScriptRun> {
        schedule::ScriptRun given;
        for (const schedule::Step &step : steps)
            given.steps.push_back({.step = step, .outputs = {}});
        return given;
    };
    applyAll(name, run, std::move(then), from);
}

void Document::jumpTo(VariantId id)
{
    if (isOpen() && tree().at(id).ok())
        ask(id);
}

/// The variant that will be current once all that waits is done; none while that is open.
std::optional<session::VariantId> Document::lastTarget() const
{
    if (!isOpen())
        return {};
    if (m_waiting.empty())
        return m_isBusy ? m_jumping : currentId();
    const VariantId *id = std::get_if<VariantId>(&m_waiting.back());
    return id ? std::optional(*id) : std::nullopt;
}

bool Document::canUndo() const
{
    const std::optional<VariantId> target = lastTarget();
    return isOpen() && (!target || tree().undoTarget(*target));
}

bool Document::canRedo() const
{
    const std::optional<VariantId> target = lastTarget();
    return isOpen() && (!target || tree().redoTarget(*target));
}

void Document::undo()
{
    if (canUndo())
        ask(Move::Undo);
}

void Document::redo()
{
    if (canRedo())
        ask(Move::Redo);
}

// --- the queue ---------------------------------------------------------------------------------------------

void Document::ask(Request request)
{
    if (const Move *move = std::get_if<Move>(&request)) {
        if (const std::optional<VariantId> from = lastTarget()) // where it goes to is known already
            request = *(*move == Move::Undo ? tree().undoTarget(*from) : tree().redoTarget(*from));
    }
    const bool isJump = std::holds_alternative<VariantId>(request);
    if (isJump && !m_waiting.empty() && std::holds_alternative<VariantId>(m_waiting.back()))
        m_waiting.back() = std::move(request); // nobody would see the one before
    else
        m_waiting.push_back(std::move(request));
    startNext();
}

void Document::startNext()
{
    while (!m_isBusy && isOpen() && !m_waiting.empty()) {
        const Request next = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (const auto *step = std::get_if<SeenStep>(&next))
            start(*step);
        else if (const auto *id = std::get_if<VariantId>(&next))
            startJump(*id);
        else if (const auto *move = std::get_if<Move>(&next))
            start(*move);
        else
            std::get<std::function<void()>>(next)();
    }
}

void Document::start(const SeenStep &asked)
{
    schedule::Step step = asked.step;
    bool isGone = false;
    for (schedule::ArgValue &arg : step.args)
        arg = followed(arg, [&](StmtId id) { return follow(id, asked.seen); }, isGone);
    if (!isGone) {
        startApply(step, asked.isKept);
        return;
    }
    dropWaiting(support::diagnostic("window.gone", std::string(step.primitive->title)
                                                       + " was not made: the step before it took away the "
                                                         "loop or block that it was meant for")
                    .withHint("select another one"));
}

void Document::start(Move move)
{
    const VariantId from = currentId();
    if (const auto to = move == Move::Undo ? tree().undoTarget(from) : tree().redoTarget(from))
        startJump(*to);
}

/// Drops the waiting requests, which were meant for a program that is not there.
void Document::dropWaiting(const Diagnostic &why)
{
    m_waiting.clear();
    m_listener.dropped(why);
}

// --- jumps -------------------------------------------------------------------------------------------------

void Document::startJump(VariantId id)
{
    if (View view = remembered(id)) {
        show(id, std::move(view));
        return;
    }
    run([state = *tree().at(id).state, makeView = m_makeView] { return makeView(state); },
        [this, id](View view) {
            show(id, std::move(view));
            startNext();
        });
    if (m_isBusy) // else it is over already
        m_jumping = id;
}

// --- one step ----------------------------------------------------------------------------------------------

void Document::startApply(const schedule::Step &step, bool isKept)
{
    if (const auto useless = suggest::whyNoChange(*tree().current().state, step)) {
        m_fix.reset();
        m_listener.stepRefused(*useless); // no variant is made of nothing
        return;
    }
    run(
        [parent = currentId(), step, state = *tree().current().state, makeView = m_makeView] {
            AppliedStep result{parent, schedule::apply(state, step), {}, {}};
            if (result.applied)
                result.view = makeView(result.applied->state);
            else
                result.fix = schedule::fixFor(state, step, result.applied.error());
            return result;
        },
        [this, step, isKept](AppliedStep result) { finishApply(step, isKept, std::move(result)); });
}

/// Reason and fix of a refused step are told; requests that waited for it are dropped.
void Document::finishRefused(const Diagnostic &why, std::optional<schedule::Fix> fix)
{
    m_fix = std::move(fix);
    m_listener.stepRefused(why);
    if (const std::size_t waiting = m_waiting.size(); waiting > 0)
        dropWaiting(support::diagnostic(
            "window.gone", std::format("{} action{} that waited for the refused step will not be carried out",
                                       waiting, waiting == 1 ? "" : "s")));
}

void Document::finishApply(const schedule::Step &step, bool isKept, AppliedStep result)
{
    m_fix.reset();
    if (!result.applied && !isKept) {
        finishRefused(result.applied.error(), std::move(result.fix));
        return;
    }
    const int before = tree().size();
    const VariantId id = m_session->tree().add(result.parent, step, std::move(result.applied));
    m_listener.edited();
    if (tree().size() != before)
        m_listener.variantsChanged();
    if (!tree().at(id).ok()) {
        const Diagnostic why = tree().at(id).state.error();
        addProblem({Problem::Kind::Refused, why, id});
        finishRefused(why, std::move(result.fix));
        return;
    }
    View known = remembered(id); // where the step had been made before
    show(id, known ? std::move(known) : std::move(result.view));
    startNext();
}

// --- many steps as one entry -------------------------------------------------------------------------------

void Document::startAll(VariantId parent, const std::string &name, const Run &steps,
                        const std::function<void()> &then)
{
    support::noteStep(name);
    run(
        [steps, parent, state = *tree().at(parent).state, makeView = m_makeView]() -> Result<AppliedSteps> {
            const auto given = steps(state);
            if (!given)
                return support::fail(given.error());
            AppliedSteps result{parent, {}, {}};
            schedule::State at = state;
            for (const schedule::ScriptStep &each : given->steps) {
                if (each.step.primitive->isQuery)
                    continue;
                auto applied = schedule::apply(at, each.step);
                if (!applied)
                    return support::fail(applied.error());
                at = applied->state;
                result.steps.emplace_back(each.step, std::move(*applied));
            }
            result.view = makeView(at);
            return result;
        },
        [this, name, then](Result<AppliedSteps> result) {
            const bool isMade = result.has_value();
            if (isMade)
                finishAll(name, std::move(*result));
            else
                m_listener.failed(result.error());
            if (isMade && then)
                then();
            startNext();
        });
}

void Document::finishAll(const std::string &name, AppliedSteps run)
{
    if (run.steps.empty())
        return;
    m_fix.reset();
    VariantId at = run.parent;
    std::optional<int> first; // of those that are no rows of their own
    for (const auto &[step, applied] : run.steps) {
        const std::vector<VariantId> &children = tree().at(at).children;
        const auto known = std::ranges::find_if(children, [&](VariantId child) {
            return !tree().at(child).edit && tree().at(child).step == step;
        });
        const bool isOwn = known != children.end() && !tree().at(*known).partOf;
        at = m_session->tree().add(at, step, applied);
        const bool isEnd = &step == &run.steps.back().first;
        if (isOwn && !isEnd)
            first.reset();
        else if (!first)
            first = at.value;
    }
    if (first)
        m_session->tree().fold(*first, at, currentId());
    m_session->tree().addName(at, name);
    m_listener.edited();
    m_listener.variantsChanged();
    show(at, std::move(run.view));
}

} // namespace nestwright::workbench
