// SPDX-License-Identifier: GPL-3.0-or-later
/// The queue of steps, jumps and other work on the session.
#include "widgets/document/document.h"

#include "core/schedule/apply.h"
#include "core/suggest/no_change.h"
#include "core/support/errors/crash_report.h"
#include "widgets/document/text.h"

#include <algorithm>

namespace nestwright::document {

using support::Result;

struct Document::AppliedNest {
    VariantId parent;
    Result<schedule::Applied> applied;
    NestPtr nest;                     ///< null when the step was refused
    std::optional<schedule::Fix> fix; ///< of a refused step, where one is known
};

struct Document::AppliedSteps {
    VariantId parent;
    std::vector<std::pair<schedule::Step, schedule::Applied>> steps;
    NestPtr nest; ///< behind the last; its variant is not known yet
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

void Document::apply(const schedule::Step &step, IfRefused ifRefused)
{
    if (!isOpen())
        return;
    support::noteStep(std::string(step.primitive->name));
    ask(SeenStep{step, m_nest->variant, ifRefused == IfRefused::Keep});
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

void Document::jumpTo(VariantId id)
{
    if (isOpen() && tree().at(id).ok())
        ask(id);
}

/// The variant that will be current once all that waits is done; none while that is open.
std::optional<VariantId> Document::lastTarget() const
{
    if (!isOpen())
        return {};
    if (m_waiting.empty())
        return m_busy ? m_jumping : currentId();
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
    while (!m_busy && isOpen() && !m_waiting.empty()) {
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

StmtId Document::follow(StmtId id, VariantId seen) const
{
    const std::vector<StmtId> there = forwarded({id}, seen, currentId());
    return there.empty() ? StmtId() : there.front();
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
    Q_EMIT dropped(why);
}

void Document::startJump(VariantId id)
{
    if (NestPtr nest = remembered(id)) {
        show(id, std::move(nest));
        return;
    }
    m_jumping = id;
    setBusy(true);
    m_jobs.run(
        QStringLiteral("document"), this,
        [id, state = *tree().at(id).state](const jobs::Job &) { return makeNest(id, state); },
        [this, id](const std::shared_ptr<const NestPtr> &nest) {
            setBusy(false);
            m_jumping.reset();
            show(id, *nest);
            startNext();
        });
}

void Document::startApply(const schedule::Step &step, bool isKept)
{
    if (const auto useless = suggest::whyNoChange(*tree().current().state, step)) {
        m_fix.reset();
        Q_EMIT stepRefused(*useless); // no variant is made of nothing
        return;
    }
    setBusy(true);
    const VariantId parent = currentId();
    const VariantId next{tree().size()};
    m_jobs.run(
        QStringLiteral("document"), this,
        [parent, next, step, state = *tree().current().state](const jobs::Job &) {
            AppliedNest result{parent, schedule::apply(state, step), {}, {}};
            if (result.applied)
                result.nest = makeNest(next, result.applied->state);
            else
                result.fix = schedule::fixFor(state, step, result.applied.error());
            return result;
        },
        [this, step, isKept](const std::shared_ptr<const AppliedNest> &result) {
            finishApply(step, isKept, *result);
        });
}

/// Reason and fix of a refused step are told; requests that waited for it are dropped.
void Document::finishRefused(const AppliedNest &result)
{
    m_fix = result.fix;
    Q_EMIT stepRefused(result.applied.error());
    if (const auto waiting = static_cast<int>(m_waiting.size()); waiting > 0)
        dropWaiting(support::diagnostic("window.gone",
                                        counted(waiting, tr("action")).toStdString()
                                            + " that waited for the refused step will not be carried out"));
}

void Document::finishApply(const schedule::Step &step, bool isKept, const AppliedNest &result)
{
    setBusy(false);
    m_fix.reset();
    if (!result.applied && !isKept) {
        finishRefused(result);
        return;
    }
    const int before = tree().size();
    const VariantId id = m_session->tree().add(result.parent, step, result.applied);
    setModified(true);
    if (tree().size() != before)
        Q_EMIT variantsChanged();
    if (!tree().at(id).ok()) {
        addProblem({Problem::Kind::Refused, tree().at(id).state.error(), id});
        finishRefused(result);
        return;
    }
    NestPtr nest = remembered(id);
    if (!nest && id == result.nest->variant)
        nest = result.nest;
    if (!nest) { // the step had been made before, and its nest is no longer at hand
        auto renamed = std::make_shared<Nest>(*result.nest);
        renamed->variant = id;
        nest = std::move(renamed);
    }
    show(id, std::move(nest));
    startNext();
}

void Document::applyAll(const QString &name,
                        std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run,
                        std::function<void()> then, std::optional<VariantId> from)
{
    if (isOpen())
        applyAllTo(from, name, std::move(run), std::move(then));
}

/// `parent`: none for the variant that is current by then.
void Document::applyAllTo(std::optional<VariantId> parent, const QString &name,
                          std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run,
                          std::function<void()> then)
{
    if (!isOpen())
        return;
    ask([this, parent, name, run = std::move(run), then = std::move(then)] {
        startAll(parent.value_or(currentId()), name, run, then);
    });
}

void Document::startAll(VariantId parent, const QString &name,
                        std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run,
                        std::function<void()> then)
{
    setBusy(true);
    support::noteStep(name.toStdString());
    const auto work = [run = std::move(run), parent,
                       state = *tree().at(parent).state](const jobs::Job &) -> Result<AppliedSteps> {
        const auto given = run(state);
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
        result.nest = makeNest(parent, at);
        return result;
    };
    m_jobs.run(
        QStringLiteral("document"), this, work,
        [this, name, then = std::move(then)](const std::shared_ptr<const Result<AppliedSteps>> &result) {
            setBusy(false);
            if (*result)
                finishAll(name, **result);
            else
                Q_EMIT failed(result->error());
            if (*result && then)
                then();
            startNext();
        });
}

void Document::finishAll(const QString &name, const AppliedSteps &run)
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
    m_session->tree().addName(at, name.toStdString());
    auto nest = std::make_shared<Nest>(*run.nest);
    nest->variant = at;
    setModified(true);
    Q_EMIT variantsChanged();
    show(at, std::move(nest));
}

} // namespace nestwright::document
