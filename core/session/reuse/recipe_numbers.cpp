// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/recipe_numbers.h"

#include "core/analysis/kernel/axes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/measure/machine/topology.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace nestwright::session {

using ir::StmtId;
using schedule::ArgList;
using schedule::ArgValue;
using schedule::TraceLine;
using support::fail;
using support::Result;

namespace {

enum class LoopRole : std::uint8_t { Plain, Lanes, Unrolled, Parallel, Bound };

/// Ties the numbers of a trace to parameters, first those of splits, then those that follow from them.
class NumberFinder {
public:
    explicit NumberFinder(RecipeTrace &trace) : m_trace(trace) {}

    void find()
    {
        findRoles();
        for (std::size_t i = 0; i < m_trace.lines.size(); ++i) {
            if (nameAt(i) == "split")
                addSplit(i);
        }
        for (std::size_t i = 0; i < m_trace.lines.size(); ++i) {
            if (nameAt(i) == "pad_einsum")
                addPadding(i);
            for (const ArgValue &argument : m_trace.lines[i].step.args) {
                if (const auto *map = argument.as<schedule::IndexMap>())
                    addMap(i, *map);
            }
        }
    }

private:
    std::string_view nameAt(std::size_t line) const { return m_trace.lines[line].step.primitive->name; }
    const ArgList &argsAt(std::size_t line) const { return m_trace.lines[line].step.args; }

    void findRoles()
    {
        for (std::size_t i = 0; i < m_trace.lines.size(); ++i) {
            const StmtId *loop = argsAt(i).empty() ? nullptr : argsAt(i).front().as<StmtId>();
            if (!loop)
                continue;
            if (nameAt(i) == "vectorize")
                m_roles[*loop] = LoopRole::Lanes;
            else if (nameAt(i) == "unroll")
                m_roles[*loop] = LoopRole::Unrolled;
            else if (nameAt(i) == "parallel")
                m_roles[*loop] = LoopRole::Parallel;
            else if (nameAt(i) == "bind") {
                m_roles[*loop] = LoopRole::Bound;
                const auto *axis = argsAt(i)[1].as<std::string>();
                m_bound[*loop] = axis && axis->starts_with("blockIdx")    ? "blocks_" + axis->substr(9)
                                 : axis && axis->starts_with("threadIdx") ? "threads_" + axis->substr(10)
                                                                          : "virtual_threads";
            }
        }
    }

    LoopRole roleOf(const ArgValue &loop) const
    {
        const StmtId *id = loop.as<StmtId>();
        const auto found = id ? m_roles.find(*id) : m_roles.end();
        return found == m_roles.end() ? LoopRole::Plain : found->second;
    }

    /// The loop of a split, its extent where it is known, and its factors.
    struct Split {
        std::size_t line;
        StmtId loop;
        std::int64_t extent = 0; ///< 0: symbolic
        ArgList factors;
        bool isOfBlock = false; ///< of the block that the recipe is for
    };

    void addSplit(std::size_t line)
    {
        const ArgList &args = argsAt(line);
        const StmtId *loop = args[0].as<StmtId>();
        const ArgList *factors = args[1].as<ArgList>();
        const analysis::FunctionIndex *index = loop ? m_trace.before[line].index->of(*loop) : nullptr;
        if (!index || !factors || !index->loop(*loop))
            return;
        Split split{.line = line, .loop = *loop, .factors = *factors};
        if (const std::int64_t *extent = ir::asInt(index->loop(*loop)->extent))
            split.extent = *extent;
        split.isOfBlock =
            m_trace.block && index->contains(m_trace.block) && index->encloses(*loop, m_trace.block);
        std::vector<std::size_t> own; // numbers from the outermost to the innermost
        const std::size_t rest = remainderOf(split);
        for (std::size_t i = 0; i < factors->size(); ++i) {
            const std::int64_t *value = (*factors)[i].as<std::int64_t>();
            if (!value || *value <= 1)
                continue;
            NumberUse use = useOf(split, i, *value);
            if (i == rest && use.kind != NumberUse::Kind::WholeExtent)
                use = {.kind = NumberUse::Kind::Remainder};
            if (use.kind == NumberUse::Kind::Product && use.numbers.size() == 1)
                own.push_back(use.numbers.front());
            m_trace.factors[{line, 1, i}] = std::move(use);
        }
        if (own.size() > 1)
            m_splits.push_back(std::move(own));
    }

    /// Index of the factor that becomes the remainder, if all factors are given and multiply to the loop's
    /// extent: the first one that is not the number of threads. Otherwise the number of factors.
    std::size_t remainderOf(const Split &split) const
    {
        std::int64_t product = 1;
        for (const ArgValue &factor : split.factors) {
            const std::int64_t *value = factor.as<std::int64_t>();
            if (!value)
                return split.factors.size();
            product *= *value;
        }
        const bool isShared = roleOf(m_trace.outputs[split.line].front()) == LoopRole::Parallel
                              && *split.factors.front().as<std::int64_t>() == measure::usableThreads();
        return product == split.extent && split.factors.size() > 1 ? (isShared ? 1 : 0)
                                                                   : split.factors.size();
    }

    NumberUse useOf(const Split &split, std::size_t factor, std::int64_t value)
    {
        const ArgList &made = m_trace.outputs[split.line];
        const int cores = measure::usableThreads();
        if (value == split.extent)
            return {.kind = NumberUse::Kind::WholeExtent};
        const LoopRole outer = roleOf(made.front());
        if (factor == 0 && outer == LoopRole::Parallel && value == cores)
            return {.kind = NumberUse::Kind::Product, .numbers = {threads()}};
        if (factor == 1 && split.factors.size() == 2 && split.factors[0].isNone()
            && outer == LoopRole::Parallel && cores > 1 && value * cores == split.extent)
            return {.kind = NumberUse::Kind::ThreadShare, .numbers = {threads()}};
        const std::string name = nameFor(split, factor);
        if (const auto same = find(value, name))
            return {.kind = NumberUse::Kind::Product, .numbers = {*same}};
        if (!split.isOfBlock) {
            if (auto product = productOf(value))
                return *std::move(product);
        }
        return {.kind = NumberUse::Kind::Product, .numbers = {add(split, name, value)}};
    }

    /// The word of a number, before it is told from others: by the kind of its loop and the axis.
    std::string nameFor(const Split &split, std::size_t factor) const
    {
        const ArgList &made = m_trace.outputs[split.line];
        const StmtId *loop = made[factor].as<StmtId>();
        switch (roleOf(made[factor])) {
        case LoopRole::Lanes: return "lanes";
        case LoopRole::Bound: return m_bound.at(*loop);
        case LoopRole::Parallel: return "parts";
        case LoopRole::Unrolled:
            if (factor + 1 < made.size() && roleOf(made[factor + 1]) == LoopRole::Lanes)
                return "vectors";
            return isReduction(split) ? "terms" : "rows";
        case LoopRole::Plain: break;
        }
        const analysis::FunctionIndex &index = *m_trace.before[split.line].index->of(split.loop);
        std::string axis = index.loop(split.loop)->var.name();
        while (!axis.empty() && (axis.back() == '_' || (axis.back() >= '0' && axis.back() <= '9')))
            axis.pop_back();
        return "tile" + (axis.empty() ? "" : "_" + axis);
    }

    bool isReduction(const Split &split) const
    {
        const analysis::FunctionIndex &index = *m_trace.before[split.line].index->of(split.loop);
        const auto axes = analysis::loopAxes(index);
        const auto found = axes.find(split.loop);
        return found != axes.end() && found->second.reduce;
    }

    static bool isOfWord(const std::string &name, const std::string &word)
    {
        return name == word
               || (name.starts_with(word + '_')
                   && std::ranges::all_of(name.substr(word.size() + 1),
                                          [](char c) { return c >= '0' && c <= '9'; }));
    }

    /// The number of that value and word.
    std::optional<std::size_t> find(std::int64_t value, const std::string &word) const
    {
        for (std::size_t i = 0; i < m_trace.numbers.size(); ++i) {
            if (m_trace.numbers[i].value == value && isOfWord(m_trace.numbers[i].name, word))
                return i;
        }
        return std::nullopt;
    }

    std::size_t threads()
    {
        if (const auto known = find(measure::usableThreads(), std::string(threadsParameter)))
            return *known;
        m_trace.numbers.push_back({.name = std::string(threadsParameter),
                                   .value = measure::usableThreads(),
                                   .place = "threads of this machine"});
        return m_trace.numbers.size() - 1;
    }

    std::size_t add(const Split &split, const std::string &word, std::int64_t value)
    {
        const auto taken = [this](const std::string &name) {
            return std::ranges::contains(m_trace.numbers, name, &RecipeNumber::name);
        };
        std::string name = word;
        for (int i = 2; taken(name); ++i)
            name = word + '_' + std::to_string(i);
        m_trace.numbers.push_back(
            {.name = name,
             .value = value,
             .place = schedule::describe(m_trace.lines[split.line].step, m_trace.before[split.line])});
        return m_trace.numbers.size() - 1;
    }

    /// The innermost numbers of a split that multiply to `value`.
    std::optional<NumberUse> productOf(std::int64_t value)
    {
        for (const std::vector<std::size_t> &own : m_splits) {
            std::int64_t product = 1;
            for (std::size_t i = own.size(); i-- > 0;) {
                product *= m_trace.numbers[own[i]].value;
                if (product != value || i + 1 == own.size())
                    continue;
                std::vector<std::size_t> part(own.begin() + static_cast<std::ptrdiff_t>(i), own.end());
                if (!std::ranges::contains(m_trace.products, part))
                    m_trace.products.push_back(part);
                return NumberUse{.kind = NumberUse::Kind::Product, .numbers = std::move(part)};
            }
        }
        return std::nullopt;
    }

    /// A number that a layout or padding shares with the tile that it is for.
    std::optional<NumberUse> sharedUse(std::int64_t value)
    {
        if (value <= 1)
            return std::nullopt;
        if (const auto lanes = find(value, "lanes"))
            return NumberUse{.kind = NumberUse::Kind::Product, .numbers = {*lanes}};
        if (auto product = productOf(value))
            return product;
        for (std::size_t i = 0; i < m_trace.numbers.size(); ++i) {
            if (m_trace.numbers[i].value == value && m_trace.numbers[i].name != threadsParameter)
                return NumberUse{.kind = NumberUse::Kind::Product, .numbers = {i}};
        }
        return std::nullopt;
    }

    void addPadding(std::size_t line)
    {
        for (std::size_t field = 0; field < argsAt(line).size(); ++field) {
            const ArgList *list = argsAt(line)[field].as<ArgList>();
            for (std::size_t i = 0; list && i < list->size(); ++i) {
                const std::int64_t *value = (*list)[i].as<std::int64_t>();
                auto use = value ? sharedUse(*value) : std::nullopt;
                if (use)
                    m_trace.factors[{line, field, i}] = std::move(*use);
            }
        }
    }

    void addMap(std::size_t line, const schedule::IndexMap &map)
    {
        std::set<std::int64_t> values;
        for (const ir::Expr &output : map.outputs) {
            ir::forEachExpr(output, [&](const ir::Expr &e) {
                if (const std::int64_t *value = ir::asInt(e))
                    values.insert(*value);
                return true;
            });
        }
        for (const std::int64_t value : values) {
            if (auto use = sharedUse(value))
                m_trace.maps[line][value] = std::move(*use);
        }
    }

    RecipeTrace &m_trace;
    std::map<StmtId, LoopRole> m_roles;
    std::map<StmtId, std::string> m_bound;          ///< words of loops that are bound to threads
    std::vector<std::vector<std::size_t>> m_splits; ///< numbers of splits with several
};

/// The first block that steps name, of those that reduce before the others.
StmtId namedBlock(const RecipeTrace &trace)
{
    StmtId first{};
    for (std::size_t i = 0; i < trace.lines.size(); ++i) {
        if (trace.lines[i].step.primitive->name != "get_block")
            continue;
        const StmtId id = *trace.outputs[i].front().as<StmtId>();
        const analysis::FunctionIndex *index = trace.before[i].index->of(id);
        if (!index || !trace.before.front().index->of(id) || id == index->root())
            continue;
        if (std::ranges::contains(index->block(id)->iterVars, ir::IterKind::Reduce, &ir::IterVar::kind))
            return id;
        first = first ? first : id;
    }
    return first;
}

} // namespace

Result<RecipeTrace> traceForRecipe(const explore::StepPath &path)
{
    auto lines = schedule::planTrace(path.state(0), path.steps());
    if (!lines)
        return fail(lines.error());
    RecipeTrace trace{.lines = std::move(*lines), .before = {}, .outputs = {}, .block = {}};
    schedule::State state = path.state(0);
    for (const TraceLine &line : trace.lines) {
        auto applied = schedule::apply(state, line.step);
        if (!applied)
            return fail(std::move(applied.error()));
        trace.before.push_back(std::move(state));
        trace.outputs.push_back(std::move(applied->outputs));
        state = std::move(applied->state);
    }
    trace.before.push_back(std::move(state));
    trace.block = namedBlock(trace);
    NumberFinder(trace).find();
    return trace;
}

} // namespace nestwright::session
