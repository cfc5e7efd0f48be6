// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/arguments.h"

#include "core/ir/build/builder.h"
#include "core/schedule/edit.h"
#include "core/schedule/state_index.h"
#include "core/script/python/call_binding.h"

#include <algorithm>
#include <format>

namespace nestwright::schedule {

namespace py = script::py;

namespace {

using support::diagnostic;

[[noreturn]] void badArgument(const std::string &message, std::string hint = {})
{
    refuse(diagnostic("schedule.argument", message).withHint(std::move(hint)));
}

/// Appends a loop, or the loops of a list.
void appendLoops(std::optional<ArgValue> &loops, ArgValue value)
{
    if (!loops)
        loops = ArgList{};
    ArgList &all = std::get<ArgList>(loops->value);
    if (const ArgList *list = value.as<ArgList>())
        all.insert(all.end(), list->begin(), list->end());
    else
        all.push_back(std::move(value));
}

/// Puts the written arguments into the places of their fields; others stay empty.
std::vector<std::optional<ArgValue>> placed(const Primitive &primitive, WrittenArguments &&written)
{
    std::vector<py::Given> given(written.positional.size());
    for (const auto &[keyword, value] : written.named)
        given.push_back({keyword, {}});
    std::vector<py::Parameter> parameters;
    for (const Field &field : primitive.fields) {
        // Loops written one after the other make one argument.
        const bool isNamed = std::ranges::contains(given, field.name, &py::Given::name);
        const bool takesAll = field.kind == FieldKind::Loops && !isNamed;
        parameters.push_back(
            {field.name, takesAll ? py::Param::Kind::VarArgs : py::Param::Kind::Plain, true});
    }
    const auto binding = py::bindArguments({'\'' + std::string(primitive.name) + '\''}, parameters, given);
    if (!binding)
        badArgument(binding.error().message, binding.error().hint);
    const std::size_t positional = written.positional.size();
    std::vector<std::optional<ArgValue>> values(primitive.fields.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (const std::size_t place : (*binding)[i]) {
            ArgValue &value =
                place < positional ? written.positional[place] : written.named[place - positional].second;
            if (parameters[i].kind == py::Param::Kind::Plain)
                values[i] = std::move(value);
            else
                appendLoops(values[i], std::move(value));
        }
    }
    return values;
}

const ir::Block *blockAmong(const State &state, const Primitive &primitive, const Args &args)
{
    for (std::size_t i = 0; i < args.size(); ++i) {
        const StmtId *id = args[i].as<StmtId>();
        if (primitive.fields[i].kind != FieldKind::Block || !id)
            continue;
        const analysis::FunctionIndex *index = state.index->of(*id);
        return index ? index->block(*id) : nullptr;
    }
    return nullptr;
}

/// Position of the buffer `name` in the block's regions; -1 when it is not among them.
std::int64_t positionOf(const std::string &name, const std::vector<ir::BufferRegion> &regions)
{
    const auto found =
        std::ranges::find(regions, name, [](const ir::BufferRegion &r) { return r.buffer.name(); });
    return found == regions.end() ? -1 : found - regions.begin();
}

std::string bufferNames(const std::vector<ir::BufferRegion> &regions)
{
    std::string names;
    for (const ir::BufferRegion &region : regions)
        names += (names.empty() ? "'" : ", '") + region.buffer.name() + "'";
    return names.empty() ? "none" : names;
}

ArgValue bufferPosition(const std::string &name, const ir::Block *block, BufferSide side)
{
    if (!block)
        badArgument("the buffer '" + name + "' is named, but no block that accesses it");
    const bool reads = side == BufferSide::Read;
    const std::int64_t position = positionOf(name, reads ? block->reads : block->writes);
    if (position < 0)
        badArgument("block '" + block->name + "' does not " + (reads ? "read" : "write") + " a buffer '"
                        + name + "'",
                    "it " + std::string(reads ? "reads " : "writes ")
                        + bufferNames(reads ? block->reads : block->writes));
    return position;
}

ArgValue bufferReference(const std::string &name, const ir::Block *block)
{
    if (!block)
        badArgument("the buffer '" + name + "' is named, but no block that accesses it");
    if (const std::int64_t position = positionOf(name, block->writes); position >= 0)
        return ArgList{"write", position};
    if (const std::int64_t position = positionOf(name, block->reads); position >= 0)
        return ArgList{"read", position};
    badArgument("block '" + block->name + "' accesses no buffer '" + name + "'",
                "it reads " + bufferNames(block->reads) + " and writes " + bufferNames(block->writes));
}

/// Lists of loops may hold lists; a list of blocks may hold names.
ArgValue blockList(const ArgValue &value, const BlockLookup &blockByName)
{
    ArgList blocks;
    for (const ArgValue &item : value.as<ArgList>() ? *value.as<ArgList>() : ArgList{value}) {
        const std::string *name = item.as<std::string>();
        blocks.push_back(name ? blockByName(*name) : item);
    }
    return blocks;
}

/// The buffer that an argument before `end` refers to; null when none does.
ir::Buffer bufferAmong(const Primitive &primitive, const Args &args, std::size_t end, const ir::Block *block)
{
    for (std::size_t i = 0; block && i < end; ++i) {
        const Field &field = primitive.fields[i];
        const ArgList *pair = args[i].as<ArgList>();
        const bool isRef = field.kind == FieldKind::BufferRef && pair && pair->size() == 2;
        const std::int64_t *position = isRef ? (*pair)[1].as<std::int64_t>() : nullptr;
        if (!position)
            continue;
        const std::vector<ir::BufferRegion> &regions =
            (*pair)[0] == ArgValue("read") ? block->reads : block->writes;
        if (*position >= 0 && *position < static_cast<std::int64_t>(regions.size()))
            return regions[static_cast<std::size_t>(*position)].buffer;
    }
    return {};
}

/// A number in place of an index map is a map to that number, with one index for each result of the map
/// before it; where there is one, it is the value of an element, in the buffer's type where it fits.
ArgValue constantMap(const ArgValue &value, const Args &args, std::size_t end, const ir::Buffer &buffer)
{
    IndexMap map;
    bool isElement = false;
    for (std::size_t i = 0; i < end; ++i) {
        const IndexMap *before = args[i].as<IndexMap>();
        isElement = isElement || (before && buffer);
        for (std::size_t d = 0; before && d < before->outputs.size(); ++d)
            map.inputs.emplace_back("indices_" + std::to_string(d));
    }
    const IndexMap *given = value.as<IndexMap>();
    const std::int64_t *number = value.as<std::int64_t>();
    const double *real = value.as<double>();
    const bool *truth = value.as<bool>();
    if (given && given->inputs.empty())
        map.outputs = given->withValues().outputs;
    else if (const Formula *constant = value.as<Formula>();
             constant && (ir::asInt(constant->value) || constant->value.as<ir::FloatImm>()))
        map.outputs = {constant->value};
    else if (number)
        map.outputs = {isElement && buffer.dtype().isInt() ? ir::intImm(*number, buffer.dtype())
                                                           : ir::Expr(*number)};
    else if (real)
        map.outputs = {ir::writtenFloat(
            *real, isElement && buffer.dtype().isFloating() ? buffer.dtype() : ir::DataType::float32())};
    else if (truth)
        map.outputs = {ir::boolImm(*truth)};
    else
        return value;
    return map;
}

/// The index map with as many inputs as it will be given.
ArgValue indexMap(const Primitive &primitive, const ArgValue &value, const Args &args, std::size_t at,
                  const ir::Block *block)
{
    const ir::Buffer buffer = bufferAmong(primitive, args, at, block);
    const IndexMap *map = value.as<IndexMap>();
    if (map && map->rest >= 0) {
        std::size_t count = block ? block->iterVars.size() : 0;
        for (std::size_t i = 0; i < at; ++i) {
            if (primitive.fields[i].kind == FieldKind::BufferRef && buffer)
                count = buffer.shape().size();
        }
        for (std::size_t i = 0; i < at; ++i) {
            if (const IndexMap *before = args[i].as<IndexMap>())
                count = before->outputs.size();
        }
        return map->withInputs(count);
    }
    if (map && primitive.fields[at].form == FieldForm::GivesRanges)
        return map->withRanges();
    return constantMap(value, args, at, buffer);
}

/// Constants of a type of their own are the numbers they are.
ArgValue constantsAsNumbers(ArgValue value)
{
    if (ArgList *list = std::get_if<ArgList>(&value.value)) {
        for (ArgValue &item : *list)
            item = constantsAsNumbers(std::move(item));
    }
    const Formula *formula = value.as<Formula>();
    const std::int64_t *number = formula ? ir::asInt(formula->value) : nullptr;
    return number ? ArgValue(*number) : std::move(value);
}

ArgValue coerced(const Field &field, ArgValue value, const ir::Block *block, const BlockLookup &blockByName)
{
    const std::string *text = value.as<std::string>();
    const std::int64_t *number = value.as<std::int64_t>();
    switch (field.kind) {
    case FieldKind::BlockOrLoop:
        if (field.form == FieldForm::AcceptsBlockList && (text || value.as<ArgList>()))
            return blockList(value, blockByName);
        return text ? blockByName(*text) : std::move(value);
    case FieldKind::Block: return text ? blockByName(*text) : std::move(value);
    case FieldKind::Blocks: return value.isNone() ? ArgValue(ArgList{}) : blockList(value, blockByName);
    case FieldKind::Int:
    case FieldKind::Ints:
    case FieldKind::OptionalInts: return constantsAsNumbers(std::move(value));
    case FieldKind::BufferIndex: return text ? bufferPosition(*text, block, field.side) : std::move(value);
    case FieldKind::BufferRef: return text ? bufferReference(*text, block) : std::move(value);
    case FieldKind::Bool:
        return number && (*number == 0 || *number == 1) ? ArgValue(*number == 1) : std::move(value);
    default: return value;
    }
}

} // namespace

Step bindArguments(const State &state, const Primitive &primitive, WrittenArguments written,
                   const BlockLookup &blockByName)
{
    std::vector<std::optional<ArgValue>> values = placed(primitive, std::move(written));
    Step step{&primitive, Args(values.size())};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Field &field = primitive.fields[i];
        if (!values[i] && !field.fallback)
            badArgument(py::missingArgument({'\'' + std::string(primitive.name) + '\''}, field.name),
                        std::string(field.help));
        // None stands for the default wherever there is one.
        if (!values[i] || (values[i]->isNone() && field.fallback))
            step.args[i] = *field.fallback;
        else if (field.kind == FieldKind::IndexMap)
            step.args[i] =
                indexMap(primitive, *values[i], step.args, i, blockAmong(state, primitive, step.args));
        else
            step.args[i] =
                coerced(field, std::move(*values[i]), blockAmong(state, primitive, step.args), blockByName);
    }
    return step;
}

} // namespace nestwright::schedule
