// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/proposals.h"

#include "core/schedule/state_index.h"
#include "widgets/document/text.h"

#include <algorithm>

namespace nestwright::document {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldKind;
using schedule::Primitive;

namespace {

ArgValue firstOf(const std::vector<Choice> &choices)
{
    return choices.empty() ? ArgValue() : choices.front().value;
}

} // namespace

Selected selectedIn(const Nest &nest, const std::vector<StmtId> &selection)
{
    Selected selected{selection, -1, {}, {}};
    const auto found = selection.empty() ? nest.rowOf.end() : nest.rowOf.find(selection.back());
    if (found == nest.rowOf.end())
        return selected;
    selected.row = found->second;
    const NestRow &row = nest.rows[static_cast<std::size_t>(selected.row)];
    if (row.kind == RowKind::Loop)
        selected.loop = row.id;
    if (row.kind != RowKind::Function) {
        if (const int block = nest.firstBlock(selected.row); block >= 0)
            selected.block = nest.rows[static_cast<std::size_t>(block)].id;
    }
    return selected;
}

std::int64_t usualPart(std::int64_t iterations)
{
    constexpr std::int64_t most = 32, least = 4;
    for (std::int64_t size = most; size >= least; size /= 2) {
        if (iterations < 0 || (iterations % size == 0 && iterations > size))
            return size;
    }
    for (std::int64_t size = most; size >= least; --size) {
        if (iterations % size == 0 && iterations > size)
            return size;
    }
    if (iterations > most)
        return most;
    return std::max<std::int64_t>(1, (iterations + 1) / 2);
}

/// Loops that a step on the selection can have to do with: those of its own nest, and those around the blocks that
/// its block reads from or writes for. (All loops of a long program would take too long to check.)
std::vector<Choice> Proposals::loopChoices(StmtId except) const
{
    std::vector<char> wanted(m_nest.rows.size(), 0);
    const auto addAround = [&](StmtId id) {
        const auto found = m_nest.rowOf.find(id);
        if (found == m_nest.rowOf.end())
            return;
        for (const int loop : m_nest.loopsTo(found->second))
            wanted[static_cast<std::size_t>(loop)] = 1;
    };
    if (m_selected.block) {
        addAround(m_selected.block);
        if (const analysis::FunctionIndex *index = m_nest.state.index->of(m_selected.block)) {
            for (const StmtId other : index->producers(m_selected.block))
                addAround(other);
            for (const StmtId other : index->consumers(m_selected.block))
                addAround(other);
        }
    }
    std::vector<Choice> choices;
    const auto add = [&](std::size_t row) {
        if (wanted[row] && m_nest.rows[row].kind == RowKind::Loop && m_nest.rows[row].id != except)
            choices.push_back({m_nest.rows[row].id, m_nest.rows[row].name});
    };
    // What lies below the selection is the likelier partner.
    const auto first = static_cast<std::size_t>(std::max(m_selected.row, 0));
    for (std::size_t row = first; row < m_nest.rows.size(); ++row)
        add(row);
    for (std::size_t row = 0; row < first; ++row)
        add(row);
    return choices;
}

std::vector<Choice> Proposals::blockChoices() const
{
    std::vector<Choice> choices;
    for (const NestRow &row : m_nest.rows) {
        if (row.kind == RowKind::Block)
            choices.push_back({row.id, row.name});
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
    const analysis::FunctionIndex *index = m_nest.state.index->of(m_selected.block);
    const ir::Block *block = index ? index->block(m_selected.block) : nullptr;
    if (!block)
        return choices;
    const auto add = [&](const std::vector<ir::BufferRegion> &regions, const char *side) {
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const auto position = static_cast<std::int64_t>(i);
            ArgValue value =
                field.kind == FieldKind::BufferRef ? ArgValue(ArgList{side, position}) : ArgValue(position);
            choices.push_back({std::move(value), QString::fromStdString(regions[i].buffer.name())});
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
    case FieldKind::Loop: return first ? std::vector<Choice>() : loopChoices(m_selected.loop);
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
            choices.push_back({std::string(name), toQt(name)});
        if (field.carried)
            addAnnotations(choices);
        return choices;
    }
    default: return {};
    }
}

/// Those of the selected loop or block.
void Proposals::addAnnotations(std::vector<Choice> &choices) const
{
    const analysis::FunctionIndex *index =
        m_selected.row < 0 ? nullptr : m_nest.state.index->of(at(m_selected.row).id);
    if (!index)
        return;
    const ir::Stmt selected = index->find(at(m_selected.row).id);
    const auto *loop = selected.as<ir::For>();
    const ir::Block *block = index->block(at(m_selected.row).id);
    if (!loop && !block)
        return;
    for (const auto &[key, value] : loop ? loop->annotations : block->annotations)
        choices.push_back({key, QString::fromStdString(key)});
}

/// The loops that could be reordered or fused with the selected one.
std::vector<Choice> Proposals::nestChoices() const
{
    std::vector<Choice> choices;
    if (m_selected.row < 0 || at(m_selected.row).kind != RowKind::Loop)
        return choices;
    for (const int row : perfectNest(m_nest, m_selected.row))
        choices.push_back({at(row).id, at(row).name});
    return choices;
}

ArgValue Proposals::valueOf(const Field &field, bool first, const std::vector<Choice> &choices) const
{
    switch (field.kind) {
    case FieldKind::Block: return first ? ArgValue(m_selected.block) : firstOf(choices);
    case FieldKind::Loop: return first ? ArgValue(m_selected.loop) : firstOf(choices);
    case FieldKind::BlockOrLoop:
        if (!first)
            return firstOf(choices);
        return m_selected.row < 0 ? ArgValue() : ArgValue(at(m_selected.row).id);
    case FieldKind::Loops: return loopsProposal();
    case FieldKind::BufferIndex:
    case FieldKind::BufferRef: return firstOf(choices);
    case FieldKind::OptionalInts:
        return ArgList{{}, usualPart(m_selected.row < 0 ? -1 : at(m_selected.row).iterations)};
    default: break;
    }
    if (field.fallback)
        return *field.fallback;
    switch (field.kind) {
    case FieldKind::Choice:
    case FieldKind::String:
        if (field.carried && choices.empty())
            return std::string();
        return firstOf(choices);
    case FieldKind::Int: return std::int64_t{0};
    case FieldKind::Bool: return false;
    case FieldKind::Ints: return positions();
    case FieldKind::Blocks: return ArgList{};
    default: return {};
    }
}

ArgValue Proposals::identityMap(const Primitive &primitive, const ArgList &args) const
{
    const analysis::FunctionIndex *index = m_nest.state.index->of(m_selected.block);
    const ir::Block *block = index ? index->block(m_selected.block) : nullptr;
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

/// The numbers of the block's iteration variables in their order: where a new order starts from.
ArgValue Proposals::positions() const
{
    ArgList list;
    const analysis::FunctionIndex *index = m_nest.state.index->of(m_selected.block);
    if (const ir::Block *block = index ? index->block(m_selected.block) : nullptr) {
        for (std::size_t i = 0; i < block->iterVars.size(); ++i)
            list.emplace_back(static_cast<std::int64_t>(i));
    }
    return list;
}

/// Several selected loops as chosen; else the loop and the one it holds.
ArgValue Proposals::loopsProposal() const
{
    ArgList loops;
    if (m_selected.all.size() > 1) {
        for (const StmtId id : m_selected.all)
            loops.emplace_back(id);
        return loops;
    }
    if (m_selected.row < 0 || at(m_selected.row).kind != RowKind::Loop)
        return loops;
    loops.emplace_back(m_selected.loop);
    const std::vector<int> nest = perfectNest(m_nest, m_selected.row);
    const auto here = std::ranges::find(nest, m_selected.row);
    if (here != nest.end() && std::next(here) != nest.end())
        loops.emplace_back(at(*std::next(here)).id);
    return loops;
}

} // namespace nestwright::document
