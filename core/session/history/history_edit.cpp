// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/history_edit.h"

#include "core/support/errors/errors.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"

#include <algorithm>
#include <format>
#include <iterator>

namespace nestwright::session {

using support::Result;

namespace {

/// The variants from `id` down to `tip`, both included.
std::vector<VariantId> pathDown(const VariantTree &tree, VariantId id, VariantId tip)
{
    std::vector<VariantId> path = tree.path(tip);
    const auto begin = std::ranges::find(path, id);
    NW_ASSERT(begin != path.end(), "the end of a branch is not on it");
    path.erase(path.begin(), begin);
    return path;
}

/// The last variant that stands on both paths from the root.
VariantId commonAncestor(const VariantTree &tree, VariantId a, VariantId b)
{
    const std::vector<VariantId> one = tree.path(a), other = tree.path(b);
    const auto fork = std::ranges::mismatch(one, other).in1;
    return *std::prev(fork);
}

} // namespace

VariantId tipOf(const VariantTree &tree, VariantId id)
{
    if (std::ranges::contains(tree.path(tree.current().id), id))
        return tree.current().id;
    for (;;) {
        const Variant &variant = tree.at(id);
        const auto next =
            std::ranges::find_if(variant.children, [&](VariantId child) { return tree.at(child).ok(); });
        if (variant.redoChild)
            id = *variant.redoChild;
        else if (next != variant.children.end())
            id = *next;
        else
            return id;
    }
}

HistoryEdit rebase(const VariantTree &tree, VariantId id, VariantId tip, VariantId onto)
{
    return {.onto = onto,
            .steps = pathDown(tree, id, tip),
            .editsOf = id != tip ? std::optional(tip) : std::nullopt};
}

HistoryEdit dropStep(const VariantTree &tree, VariantId id, VariantId tip)
{
    std::vector<VariantId> steps = pathDown(tree, id, tip);
    steps.erase(steps.begin());
    return {.onto = *tree.at(id).parent, .steps = std::move(steps), .editsOf = tip};
}

HistoryEdit moveStep(const VariantTree &tree, VariantId id, VariantId other, VariantId tip)
{
    const std::vector<VariantId> path = tree.path(tip);
    const VariantId first = std::ranges::contains(tree.path(id), other) ? other : id;
    std::vector<VariantId> steps = pathDown(tree, first, tip);
    std::erase(steps, id);
    steps.insert(std::ranges::find(steps, other), id);
    return {.onto = *tree.at(first).parent, .steps = std::move(steps), .editsOf = tip};
}

HistoryEdit changeStep(const VariantTree &tree, VariantId id, schedule::Step step, VariantId tip)
{
    HistoryEdit edit = dropStep(tree, id, tip);
    edit.step = std::move(step);
    edit.changed = id;
    return edit;
}

namespace {

/// Edited code that an edit of the history takes along: at the end of its steps, or of the program there.
std::vector<VariantId> editsAlong(const VariantTree &tree, const HistoryEdit &edit)
{
    if (!edit.steps.empty() && tree.at(edit.steps.back()).edit)
        return {edit.steps.back()};
    std::vector<VariantId> along;
    if (edit.editsOf)
        std::ranges::copy_if(tree.at(*edit.editsOf).children, std::back_inserter(along),
                             [&](VariantId child) { return tree.at(child).edit.has_value(); });
    return along;
}

void carryEdits(const VariantTree &tree, const HistoryEdit &edit, Replayed &result)
{
    const auto target = target::parseTarget(tree.target());
    for (const VariantId id : editsAlong(tree, edit)) {
        support::tellPhase("carrying edited code along");
        auto code =
            carried(*tree.at(id).edit, result.end, target.value_or(target::Target()), support::currentStop());
        if (code) {
            result.edits.push_back({id, std::move(*code)});
        } else {
            result.conflict = std::move(code.error());
            result.rest.push_back(id);
        }
    }
}

} // namespace

Replayed replay(const VariantTree &tree, const HistoryEdit &edit)
{
    const bool replacesStep = edit.step && !tree.at(edit.changed).isRoot();
    const VariantId from = replacesStep                      ? edit.changed
                           : edit.step || edit.steps.empty() ? edit.onto
                                                             : edit.steps.front();
    BranchReplay replay(tree, *tree.at(commonAncestor(tree, from, edit.onto)).state,
                        *tree.at(edit.onto).state);
    Replayed result{.end = *tree.at(edit.onto).state};
    bool goesOn = !edit.step || replay.make(*edit.step, edit.changed);
    for (std::size_t i = 0; i < edit.steps.size(); ++i) {
        support::tellPhase(std::format("step {} of {}", i + 1, edit.steps.size()));
        const VariantId id = edit.steps[i];
        if (tree.at(id).edit && goesOn)
            continue; // it has no step
        const auto other = edit.replaced.find(id);
        goesOn =
            goesOn && (other == edit.replaced.end() ? replay.follow(id) : replay.follow(id, other->second));
        if (!goesOn)
            result.rest.push_back(id);
    }
    result.steps = replay.steps();
    result.end = replay.end();
    result.conflict = replay.conflict();
    if (goesOn)
        carryEdits(tree, edit, result);
    return result;
}

VariantId adopt(VariantTree &tree, const HistoryEdit &edit, Replayed replayed)
{
    VariantId at = edit.onto, last = edit.onto;
    for (ReplayedStep &each : replayed.steps) {
        last = tree.add(at, each.step, std::move(each.applied));
        if (tree.at(last).ok())
            at = last;
    }
    const bool isAsked = !edit.steps.empty() && tree.at(edit.steps.back()).edit.has_value();
    for (CarriedEdit &each : replayed.edits) {
        const VariantId made = tree.addEdit(at, std::move(each.edit));
        if (isAsked)
            at = last = made;
    }
    tree.setCurrent(at);
    return last;
}

} // namespace nestwright::session
