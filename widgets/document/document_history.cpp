// SPDX-License-Identifier: GPL-3.0-or-later
/// Edits of the history and marks on its variants.
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"

namespace nestwright::document {

/// A history's steps replayed, and the nest behind the last that was not refused.
struct Document::EditedHistory {
    session::Replayed replayed;
    NestPtr nest;
};

void Document::edit(const session::HistoryEdit &edit)
{
    if (isOpen())
        ask([this, edit] { startEdit(edit); });
}

void Document::startEdit(const session::HistoryEdit &edit)
{
    setBusy(true);
    m_jobs.run(
        QStringLiteral("document"), this,
        [tree = tree(), edit](const jobs::Job &) {
            EditedHistory made{session::replay(tree, edit), {}};
            made.nest = makeNest(edit.onto, made.replayed.end);
            return made;
        },
        [this, edit](const std::shared_ptr<const EditedHistory> &made) {
            setBusy(false);
            finishEdit(edit, *made);
            startNext();
        });
}

void Document::finishEdit(const session::HistoryEdit &edit, const EditedHistory &made)
{
    const int before = tree().size();
    m_fix.reset();
    m_rest = made.replayed.rest;
    const VariantId was = currentId();
    const VariantId last = session::adopt(m_session->tree(), edit, made.replayed);
    const VariantId current = currentId();
    m_session->tree().setCurrent(was); // the selection goes from there
    if (tree().size() != before) {
        setModified(true);
        Q_EMIT variantsChanged();
    }
    auto nest = std::make_shared<Nest>(*made.nest);
    nest->variant = current;
    show(current, std::move(nest));
    if (!tree().at(last).ok()) {
        addProblem({Problem::Kind::Refused, tree().at(last).state.error(), last});
        Q_EMIT editStopped(tree().at(last).state.error());
    } else if (made.replayed.conflict) {
        Diagnostic conflict = *made.replayed.conflict;
        conflict.message = "step " + tree().at(m_rest.front()).label + ": " + conflict.message;
        addProblem({Problem::Kind::Refused, conflict, current});
        Q_EMIT editStopped(conflict);
    } else {
        tellConflicts(before);
    }
}

/// Reports conflicts in the edited code of variants from `first` on.
void Document::tellConflicts(int first)
{
    for (int id = first; id < tree().size(); ++id) {
        const auto &edit = tree().at({id}).edit;
        const auto unsettled = edit && edit->conflicts() > 0
                                   ? session::runnable({edit->kind, edit->base, edit->text})
                                   : support::Result<backend::EditedCode>();
        if (unsettled)
            continue;
        addProblem({Problem::Kind::Refused, unsettled.error(), VariantId{id}});
        Q_EMIT editConflicts(id);
    }
}

VariantId Document::addEdit(VariantId of, session::CodeEdit edit)
{
    const VariantId program = tree().programOf(of);
    const VariantId id = m_session->tree().addEdit(of, std::move(edit));
    setModified(true);
    Q_EMIT variantsChanged();
    const NestPtr known =
        m_nest && tree().programOf(m_nest->variant) == program ? m_nest : remembered(program);
    auto nest =
        known ? std::make_shared<Nest>(*known) : std::make_shared<Nest>(*makeNest(id, *tree().at(id).state));
    nest->variant = id;
    show(id, std::move(nest));
    return id;
}

void Document::allowEdits()
{
    if (!isOpen())
        return;
    m_session->tree().allowEdits();
    Q_EMIT variantsChanged();
}

void Document::takeIn(const session::StepBranch &branch, const Nest &nest)
{
    if (isOpen() && !m_busy)
        finishEdit(branch.edit(), {branch.replayed, std::make_shared<Nest>(nest)});
}

void Document::make(const std::vector<session::HistoryEdit> &edits,
                    std::function<void(const std::vector<VariantId> &)> then)
{
    if (isOpen())
        ask([this, edits, then = std::move(then)] { startMaking(edits, then); });
}

void Document::startMaking(const std::vector<session::HistoryEdit> &edits,
                           std::function<void(const std::vector<VariantId> &)> then)
{
    setBusy(true);
    m_jobs.run(
        QStringLiteral("document"), this,
        [tree = tree(), edits](const jobs::Job &) {
            std::vector<session::Replayed> all;
            for (const session::HistoryEdit &edit : edits)
                all.push_back(session::replay(tree, edit));
            return all;
        },
        [this, edits,
         then = std::move(then)](const std::shared_ptr<const std::vector<session::Replayed>> &all) {
            setBusy(false);
            const VariantId was = currentId();
            const int before = tree().size();
            std::vector<VariantId> made;
            for (std::size_t i = 0; i < edits.size(); ++i)
                made.push_back(session::adopt(m_session->tree(), edits[i], (*all)[i]));
            m_session->tree().setCurrent(was);
            if (tree().size() != before) {
                setModified(true);
                Q_EMIT variantsChanged();
            }
            then(made);
            startNext();
        });
}

void Document::goOn(bool skips)
{
    std::vector<VariantId> steps = m_rest;
    if (skips && !steps.empty())
        steps.erase(steps.begin());
    if (!steps.empty())
        edit({.onto = currentId(), .steps = steps, .editsOf = steps.back()}); // the end of the branch
}

void Document::branch(VariantId from, const QString &name, std::vector<schedule::Step> steps,
                      std::function<void()> then)
{
    const auto run = [steps =
                          std::move(steps)](const schedule::State &) -> support::Result<schedule::ScriptRun> {
        schedule::ScriptRun given;
        for (const schedule::Step &step : steps)
            given.steps.push_back({.step = step, .outputs = {}});
        return given;
    };
    applyAllTo(from, name, run, std::move(then));
}

void Document::setName(VariantId id, const QString &name)
{
    if (toQt(tree().at(id).name) == name)
        return;
    m_session->tree().setName(id, name.toStdString());
    setModified(true);
    Q_EMIT marksChanged();
}

void Document::setMarks(VariantId id, session::VariantMarks marks)
{
    if (tree().at(id).marks == marks)
        return;
    m_session->tree().setMarks(id, std::move(marks));
    setModified(true);
    Q_EMIT marksChanged();
}

} // namespace nestwright::document
