// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitive.h"

#include <algorithm>
#include <cctype>

namespace nestwright::schedule {

std::string_view title(Group group)
{
    switch (group) {
    case Group::Query: return "Queries";
    case Group::Loops: return "Loops";
    case Group::Annotate: return "Annotations";
    case Group::Caching: return "Caching";
    case Group::Movement: return "Movement";
    case Group::Reduction: return "Reduction";
    case Group::Layout: return "Blocks and layout";
    case Group::Sampling: return "Sampling";
    }
    std::unreachable();
}

std::optional<std::size_t> Primitive::decisionIndex() const
{
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].tracePart == TracePart::Decisions)
            return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> Primitive::fieldIndex(std::string_view field) const
{
    const auto found = std::ranges::find(fields, field, &Field::name);
    return found == fields.end() ? std::nullopt : std::optional<std::size_t>(found - fields.begin());
}

std::string Primitive::kindInTrace(bool latest) const
{
    if (latest && !latestTraceKind.empty())
        return std::string(latestTraceKind);
    if (!traceKind.empty())
        return std::string(traceKind);
    std::string kind;
    bool upper = true;
    for (const char c : name) {
        if (c != '_')
            kind += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = c == '_';
    }
    return kind;
}

const Primitive *findPrimitive(std::string_view name)
{
    for (const Primitive &primitive : primitives()) {
        if (primitive.name == name || (!primitive.latestName.empty() && primitive.latestName == name))
            return &primitive;
    }
    return nullptr;
}

const Primitive *findTraceKind(std::string_view kind)
{
    for (const Primitive &primitive : primitives()) {
        if (primitive.kindInTrace(false) == kind || primitive.kindInTrace(true) == kind)
            return &primitive;
    }
    return nullptr;
}

Result<Step> makeStep(std::string_view name, const std::vector<std::pair<std::string_view, ArgValue>> &args)
{
    const Primitive *primitive = findPrimitive(name);
    if (!primitive)
        return support::fail("schedule.argument", "there is no primitive '" + std::string(name) + "'");
    Step step{primitive, Args(primitive->fields.size())};
    std::vector<bool> given(primitive->fields.size());
    for (const auto &[fieldName, value] : args) {
        const auto i = primitive->fieldIndex(fieldName);
        if (!i)
            return support::fail("schedule.argument", "'" + std::string(name) + "' has no argument '"
                                                          + std::string(fieldName) + "'");
        step.args[*i] = value;
        given[*i] = true;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Field &field = primitive->fields[i];
        if (given[i])
            continue;
        if (!field.fallback)
            return support::fail("schedule.argument", "'" + std::string(name) + "' needs the argument '"
                                                          + std::string(field.name)
                                                          + "': " + std::string(field.help));
        step.args[i] = *field.fallback;
    }
    return step;
}

} // namespace nestwright::schedule
