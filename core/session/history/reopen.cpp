// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/reopen.h"

#include "core/support/phase.h"

#include <algorithm>

namespace nestwright::session {

using support::fail;
using support::Result;

namespace {

/// The last variants of all branches and those that a person named or marked; the current one at the end.
std::vector<VariantId> endsOf(const VariantTree &tree)
{
    std::vector<VariantId> ends;
    for (const Variant &variant : tree.all()) {
        const bool goesOn =
            std::ranges::any_of(variant.children, [&](VariantId child) { return tree.at(child).ok(); });
        if (variant.ok() && !variant.isRoot() && variant.id != tree.current().id
            && (!goesOn || !variant.name.empty() || variant.marks != VariantMarks()))
            ends.push_back(variant.id);
    }
    if (!tree.current().isRoot())
        ends.push_back(tree.current().id);
    return ends;
}

} // namespace

Result<Session> reopen(const Session &session)
{
    if (session.source().path.empty())
        return fail("session.no-file", "'" + session.source().name + "' comes from no file");
    auto fresh = Session::open(session.source().path);
    if (!fresh)
        return fail(fresh.error());
    fresh->setTarget(session.target());
    fresh->setInputs(session.inputs());
    support::tellPhase("applying the steps again");
    for (const VariantId end : endsOf(session.tree())) {
        const auto script = session.exportSchedule(end);
        if (!script)
            return fail(script.error());
        auto imported = fresh->importSchedule(*script, "the steps before");
        if (!imported) {
            fresh->addNote(imported.error());
            continue;
        }
        const Variant &variant = session.tree().at(end);
        if (variant.edit) {
            auto edit = carried(*variant.edit, *fresh->tree().at(*imported).state, fresh->target());
            if (!edit) {
                fresh->addNote(edit.error());
                continue;
            }
            *imported = fresh->tree().addEdit(*imported, std::move(*edit));
            fresh->tree().setCurrent(*imported);
        }
        if (!variant.name.empty())
            fresh->tree().addName(*imported, variant.name);
        fresh->tree().setMarks(*imported, variant.marks);
    }
    return fresh;
}

} // namespace nestwright::session
