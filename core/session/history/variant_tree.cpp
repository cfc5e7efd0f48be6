// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/variant_tree.h"

#include "core/schedule/apply.h"

#include <algorithm>

namespace nestwright::session {

const std::pair<const std::string, measure::Measurement> *Variant::fastestElsewhere() const
{
    const std::pair<const std::string, measure::Measurement> *fastest = nullptr;
    for (const auto &each : elsewhere) {
        if (each.second.ok() && (!fastest || each.second.time.median < fastest->second.time.median))
            fastest = &each;
    }
    return fastest;
}

VariantTree::VariantTree(schedule::State initial, std::string label)
{
    m_variants.push_back({.id = {},
                          .parent = {},
                          .children = {},
                          .step = {},
                          .edit = {},
                          .label = std::move(label),
                          .name = {},
                          .marks = {},
                          .state = std::move(initial),
                          .forward = {},
                          .measurement = {},
                          .elsewhere = {},
                          .trust = {},
                          .redoChild = {},
                          .partOf = {},
                          .madeFrom = {},
                          .redoOver = {}});
}

VariantId VariantTree::add(VariantId parent, const schedule::Step &step,
                           support::Result<schedule::Applied> applied)
{
    parent = programOf(parent);
    for (const VariantId child : at(parent).children) {
        if (!at(child).edit && at(child).step == step) {
            m_variants[static_cast<std::size_t>(child.value)].partOf.reset(); // it is made by itself now
            return child;
        }
    }
    const VariantId id{size()};
    Variant added{.id = id,
                  .parent = parent,
                  .children = {},
                  .step = step,
                  .edit = {},
                  .label = at(parent).ok() ? schedule::describe(step, *at(parent).state) : std::string(),
                  .name = {},
                  .marks = {},
                  .state = std::unexpected(support::Diagnostic{}),
                  .forward = {},
                  .measurement = {},
                  .elsewhere = {},
                  .trust = {},
                  .redoChild = {},
                  .partOf = {},
                  .madeFrom = {},
                  .redoOver = {}};
    if (applied) {
        added.state = std::move(applied->state);
        added.forward = std::move(applied->forward);
    } else {
        added.state = std::unexpected(std::move(applied.error()));
    }
    m_variants.push_back(std::move(added));
    m_variants[static_cast<std::size_t>(parent.value)].children.push_back(id);
    return id;
}

VariantId VariantTree::addEdit(VariantId parent, CodeEdit edit)
{
    parent = programOf(parent);
    for (const VariantId child : at(parent).children) {
        if (at(child).edit && at(child).edit->isSame(edit))
            return child;
    }
    const VariantId id{size()};
    Variant added = at(parent); // whose program it is
    added.id = id;
    added.parent = parent;
    added.children.clear();
    added.step = {};
    added.label = badgeOf(edit) + ": " + summaryOf(edit);
    added.name.clear();
    added.marks = {};
    added.forward = {};
    added.measurement.reset();
    added.elsewhere.clear();
    added.trust.clear();
    added.redoChild.reset();
    added.partOf.reset();
    added.madeFrom.reset();
    added.redoOver.reset();
    added.edit = std::move(edit);
    m_variants.push_back(std::move(added));
    m_variants[static_cast<std::size_t>(parent.value)].children.push_back(id);
    return id;
}

int VariantTree::foreignEdits() const
{
    return static_cast<int>(std::ranges::count_if(
        m_variants, [](const Variant &each) { return each.edit && each.edit->isForeign; }));
}

void VariantTree::allowEdits()
{
    for (Variant &each : m_variants) {
        if (each.edit)
            each.edit->isForeign = false;
    }
}

bool VariantTree::setCurrent(VariantId id)
{
    if (!at(id).ok())
        return false;
    // Redo retraces the way to the variant last visited, also after a jump across branches.
    for (VariantId step = id; at(step).parent; step = *at(step).parent) {
        Variant &parent = m_variants[static_cast<std::size_t>(at(step).parent->value)];
        parent.redoChild = step;
        parent.redoOver.reset();
    }
    if (const auto from = at(id).madeFrom)
        m_variants[static_cast<std::size_t>(from->value)].redoOver = id;
    m_current = id;
    return true;
}

void VariantTree::fold(int first, VariantId end, VariantId from)
{
    if (end.value < first || end == from)
        return; // it was there before
    for (VariantId id = *at(end).parent; id.value >= first; id = *at(id).parent)
        m_variants[static_cast<std::size_t>(id.value)].partOf = end;
    m_variants[static_cast<std::size_t>(end.value)].madeFrom = from;
    m_variants[static_cast<std::size_t>(from.value)].redoOver = end;
}

bool VariantTree::isOnTheWay(VariantId id) const
{
    const Variant &variant = at(id);
    return variant.partOf && id != m_current && variant.children.size() == 1 && variant.name.empty()
           && variant.marks == VariantMarks() && !variant.measurement && variant.elsewhere.empty();
}

std::optional<VariantId> VariantTree::undoTarget(VariantId id) const
{
    return at(id).madeFrom ? at(id).madeFrom : at(id).parent;
}

std::optional<VariantId> VariantTree::redoTarget(VariantId id) const
{
    return at(id).redoOver ? at(id).redoOver : at(id).redoChild;
}

void VariantTree::addName(VariantId id, const std::string &name)
{
    std::string &names = m_variants.at(static_cast<std::size_t>(id.value)).name;
    if (!(", " + names + ", ").contains(", " + name + ", "))
        names += (names.empty() ? "" : ", ") + name;
}

void VariantTree::setName(VariantId id, std::string name)
{
    m_variants.at(static_cast<std::size_t>(id.value)).name = std::move(name);
}

void VariantTree::setMarks(VariantId id, VariantMarks marks)
{
    m_variants.at(static_cast<std::size_t>(id.value)).marks = std::move(marks);
}

void VariantTree::setMeasurement(VariantId id, measure::Measurement measurement)
{
    m_variants.at(static_cast<std::size_t>(id.value)).measurement = std::move(measurement);
}

void VariantTree::setTrust(VariantId id, std::vector<measure::RungResult> results)
{
    m_variants.at(static_cast<std::size_t>(id.value)).trust[m_target] = std::move(results);
}

std::span<const measure::RungResult> VariantTree::trust(VariantId id) const
{
    const auto found = at(id).trust.find(m_target);
    return found == at(id).trust.end() ? std::span<const measure::RungResult>() : found->second;
}

void VariantTree::setMeasurementElsewhere(VariantId id, const std::string &target,
                                          measure::Measurement measurement)
{
    if (target == m_target)
        return setMeasurement(id, std::move(measurement));
    m_variants.at(static_cast<std::size_t>(id.value)).elsewhere[target] = std::move(measurement);
}

void VariantTree::restoreMeasurement(VariantId id, const std::string &target,
                                     std::optional<measure::Measurement> measurement)
{
    Variant &variant = m_variants.at(static_cast<std::size_t>(id.value));
    if (target == m_target)
        variant.measurement = std::move(measurement);
    else if (measurement)
        variant.elsewhere[target] = *std::move(measurement);
    else
        variant.elsewhere.erase(target);
}

void VariantTree::setTarget(const std::string &target)
{
    if (target == m_target)
        return;
    for (Variant &variant : m_variants) {
        if (variant.measurement)
            variant.elsewhere[m_target] = std::move(*variant.measurement);
        variant.measurement.reset();
        if (auto kept = variant.elsewhere.extract(target))
            variant.measurement = std::move(kept.mapped());
    }
    m_target = target;
}

std::vector<VariantId> VariantTree::path(VariantId id) const
{
    std::vector<VariantId> path{id};
    while (at(path.back()).parent)
        path.push_back(*at(path.back()).parent);
    std::ranges::reverse(path);
    return path;
}

std::vector<schedule::Step> VariantTree::trace(VariantId id) const
{
    std::vector<schedule::Step> steps;
    for (const VariantId each : path(id)) {
        if (at(each).step.primitive)
            steps.push_back(at(each).step);
    }
    return steps;
}

explore::StepPath VariantTree::steps(VariantId id) const
{
    std::vector<schedule::State> states;
    for (const VariantId each : path(programOf(id)))
        states.push_back(*at(each).state);
    return {std::move(states), trace(id)};
}

} // namespace nestwright::session
