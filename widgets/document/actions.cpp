// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/actions.h"

#include "core/schedule/apply.h"
#include "core/schedule/state_index.h"
#include "widgets/document/text.h"

#include <QStringList>

#include <algorithm>

namespace nestwright::document {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldKind;
using schedule::Primitive;

namespace {

/// Fills in one primitive for one selection.
class Filler {
public:
    Filler(const Nest &nest, std::vector<StmtId> selection, const std::stop_token &stop)
        : m_nest(nest)
        , m_selection(std::move(selection))
        , m_stop(stop)
    {
        const auto found = m_selection.empty() ? nest.rowOf.end() : nest.rowOf.find(m_selection.back());
        if (found == nest.rowOf.end())
            return;
        m_row = found->second;
        const NestRow &row = at(m_row);
        if (row.kind == RowKind::Loop)
            m_loop = row.id;
        if (row.kind != RowKind::Function) {
            if (const int block = nest.firstBlock(m_row); block >= 0)
                m_block = at(block).id;
        }
    }

    Action fill(const Primitive &primitive)
    {
        Action action;
        action.primitive = &primitive;
        action.title = toQt(primitive.title);
        bool needsChoice = false;
        for (std::size_t i = 0; i < primitive.fields.size(); ++i) {
            const Field &field = primitive.fields[i];
            std::vector<Choice> choices = choicesOf(field, i == 0);
            ArgValue value = proposal(field, i == 0, choices);
            const bool subject = i == 0 && isStatement(field.kind) && primitive.name != "reorder";
            if (!subject && (field.carried ? choices.size() > 1 : !field.attribute))
                needsChoice = true;
            if (field.kind == FieldKind::IndexMap && !field.fallback)
                value = identityMap(primitive, action.args);
            action.args.push_back(std::move(value));
            action.choices.push_back(std::move(choices));
        }
        action.direct = !needsChoice || (primitive.name == "reorder" && m_selection.size() > 1);
        if (const std::optional<support::Diagnostic> missing = missingSubject(primitive))
            action.refused = missing;
        else
            settle(action);
        setTitle(action);
        return action;
    }

private:
    const NestRow &at(int row) const { return m_nest.rows[static_cast<std::size_t>(row)]; }

    static bool isStatement(FieldKind kind)
    {
        return kind == FieldKind::Block || kind == FieldKind::Loop || kind == FieldKind::BlockOrLoop
               || kind == FieldKind::Loops;
    }

    std::optional<support::Diagnostic> missingSubject(const Primitive &primitive) const
    {
        if (primitive.fields.empty())
            return {};
        const FieldKind kind = primitive.fields.front().kind;
        if (m_row < 0)
            return support::diagnostic("window.nothing-selected", "nothing is selected")
                .withHint("select a loop or block first");
        if ((kind == FieldKind::Loop || kind == FieldKind::Loops) && !m_loop)
            return support::diagnostic("window.not-a-loop", "a block is selected, and this works on a loop")
                .withHint("select one of the loops around it");
        if (kind == FieldKind::Block && !m_block)
            return support::diagnostic("window.no-block", "there is no block in what is selected")
                .withHint("select a block");
        return {};
    }

    QString nameOf(StmtId id) const
    {
        const NestRow *row = m_nest.row(id);
        return row ? row->name : QString();
    }

    /// Loops that a step on the selection can have to do with: those of its own nest, and those around the blocks that
    /// its block reads from or writes for. (All loops of a long program would take too long to check.)
    std::vector<Choice> loopChoices(StmtId except) const
    {
        std::vector<char> wanted(m_nest.rows.size(), 0);
        const auto addAround = [&](StmtId id) {
            const auto found = m_nest.rowOf.find(id);
            if (found == m_nest.rowOf.end())
                return;
            for (const int loop : m_nest.loopsTo(found->second))
                wanted[static_cast<std::size_t>(loop)] = 1;
        };
        if (m_block) {
            addAround(m_block);
            if (const analysis::FunctionIndex *index = m_nest.state.index->of(m_block)) {
                for (const StmtId other : index->producers(m_block))
                    addAround(other);
                for (const StmtId other : index->consumers(m_block))
                    addAround(other);
            }
        }
        std::vector<Choice> choices;
        const auto add = [&](std::size_t row) {
            if (wanted[row] && m_nest.rows[row].kind == RowKind::Loop && m_nest.rows[row].id != except)
                choices.push_back({m_nest.rows[row].id, m_nest.rows[row].name});
        };
        // What lies below the selection is the likelier partner.
        const auto first = static_cast<std::size_t>(std::max(m_row, 0));
        for (std::size_t row = first; row < m_nest.rows.size(); ++row)
            add(row);
        for (std::size_t row = 0; row < first; ++row)
            add(row);
        return choices;
    }

    std::vector<Choice> blockChoices() const
    {
        std::vector<Choice> choices;
        for (const NestRow &row : m_nest.rows) {
            if (row.kind == RowKind::Block)
                choices.push_back({row.id, row.name});
        }
        return choices;
    }

    std::vector<Choice> statementChoices() const
    {
        std::vector<Choice> choices = blockChoices();
        std::ranges::move(loopChoices({}), std::back_inserter(choices));
        return choices;
    }

    std::vector<Choice> bufferChoices(const Field &field) const
    {
        std::vector<Choice> choices;
        const analysis::FunctionIndex *index = m_nest.state.index->of(m_block);
        const ir::Block *block = index ? index->block(m_block) : nullptr;
        if (!block)
            return choices;
        const auto add = [&](const std::vector<ir::BufferRegion> &regions, const char *side) {
            for (std::size_t i = 0; i < regions.size(); ++i) {
                const auto position = static_cast<std::int64_t>(i);
                ArgValue value = field.kind == FieldKind::BufferRef ? ArgValue(ArgList{side, position})
                                                                    : ArgValue(position);
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

    std::vector<Choice> choicesOf(const Field &field, bool first) const
    {
        switch (field.kind) {
        case FieldKind::Loop: return first ? std::vector<Choice>() : loopChoices(m_loop);
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
    void addAnnotations(std::vector<Choice> &choices) const
    {
        const analysis::FunctionIndex *index = m_row < 0 ? nullptr : m_nest.state.index->of(at(m_row).id);
        if (!index)
            return;
        const ir::Stmt selected = index->find(at(m_row).id);
        const auto *loop = selected.as<ir::For>();
        const ir::Block *block = index->block(at(m_row).id);
        if (!loop && !block)
            return;
        for (const auto &[key, value] : loop ? loop->annotations : block->annotations)
            choices.push_back({key, QString::fromStdString(key)});
    }

    /// The loops that could be reordered or fused with the selected one.
    std::vector<Choice> nestChoices() const
    {
        std::vector<Choice> choices;
        if (m_row < 0 || at(m_row).kind != RowKind::Loop)
            return choices;
        for (const int row : perfectNest(m_nest, m_row))
            choices.push_back({at(row).id, at(row).name});
        return choices;
    }

    ArgValue proposal(const Field &field, bool first, const std::vector<Choice> &choices)
    {
        switch (field.kind) {
        case FieldKind::Block: return first ? ArgValue(m_block) : firstOf(choices);
        case FieldKind::Loop: return first ? ArgValue(m_loop) : firstOf(choices);
        case FieldKind::BlockOrLoop:
            if (!first)
                return firstOf(choices);
            return m_row < 0 ? ArgValue() : ArgValue(at(m_row).id);
        case FieldKind::Loops: return loopsProposal();
        case FieldKind::BufferIndex:
        case FieldKind::BufferRef: return firstOf(choices);
        case FieldKind::OptionalInts: return ArgList{{}, innerFactor()};
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

    /// The map that a new one starts from: of the buffer chosen among `args`, else of the block's iteration variables.
    ArgValue identityMap(const Primitive &primitive, const ArgList &args) const
    {
        const analysis::FunctionIndex *index = m_nest.state.index->of(m_block);
        const ir::Block *block = index ? index->block(m_block) : nullptr;
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
    ArgValue positions() const
    {
        ArgList list;
        const analysis::FunctionIndex *index = m_nest.state.index->of(m_block);
        if (const ir::Block *block = index ? index->block(m_block) : nullptr) {
            for (std::size_t i = 0; i < block->iterVars.size(); ++i)
                list.emplace_back(static_cast<std::int64_t>(i));
        }
        return list;
    }

    static ArgValue firstOf(const std::vector<Choice> &choices)
    {
        return choices.empty() ? ArgValue() : choices.front().value;
    }

    /// Several selected loops as chosen; else the loop and the one it holds.
    ArgValue loopsProposal() const
    {
        ArgList loops;
        if (m_selection.size() > 1) {
            for (const StmtId id : m_selection)
                loops.emplace_back(id);
            return loops;
        }
        if (m_row < 0 || at(m_row).kind != RowKind::Loop)
            return loops;
        loops.emplace_back(m_loop);
        const std::vector<int> nest = perfectNest(m_nest, m_row);
        const auto here = std::ranges::find(nest, m_row);
        if (here != nest.end() && std::next(here) != nest.end())
            loops.emplace_back(at(*std::next(here)).id);
        return loops;
    }

    /// A usual tile size that divides the loop.
    std::int64_t innerFactor() const
    {
        const std::int64_t extent = m_row < 0 ? -1 : at(m_row).iterations;
        for (const std::int64_t factor : {32, 16, 8, 4, 2}) {
            if (extent < 0 || (extent % factor == 0 && extent > factor))
                return factor;
        }
        return extent > 4 ? 4 : 2;
    }

    void adaptToPrimitive(Action &action) const
    {
        auto *loops = action.args.empty() ? nullptr : std::get_if<ArgList>(&action.args.front().value);
        if (!loops || action.primitive->fields.front().kind != FieldKind::Loops)
            return;
        if (action.primitive->name == "reorder" && m_selection.size() < 2)
            std::ranges::reverse(*loops);          // the selected loop one place inwards
        if (action.primitive->name != "reorder") { // outermost first
            std::ranges::sort(*loops, {}, [&](const ArgValue &value) {
                const StmtId *id = value.as<StmtId>();
                const auto found = id ? m_nest.rowOf.find(*id) : m_nest.rowOf.end();
                return found == m_nest.rowOf.end() ? -1 : found->second;
            });
        }
    }

    /// Checks the proposal; where another loop or block is to be chosen, looks for those that are legal.
    void settle(Action &action) const
    {
        adaptToPrimitive(action);
        if (const auto *loops = action.args.empty() ? nullptr : action.args.front().as<ArgList>();
            loops && action.primitive->fields.front().kind == FieldKind::Loops && loops->size() < 2) {
            action.refused = support::diagnostic("window.one-loop", "'" + nameOf(m_loop).toStdString()
                                                                        + "' holds no other loop alone")
                                 .withHint("select two loops that enclose each other");
            return;
        }
        if (mustBeTypedIn(*action.primitive)) { // nothing to check before it is
            action.needsTyping = true;
            action.direct = false;
            return;
        }
        const auto result = schedule::check(m_nest.state, action.step());
        if (!result)
            action.refused = result.error();
        if (!result && action.primitive->name == "reorder" && m_selection.size() < 2)
            moveOutwards(action);
        for (std::size_t i = 1; i < action.args.size(); ++i) {
            const FieldKind kind = action.primitive->fields[i].kind;
            if (kind == FieldKind::Loop || kind == FieldKind::BufferIndex)
                keepLegal(action, i);
        }
    }

    static bool mustBeTypedIn(const Primitive &primitive)
    {
        return std::ranges::any_of(primitive.fields, [](const Field &field) {
            const bool text = field.kind == FieldKind::String || field.kind == FieldKind::AnnotationValue
                              || field.kind == FieldKind::IndexMap || field.kind == FieldKind::Ints;
            return text && !field.fallback && !field.carried && field.choices.empty();
        });
    }

    /// Where the loop cannot go inwards: one place outwards.
    void moveOutwards(Action &action) const
    {
        const std::vector<int> nest = perfectNest(m_nest, m_row);
        const auto here = std::ranges::find(nest, m_row);
        if (here == nest.begin() || here == nest.end())
            return;
        schedule::Step step = action.step();
        step.args.front() = ArgList{m_loop, at(*std::prev(here)).id};
        if (!schedule::check(m_nest.state, step))
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
            if (schedule::check(m_nest.state, step))
                legal.push_back(choice);
        }
        if (legal.empty())
            return;
        action.refused.reset();
        action.args[field] = legal.front().value;
        action.choices[field] = std::move(legal);
    }

    void setTitle(Action &action) const
    {
        const std::string_view name = action.primitive->name;
        if (name == "fuse") {
            const auto *loops = action.args.empty() ? nullptr : action.args.front().as<ArgList>();
            if (loops && loops->size() == 2 && m_selection.size() == 1) {
                if (const StmtId *other = (*loops)[1].as<StmtId>())
                    action.title = QStringLiteral("Fuse with %1").arg(nameOf(*other));
            }
        }
        if (name == "cache_read" || name == "cache_write") {
            const std::vector<Choice> &buffers =
                action.choices.size() > 1 ? action.choices[1] : std::vector<Choice>();
            if (!buffers.empty())
                action.title += u' ' + buffers.front().label;
        }
        if (name == "compute_at" || name == "reverse_compute_at")
            action.title += QStringLiteral("…");
    }

    const Nest &m_nest;
    std::vector<StmtId> m_selection;
    std::stop_token m_stop;
    int m_row = -1;
    StmtId m_loop, m_block;
};

/// Tries whether moving the loop innermost makes a refused action legal.
void findRemedy(const Nest &nest, StmtId selected, Action &action)
{
    const auto found = nest.rowOf.find(selected);
    if (found == nest.rowOf.end() || nest.rows[static_cast<std::size_t>(found->second)].kind != RowKind::Loop)
        return;
    const std::vector<int> chain = perfectNest(nest, found->second);
    const auto here = std::ranges::find(chain, found->second);
    if (here == chain.end() || std::next(here) == chain.end())
        return;
    ArgList order;
    for (auto loop = std::next(here); loop != chain.end(); ++loop)
        order.emplace_back(nest.rows[static_cast<std::size_t>(*loop)].id);
    order.emplace_back(selected);
    const schedule::Step reorder{schedule::findPrimitive("reorder"), {order}};
    const auto moved = schedule::apply(nest.state, reorder);
    if (moved && schedule::check(moved->state, action.step())) {
        action.remedy = reorder;
        action.remedyTitle = QStringLiteral("Reorder %1 innermost")
                                 .arg(nest.rows[static_cast<std::size_t>(found->second)].name);
    }
}

} // namespace

std::vector<Action> actionsFor(const Nest &nest, const std::vector<StmtId> &selection,
                               const std::stop_token &stop)
{
    std::vector<Action> actions;
    Filler filler(nest, selection, stop);
    for (const Primitive *primitive : schedule::primitives()) {
        if (primitive->isQuery)
            continue;
        if (stop.stop_requested())
            break;
        Action action = filler.fill(*primitive);
        if (action.refused && primitive->group == schedule::Group::Annotate && !selection.empty())
            findRemedy(nest, selection.back(), action);
        actions.push_back(std::move(action));
    }
    return actions;
}

std::vector<int> perfectNest(const Nest &nest, int row)
{
    const auto at = [&](int position) -> const NestRow & {
        return nest.rows[static_cast<std::size_t>(position)];
    };
    const auto holdsOne = [&](int position) { return at(position).children.size() == 1; };
    int top = row;
    while (at(top).parent >= 0 && at(at(top).parent).kind == RowKind::Loop && holdsOne(at(top).parent))
        top = at(top).parent;
    std::vector<int> chain{top};
    while (holdsOne(chain.back()) && at(at(chain.back()).children.front()).kind == RowKind::Loop)
        chain.push_back(at(chain.back()).children.front());
    return chain;
}

} // namespace nestwright::document
