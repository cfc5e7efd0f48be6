// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/validate.h"

#include "core/schedule/edit.h"

#include <algorithm>

namespace nestwright::schedule {

std::string_view describe(FieldKind kind)
{
    switch (kind) {
    case FieldKind::Block: return "a block";
    case FieldKind::Loop: return "a loop";
    case FieldKind::BlockOrLoop: return "a block or loop";
    case FieldKind::Loops: return "loops";
    case FieldKind::Blocks: return "a list of blocks";
    case FieldKind::Int: return "an integer";
    case FieldKind::Ints: return "a list of integers";
    case FieldKind::OptionalInts: return "a list of integers and None";
    case FieldKind::Bool: return "True or False";
    case FieldKind::String: return "a string";
    case FieldKind::Choice: return "one of the choices";
    case FieldKind::BufferIndex: return "a buffer's position";
    case FieldKind::BufferRef: return "a buffer";
    case FieldKind::IndexMap: return "an index map";
    case FieldKind::AnnotationValue:
        return "a number, a string, True, False, None, or a list or dictionary of these";
    }
    std::unreachable();
}

namespace {

template <class T> bool isListOf(const ArgValue &value)
{
    const ArgList *list = value.as<ArgList>();
    return list && std::ranges::all_of(*list, [](const ArgValue &item) { return item.as<T>() != nullptr; });
}

bool isAnnotation(const ArgValue &value)
{
    if (const ArgList *list = value.as<ArgList>())
        return std::ranges::all_of(*list, isAnnotation);
    if (const ArgMap *map = value.as<ArgMap>())
        return std::ranges::all_of(map->values, isAnnotation);
    return !value.as<StmtId>() && !value.as<IndexMap>() && !value.as<Formula>();
}

bool isFactors(const Field &field, const ArgValue &value)
{
    const ArgList *list = value.as<ArgList>();
    return list && std::ranges::all_of(*list, [&](const ArgValue &item) {
               return item.as<std::int64_t>() || item.isNone()
                      || (field.form == FieldForm::AcceptsFormulas && item.as<Formula>());
           });
}

bool isBufferRef(const ArgValue &value)
{
    const ArgList *pair = value.as<ArgList>();
    if (!pair || pair->size() != 2 || !(*pair)[1].as<std::int64_t>())
        return false;
    const std::string *side = (*pair)[0].as<std::string>();
    return side && (*side == "read" || *side == "write");
}

bool fits(const Field &field, const ArgValue &value)
{
    switch (field.kind) {
    case FieldKind::Block:
    case FieldKind::Loop: return value.as<StmtId>();
    case FieldKind::BlockOrLoop:
        return value.as<StmtId>() || (field.form == FieldForm::AcceptsBlockList && isListOf<StmtId>(value));
    case FieldKind::Loops:
    case FieldKind::Blocks: return isListOf<StmtId>(value);
    case FieldKind::Int:
    case FieldKind::BufferIndex: return value.as<std::int64_t>();
    case FieldKind::Ints: return isListOf<std::int64_t>(value);
    case FieldKind::OptionalInts: return isFactors(field, value);
    case FieldKind::Bool: return value.as<bool>();
    case FieldKind::String: return value.as<std::string>();
    case FieldKind::Choice: {
        const std::string *text = value.as<std::string>();
        return text && std::ranges::find(field.choices, *text) != field.choices.end();
    }
    case FieldKind::BufferRef: return isBufferRef(value);
    case FieldKind::IndexMap:
        return value.as<IndexMap>()
               && (field.form == FieldForm::GivesRanges || !value.as<IndexMap>()->ranges);
    case FieldKind::AnnotationValue: return isAnnotation(value);
    }
    std::unreachable();
}

std::string expectation(const Field &field)
{
    if (field.form == FieldForm::AcceptsBlockList)
        return "a loop or a list of blocks";
    if (field.kind != FieldKind::Choice)
        return std::string(describe(field.kind));
    std::string text = "one of";
    for (const std::string_view choice : field.choices)
        text += (text == "one of" ? " \"" : ", \"") + std::string(choice) + '"';
    return text;
}

} // namespace

void validateArguments(const Step &step)
{
    if (!step.primitive)
        refuse(support::diagnostic("schedule.argument", "the step names no primitive"));
    const std::vector<Field> &fields = step.primitive->fields;
    if (step.args.size() != fields.size())
        refuse(support::diagnostic("schedule.argument", "'" + std::string(step.primitive->name) + "' takes "
                                                            + std::to_string(fields.size())
                                                            + " arguments, found "
                                                            + std::to_string(step.args.size())));
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool isDefault = fields[i].fallback && *fields[i].fallback == step.args[i];
        if (!isDefault && !fits(fields[i], step.args[i]))
            refuse(support::diagnostic("schedule.argument", "argument '" + std::string(fields[i].name)
                                                                + "' of '" + std::string(step.primitive->name)
                                                                + "' must be " + expectation(fields[i])
                                                                + ", found " + str(step.args[i])));
    }
}

} // namespace nestwright::schedule
