// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/proposals.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

namespace nestwright::suggest {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldForm;
using schedule::FieldKind;
using schedule::Primitive;

namespace {

ArgValue firstOf(const std::vector<Choice> &choices)
{
    return choices.empty() ? ArgValue() : choices.front().value;
}

} // namespace

std::int64_t usualFactor(std::optional<std::int64_t> iterations)
{
    constexpr std::int64_t most = 32, least = 4;
    if (!iterations)
        return most;
    const auto divides = [&](std::int64_t size) { return *iterations % size == 0 && *iterations > size; };
    for (std::int64_t size = most; size >= least; size /= 2) {
        if (divides(size))
            return size;
    }
    for (std::int64_t size = most; size >= least; --size) {
        if (divides(size))
            return size;
    }
    if (*iterations > most)
        return most;
    return std::max<std::int64_t>(1, (*iterations + 1) / 2);
}

/// Loops that a step on the selection can concern: those of its own nest, and those around the blocks that
/// its block reads from or writes for. (Checking all loops of a long program would take too long.)
std::vector<Choice> Proposals::loopChoices(StmtId except) const
{
    std::unordered_set<StmtId> wanted;
    const auto addAround = [&](StmtId id) {
        const std::vector<StmtId> loops = m_nest.loopsTo(id);
        wanted.insert(loops.begin(), loops.end());
    };
    if (m_selection.block) {
        addAround(m_selection.block);
        if (const analysis::FunctionIndex *index = m_nest.indexOf(m_selection.block)) {
            for (const StmtId other : index->producers(m_selection.block))
                addAround(other);
            for (const StmtId other : index->consumers(m_selection.block))
                addAround(other);
        }
    }
    std::vector<Choice> choices;
    const std::vector<StmtId> &all = m_nest.all();
    const auto add = [&](StmtId id) {
        if (wanted.contains(id) && id != except)
            choices.push_back({id, m_nest.name(id)});
    };
    // Blocks below the selection are the likelier partners.
    auto first = std::ranges::find(all, m_selection.current);
    if (first == all.end())
        first = all.begin();
    std::for_each(first, all.end(), add);
    std::for_each(all.begin(), first, add);
    return choices;
}

std::vector<Choice> Proposals::blockChoices() const
{
    std::vector<Choice> choices;
    for (const StmtId id : m_nest.all()) {
        if (m_nest.block(id))
            choices.push_back({id, m_nest.name(id)});
    }
    return choices;
}

std::vector<Choice> Proposals::statementChoices() const
{
    std::vector<Choice> choices = blockChoices();
    std::ranges::move(loopChoices({}), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> Proposals::bufferChoices(const Field &field) const
{
    std::vector<Choice> choices;
    const ir::Block *block = m_nest.block(m_selection.block);
    if (!block)
        return choices;
    const auto add = [&](const std::vector<ir::BufferRegion> &regions, const char *side) {
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const auto position = static_cast<std::int64_t>(i);
            ArgValue value =
                field.kind == FieldKind::BufferRef ? ArgValue(ArgList{side, position}) : ArgValue(position);
            choices.push_back({std::move(value), regions[i].buffer.name()});
        }
    };
    const bool both = field.kind == FieldKind::BufferRef;
    if (both || field.side == schedule::BufferSide::Read)
        add(block->reads, "read");
    if (both || field.side == schedule::BufferSide::Write)
        add(block->writes, "write");
    return choices;
}

std::vector<Choice> Proposals::choicesOf(const Field &field, bool first) const
{
    switch (field.kind) {
    case FieldKind::Loop: return first ? std::vector<Choice>() : loopChoices(m_selection.loop);
    case FieldKind::Block: return first ? std::vector<Choice>() : blockChoices();
    case FieldKind::BlockOrLoop: return first ? std::vector<Choice>() : statementChoices();
    case FieldKind::Blocks: return blockChoices();
    case FieldKind::Loops: return nestChoices();
    case FieldKind::BufferIndex:
    case FieldKind::BufferRef: return bufferChoices(field);
    case FieldKind::Choice:
    case FieldKind::String: {
        std::vector<Choice> choices;
        for (const std::string_view name : field.choices)
            choices.push_back({std::string(name), std::string(name)});
        if (field.form == FieldForm::NamesAnnotation)
            addAnnotations(choices);
        return choices;
    }
    default: return {};
    }
}

/// Adds the annotations of the selected loop or block.
void Proposals::addAnnotations(std::vector<Choice> &choices) const
{
    const ir::For *loop = m_nest.loop(m_selection.current);
    const ir::Block *block = m_nest.block(m_selection.current);
    if (!loop && !block)
        return;
    for (const auto &[key, value] : loop ? loop->annotations : block->annotations)
        choices.push_back({key, key});
}

/// Loops that could be reordered or fused with the selected one.
std::vector<Choice> Proposals::nestChoices() const
{
    std::vector<Choice> choices;
    for (const StmtId id : m_nest.perfectNest(m_selection.loop))
        choices.push_back({id, m_nest.name(id)});
    return choices;
}

ArgValue Proposals::valueOf(const Field &field, bool first, const std::vector<Choice> &choices) const
{
    switch (field.kind) {
    case FieldKind::Block: return first ? ArgValue(m_selection.block) : firstOf(choices);
    case FieldKind::Loop: return first ? ArgValue(m_selection.loop) : firstOf(choices);
    case FieldKind::BlockOrLoop:
        if (!first)
            return firstOf(choices);
        return m_selection.current ? ArgValue(m_selection.current) : ArgValue();
    case FieldKind::Loops: return loopsProposal();
    case FieldKind::BufferIndex:
    case FieldKind::BufferRef: return firstOf(choices);
    case FieldKind::OptionalInts: return ArgList{{}, usualFactor(m_nest.iterations(m_selection.current))};
    default: break;
    }
    if (field.fallback)
        return *field.fallback;
    switch (field.kind) {
    case FieldKind::Choice:
    case FieldKind::String:
        if (field.form == FieldForm::NamesAnnotation && choices.empty())
            return std::string();
        return firstOf(choices);
    case FieldKind::Int: {
        std::int64_t proposed = 0;
        if (!field.choices.empty())
            std::from_chars(field.choices.front().data(),
                            field.choices.front().data() + field.choices.front().size(), proposed);
        return proposed;
    }
    case FieldKind::Bool: return false;
    case FieldKind::Ints: return positions();
    case FieldKind::Blocks: return ArgList{};
    default: return {};
    }
}

ArgValue Proposals::identityMap(const Primitive &primitive, const ArgList &args) const
{
    const ir::Block *block = m_nest.block(m_selection.block);
    if (!block)
        return {};
    std::size_t rank = block->iterVars.size();
    for (std::size_t i = 0; i < args.size(); ++i) {
        const Field &field = primitive.fields[i];
        const auto *list = args[i].as<ArgList>();
        const auto *place =
            list && list->size() == 2 ? list->back().as<std::int64_t>() : args[i].as<std::int64_t>();
        const auto *side = list && list->size() == 2 ? list->front().as<std::string>() : nullptr;
        if ((field.kind != FieldKind::BufferIndex && field.kind != FieldKind::BufferRef) || !place)
            continue;
        const bool writes = side ? *side == "write" : field.side == schedule::BufferSide::Write;
        const auto &regions = writes ? block->writes : block->reads;
        if (*place >= 0 && static_cast<std::size_t>(*place) < regions.size())
            rank = regions[static_cast<std::size_t>(*place)].region.size();
    }
    schedule::IndexMap map;
    for (std::size_t i = 0; i < rank; ++i) {
        constexpr std::string_view letters = "ijklmn";
        const std::string name =
            rank <= letters.size() ? std::string(1, letters[i]) : "i" + std::to_string(i);
        map.inputs.emplace_back(name);
        map.outputs.push_back(map.inputs.back());
    }
    return map;
}

/// The identity permutation of the block's iteration variables.
ArgValue Proposals::positions() const
{
    ArgList list;
    if (const ir::Block *block = m_nest.block(m_selection.block)) {
        for (std::size_t i = 0; i < block->iterVars.size(); ++i)
            list.emplace_back(static_cast<std::int64_t>(i));
    }
    return list;
}

/// Several selected loops as chosen; else the loop and the one it holds.
ArgValue Proposals::loopsProposal() const
{
    ArgList loops;
    if (m_selection.all.size() > 1) {
        for (const StmtId id : m_selection.all)
            loops.emplace_back(id);
        return loops;
    }
    if (!m_selection.loop)
        return loops;
    loops.emplace_back(m_selection.loop);
    const std::vector<StmtId> nest = m_nest.perfectNest(m_selection.loop);
    const auto here = std::ranges::find(nest, m_selection.loop);
    if (here != nest.end() && std::next(here) != nest.end())
        loops.emplace_back(*std::next(here));
    return loops;
}

} // namespace nestwright::suggest
