// SPDX-License-Identifier: Apache-2.0
/// Edits of the history and marks on its variants.
#include "core/workbench/document/document.h"

namespace nestwright::workbench {

/// A history's steps replayed, and the view of the program behind the last that was not refused.
struct Document::EditedHistory {
    session::Replayed replayed;
    View view;
};

void Document::edit(const session::HistoryEdit &edit)
{
    if (isOpen())
        ask([this, edit] { startEdit(edit); });
}

void Document::startEdit(const session::HistoryEdit &edit)
{
    run(
        [tree = tree(), edit, makeView = m_makeView] {
            EditedHistory made{session::replay(tree, edit), {}};
            made.view = makeView(made.replayed.end);
            return made;
        },
        [this, edit](const EditedHistory &made) {
            finishEdit(edit, made);
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
    m_session->tree().setCurrent(was); // it changes when the new one is shown
    if (tree().size() != before) {
        m_listener.edited();
        m_listener.variantsChanged();
    }
    show(current, made.view);
    if (!tree().at(last).ok()) {
        addProblem({Problem::Kind::Refused, tree().at(last).state.error(), last});
        m_listener.editStopped(tree().at(last).state.error());
    } else if (made.replayed.conflict) {
        support::Diagnostic conflict = *made.replayed.conflict;
        conflict.message = "step " + tree().at(m_rest.front()).label + ": " + conflict.message;
        addProblem({Problem::Kind::Refused, conflict, current});
        m_listener.editStopped(conflict);
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
        m_listener.editConflicts({id});
    }
}

session::VariantId Document::addEdit(VariantId of, session::CodeEdit edit)
{
    const VariantId program = tree().programOf(of);
    View view = tree().programOf(m_shown) == program ? m_view : remembered(program);
    const VariantId id = m_session->tree().addEdit(of, std::move(edit));
    m_listener.edited();
    m_listener.variantsChanged();
    show(id, view ? std::move(view) : m_makeView(*tree().at(id).state));
    return id;
}

void Document::allowEdits()
{
    if (!isOpen())
        return;
    m_session->tree().allowEdits();
    m_listener.variantsChanged();
}

void Document::takeIn(const session::StepBranch &branch, View view)
{
    if (isOpen() && !m_isBusy)
        finishEdit(branch.edit(), {branch.replayed, std::move(view)});
}

void Document::make(const std::vector<session::HistoryEdit> &edits,
                    std::function<void(const std::vector<VariantId> &)> then)
{
    if (isOpen())
        ask([this, edits, then = std::move(then)] { startMaking(edits, then); });
}

void Document::startMaking(const std::vector<session::HistoryEdit> &edits,
                           const std::function<void(const std::vector<VariantId> &)> &then)
{
    run(
        [tree = tree(), edits] {
            std::vector<session::Replayed> all;
            for (const session::HistoryEdit &edit : edits)
                all.push_back(session::replay(tree, edit));
            return all;
        },
        [this, edits, then](const std::vector<session::Replayed> &all) {
            const VariantId was = currentId();
            const int before = tree().size();
            std::vector<VariantId> made;
            for (std::size_t i = 0; i < edits.size(); ++i)
                made.push_back(session::adopt(m_session->tree(), edits[i], all[i]));
            m_session->tree().setCurrent(was);
            if (tree().size() != before) {
                m_listener.edited();
                m_listener.variantsChanged();
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

void Document::setName(VariantId id, const std::string &name)
{
    if (tree().at(id).name == name)
        return;
    m_session->tree().setName(id, name);
    m_listener.edited();
    m_listener.marksChanged();
}

void Document::setMarks(VariantId id, session::VariantMarks marks)
{
    if (tree().at(id).marks == marks)
        return;
    m_session->tree().setMarks(id, std::move(marks));
    m_listener.edited();
    m_listener.marksChanged();
}

} // namespace nestwright::workbench
