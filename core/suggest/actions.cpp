// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/actions.h"

#include "core/suggest/no_change.h"

#include <algorithm>

namespace nestwright::suggest {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldForm;
using schedule::FieldKind;
using schedule::Primitive;
using schedule::TracePart;

namespace {

/// Whether the primitive begins with loops in the order that they are to have.
bool givesOrder(const Primitive &primitive)
{
    return !primitive.fields.empty() && primitive.fields.front().form == FieldForm::GivesOrder;
}

/// Fills in one primitive for one selection.
class Filler {
public:
    Filler(const LoopNest &nest, const std::vector<StmtId> &selected, const std::stop_token &stop)
        : m_nest(nest)
        , m_selection(selectionIn(nest, selected))
        , m_proposals(nest, m_selection)
        , m_stop(stop)
    {
    }

    Action fill(const Primitive &primitive)
    {
        Action action;
        action.primitive = &primitive;
        action.title = primitive.title;
        bool needsChoice = false;
        for (std::size_t i = 0; i < primitive.fields.size(); ++i) {
            const Field &field = primitive.fields[i];
            std::vector<Choice> choices = m_proposals.choicesOf(field, i == 0);
            ArgValue value = m_proposals.valueOf(field, i == 0, choices);
            const bool isChosen = field.form == FieldForm::NamesAnnotation
                                      ? choices.size() > 1
                                      : field.tracePart != TracePart::Attributes;
            if (!isSubject(primitive, i) && isChosen)
                needsChoice = true;
            if (field.kind == FieldKind::IndexMap && !field.fallback)
                value = m_proposals.identityMap(primitive, action.args);
            action.args.push_back(std::move(value));
            action.choices.push_back(std::move(choices));
        }
        action.direct = !needsChoice || (givesOrder(primitive) && m_selection.all.size() > 1);
        if (const std::optional<support::Diagnostic> missing = missingSubject(primitive))
            action.refused = missing;
        else
            settle(action);
        proposeParts(action);
        setTitle(action);
        return action;
    }

private:
    std::optional<support::Diagnostic> missingSubject(const Primitive &primitive) const
    {
        if (primitive.fields.empty())
            return {};
        const FieldKind kind = primitive.fields.front().kind;
        if (!m_selection.current)
            return support::diagnostic("suggest.nothing-selected", "nothing is selected")
                .withHint("select a loop or block first");
        if ((kind == FieldKind::Loop || kind == FieldKind::Loops) && !m_selection.loop)
            return support::diagnostic("suggest.not-a-loop", "a block is selected, and this works on a loop")
                .withHint("select one of the loops around it");
        if (kind == FieldKind::Block && !m_selection.block)
            return support::diagnostic("suggest.no-block", "there is no block in the selection")
                .withHint("select a block");
        return {};
    }

    void adaptToPrimitive(Action &action) const
    {
        auto *loops = action.args.empty() ? nullptr : std::get_if<ArgList>(&action.args.front().value);
        if (!loops || action.primitive->fields.front().kind != FieldKind::Loops)
            return;
        if (!givesOrder(*action.primitive)) { // outermost first
            std::ranges::sort(*loops, {}, [&](const ArgValue &value) {
                const StmtId *id = value.as<StmtId>();
                return id ? std::ranges::find(m_nest.all(), *id) - m_nest.all().begin() : -1;
            });
        } else if (m_selection.all.size() < 2) {
            std::ranges::reverse(*loops); // the selected loop one place inwards
        }
    }

    /// Checks the proposal; where another loop or block is to be chosen, looks for those that are legal.
    void settle(Action &action) const
    {
        adaptToPrimitive(action);
        if (const auto *loops = action.args.empty() ? nullptr : action.args.front().as<ArgList>();
            loops && action.primitive->fields.front().kind == FieldKind::Loops && loops->size() < 2) {
            action.refused = support::diagnostic("suggest.one-loop", "'" + m_nest.name(m_selection.loop)
                                                                         + "' holds no other loop alone")
                                 .withHint("select two loops that enclose each other");
            return;
        }
        if (mustBeTypedIn(*action.primitive)) { // nothing to check before it is
            action.needsTyping = true;
            action.direct = false;
            return;
        }
        const auto result = schedule::check(m_nest.state(), action.step());
        if (!result)
            action.refused = result.error();
        else if (auto useless = whyNoChange(m_nest.state(), action.step()))
            action.refused = std::move(useless);
        if (!result && givesOrder(*action.primitive) && m_selection.all.size() < 2)
            moveOutwards(action);
        for (std::size_t i = 1; i < action.args.size(); ++i) {
            const FieldKind kind = action.primitive->fields[i].kind;
            if (kind == FieldKind::Loop || kind == FieldKind::BufferIndex)
                keepLegal(action, i);
        }
    }

    /// Numbers that take a part of a loop, once it is known which.
    void proposeParts(Action &action) const
    {
        const std::vector<Field> &fields = action.primitive->fields;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto loop = std::ranges::find(fields, fields[i].partOf, &Field::name);
            if (fields[i].partOf.empty() || loop == fields.end())
                continue;
            const StmtId *id = action.args[static_cast<std::size_t>(loop - fields.begin())].as<StmtId>();
            action.args[i] = usualFactor(id ? m_nest.iterations(*id) : std::nullopt);
        }
    }

    static bool mustBeTypedIn(const Primitive &primitive)
    {
        return std::ranges::any_of(primitive.fields, [](const Field &field) {
            const bool text = field.kind == FieldKind::String || field.kind == FieldKind::AnnotationValue
                              || field.kind == FieldKind::IndexMap || field.kind == FieldKind::Ints;
            return text && !field.fallback && field.form != FieldForm::NamesAnnotation
                   && field.choices.empty();
        });
    }

    /// Moves the loop one place outwards, where it cannot go inwards.
    void moveOutwards(Action &action) const
    {
        const std::vector<StmtId> nest = m_nest.perfectNest(m_selection.loop);
        const auto here = std::ranges::find(nest, m_selection.loop);
        if (here == nest.begin() || here == nest.end())
            return;
        schedule::Step step = action.step();
        step.args.front() = ArgList{m_selection.loop, *std::prev(here)};
        if (!schedule::check(m_nest.state(), step))
            return;
        action.args = step.args;
        action.refused.reset();
    }

    void keepLegal(Action &action, std::size_t field) const
    {
        std::vector<Choice> legal;
        for (const Choice &choice : action.choices[field]) {
            if (m_stop.stop_requested())
                return;
            schedule::Step step = action.step();
            step.args[field] = choice.value;
            if (schedule::check(m_nest.state(), step))
                legal.push_back(choice);
        }
        if (legal.empty())
            return;
        action.refused.reset();
        action.args[field] = legal.front().value;
        action.choices[field] = std::move(legal);
    }

    /// The loop beside the selected one, or the buffer, that the primitive is filled in with.
    std::optional<std::string> partnerOf(const Action &action) const
    {
        for (std::size_t i = 0; i < action.args.size(); ++i) {
            const FieldKind kind = action.primitive->fields[i].kind;
            const auto *loops = action.args[i].as<ArgList>();
            if (kind == FieldKind::Loops && loops && loops->size() == 2 && m_selection.all.size() == 1) {
                if (const StmtId *other = (*loops)[1].as<StmtId>())
                    return m_nest.name(*other);
            }
            if (kind == FieldKind::BufferIndex && !action.choices[i].empty())
                return action.choices[i].front().label;
        }
        return std::nullopt;
    }

    void setTitle(Action &action) const
    {
        const std::string_view pattern = action.primitive->actionTitle;
        const std::size_t gap = pattern.find(schedule::titleGap);
        if (gap == std::string_view::npos) {
            if (!pattern.empty())
                action.title = pattern;
        } else if (const std::optional<std::string> partner = partnerOf(action)) {
            action.title = std::string(pattern).replace(gap, schedule::titleGap.size(), *partner);
        }
    }

    const LoopNest &m_nest;
    Selection m_selection;
    Proposals m_proposals;
    std::stop_token m_stop;
};

} // namespace

bool isSubject(const Primitive &primitive, std::size_t field)
{
    if (field != 0 || givesOrder(primitive))
        return false;
    const FieldKind kind = primitive.fields.front().kind;
    return kind == FieldKind::Block || kind == FieldKind::Loop || kind == FieldKind::BlockOrLoop
           || kind == FieldKind::Loops;
}

std::vector<Action> actionsFor(const LoopNest &nest, const std::vector<StmtId> &selected,
                               const std::stop_token &stop)
{
    std::vector<Action> actions;
    Filler filler(nest, selected, stop);
    for (const Primitive &primitive : schedule::primitives()) {
        if (primitive.isQuery)
            continue;
        if (stop.stop_requested())
            break;
        actions.push_back(filler.fill(primitive));
    }
    return actions;
}

std::optional<schedule::Fix> fixFor(const LoopNest &nest, const Action &action)
{
    if (action.legal() || action.needsTyping || support::familyOf(*action.refused) == "suggest")
        return {};
    return schedule::fixFor(nest.state(), action.step(), *action.refused);
}

} // namespace nestwright::suggest
