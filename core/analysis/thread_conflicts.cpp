// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/thread_conflicts.h"

#include "core/analysis/combinations.h"
#include "core/analysis/element_filter.h"
#include "core/analysis/integer_code.h"
#include "core/analysis/thread_forms.h"
#include "core/ir/builder.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

namespace {

constexpr std::int64_t mostCombinations = std::int64_t{1} << 20, mostDistances = 1 << 12, mostTimes = 1024;

/// Whether an index depends on variables only, not on what is in memory.
bool isArithmetic(const Expr &index)
{
    const ir::VarSet used = ir::variablesOf(index);
    return IntegerCode::of(index, std::vector<Var>(used.begin(), used.end())).has_value();
}

/// A ramp as its first lane and a loop over the lanes.
std::optional<ThreadAccess> scalar(const ThreadAccess &access)
{
    if (!access.index)
        return std::nullopt;
    if (!access.index.dtype().isVector())
        return access;
    const auto *ramp = access.index.as<ir::Ramp>();
    if (!ramp || ramp->base.dtype().isVector())
        return std::nullopt;
    ThreadAccess result = access;
    const Var lane("lane", ramp->base.dtype());
    result.index = ramp->base + Expr(lane) * ramp->stride;
    result.loops.push_back(
        {lane, {ir::constant(0, lane.dtype()), ir::constant(access.index.dtype().lanes, lane.dtype())}});
    return result;
}

} // namespace

ThreadAccess substitute(const ThreadAccess &access, const ir::VarMap<Expr> &values)
{
    ThreadAccess result = access;
    if (access.index)
        result.index = ir::substitute(access.index, values);
    if (access.condition)
        result.condition = ir::substitute(access.condition, values);
    for (arith::VarRange &loop : result.loops)
        loop.range = ir::substitute(loop.range, values);
    for (DataCondition &each : result.onData)
        each.condition = ir::substitute(each.condition, values);
    return result;
}

/// Which threads touch which elements.
struct ThreadConflicts::Elements {
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> byOffset; ///< from `first`; threads ascend
    Expr first; ///< the index where all axes and loops are at their start

    void add(std::int64_t offset, std::int64_t thread)
    {
        std::vector<std::int64_t> &threads = byOffset[offset];
        if (threads.empty() || threads.back() < thread)
            threads.push_back(thread);
    }

    const std::vector<std::int64_t> &at(std::int64_t offset) const
    {
        static const std::vector<std::int64_t> none;
        const auto found = byOffset.find(offset);
        return found == byOffset.end() ? none : found->second;
    }

    bool meets(const Elements &b, std::int64_t distance) const
    {
        return std::ranges::any_of(b.byOffset, [&](const auto &entry) {
            const std::vector<std::int64_t> &mine = at(entry.first + distance), &theirs = entry.second;
            return !mine.empty() && (mine.size() > 1 || theirs.size() > 1 || mine != theirs);
        });
    }
};

namespace {

/// The access under none of the conditions on loops that its index does not use; nothing where there are
/// none.
std::optional<ThreadAccess> inAllRounds(const ThreadAccess &access)
{
    const ir::VarSet used = ir::variablesOf(access.index);
    ir::VarSet others;
    for (const arith::VarRange &loop : access.loops) {
        if (!used.contains(loop.var))
            others.insert(loop.var);
    }
    std::vector<Expr> conditions = ir::conjunctsOf(access.condition);
    if (std::erase_if(conditions, [&](const Expr &term) { return ir::usesAny(term, others); }) == 0)
        return std::nullopt;
    ThreadAccess result = access;
    result.condition = conditions.empty() ? Expr() : ir::conjunctionOf(conditions);
    return result;
}

} // namespace

ThreadConflicts::ThreadConflicts(arith::Domains axes, arith::Analyzer &analyzer)
    : m_axes(std::move(axes))
    , m_analyzer(analyzer)
{
}

/// The access with variables of its own for its loops, and for `others` too.
ThreadAccess ThreadConflicts::apart(const ThreadAccess &access, const arith::Domains &others) const
{
    ThreadAccess result = access;
    ir::VarMap<Expr> renamed;
    const auto rename = [&](const Var &var) {
        const Var fresh(var.name(), var.dtype());
        renamed[var] = fresh;
        return fresh;
    };
    for (const arith::VarRange &other : others)
        m_analyzer.bind(rename(other.var), other.range);
    for (arith::VarRange &loop : result.loops) {
        loop.range = ir::substitute(loop.range, renamed);
        loop.var = rename(loop.var);
        m_analyzer.bind(loop.var, loop.range);
    }
    result.index = ir::substitute(access.index, renamed);
    if (access.condition)
        result.condition = ir::substitute(access.condition, renamed);
    return result;
}

bool ThreadConflicts::provablyDiffer(const ThreadAccess &a, const ThreadAccess &b)
{
    const ThreadAccess one = apart(a, m_axes), other = apart(b, m_axes);
    return m_analyzer.canProve(ir::ne(one.index, other.index));
}

/// An access from where all axes and loops that its index depends on are at their start.
struct ThreadConflicts::Offset {
    arith::Domains domains;       ///< of the axes and those loops
    arith::Domains rounds;        ///< of the loops that only conditions depend on
    std::vector<Expr> conditions; ///< that are pure
    Expr first, offset;
};

ThreadConflicts::Offset ThreadConflicts::offsetOf(const ThreadAccess &access)
{
    Offset result{.domains = m_axes,
                  .rounds = {},
                  .conditions = ir::conjunctsOf(access.condition),
                  .first = {},
                  .offset = {}};
    std::erase_if(result.conditions, [](const Expr &term) { return !ir::isPure(term); });
    for (const arith::VarRange &loop : access.loops) {
        const auto usesIt = [&](const Expr &e) { return ir::uses(e, loop.var); };
        if (usesIt(access.index))
            result.domains.push_back(loop);
        else if (std::ranges::any_of(result.conditions, usesIt))
            result.rounds.push_back(loop);
    }
    ir::VarMap<Expr> start;
    for (const arith::VarRange &domain : result.domains)
        start[domain.var] = domain.range.min;
    result.first = m_analyzer.simplify(ir::substitute(access.index, start));
    result.offset = m_analyzer.simplify(access.index - result.first);
    return result;
}

std::optional<ThreadConflicts::Elements> ThreadConflicts::elementsOf(const ThreadAccess &access)
{
    const Offset from = offsetOf(access);
    Elements elements;
    elements.first = from.first;
    const std::vector<Var> vars = variablesOf(from.domains);
    auto code = IntegerCode::of(from.offset, vars);
    auto combinations = Combinations::of(from.domains, mostCombinations);
    if (!code || !combinations)
        return std::nullopt;
    auto filter = ElementFilter::of(from.conditions, from.domains, from.rounds, mostCombinations, m_analyzer);
    if (!filter)
        return std::nullopt;
    for (; !combinations->isOver(); combinations->next()) {
        const std::vector<std::int64_t> &values = combinations->values();
        if (!filter->allows(values))
            continue;
        std::int64_t thread = 0;
        for (std::size_t i = 0; i < m_axes.size(); ++i)
            thread = thread * *ir::asInt(m_axes[i].range.extent) + values[i];
        const auto place = code->eval(values);
        if (!place)
            return std::nullopt;
        elements.add(*place, thread);
    }
    return elements;
}

/// The values that `b` - `a` takes, which depend on variables common to both; nothing where too many.
std::optional<std::vector<std::int64_t>> ThreadConflicts::distances(const Expr &a, const Expr &b)
{
    const Expr distance = m_analyzer.simplify(b - a);
    arith::Domains domains;
    for (const Var &var : ir::variablesOf(distance)) {
        const arith::ConstIntBound bound = m_analyzer.constBound(var);
        if (!bound.isFinite() || bound.max - bound.min >= mostDistances)
            return std::nullopt;
        domains.push_back({var,
                           {ir::constant(static_cast<double>(bound.min), var.dtype()),
                            ir::constant(static_cast<double>(bound.max - bound.min + 1), var.dtype())}});
    }
    auto code = IntegerCode::of(distance, variablesOf(domains));
    auto combinations = Combinations::of(domains, mostDistances);
    if (!code || !combinations)
        return std::nullopt;
    std::set<std::int64_t> values;
    for (; !combinations->isOver(); combinations->next()) {
        const auto value = code->eval(combinations->values());
        if (!value)
            return std::nullopt;
        values.insert(*value);
    }
    return std::vector(values.begin(), values.end());
}

/// The access with an element for each number of a thread that data chooses.
ThreadAccess ThreadConflicts::withChosen(ThreadAccess access)
{
    constexpr std::int64_t mostChosen = 1 << 12;
    const auto usesAxis = [&](const Expr &e) {
        return std::ranges::any_of(m_axes,
                                   [&](const arith::VarRange &axis) { return ir::uses(e, axis.var); });
    };
    for (const DataCondition &each : access.onData) {
        for (const Expr &term : ir::conjunctsOf(each.condition)) {
            const auto *equal = term.as<ir::Binary>();
            if (!equal || equal->op != ir::BinaryOp::EQ)
                continue;
            const bool isFirst = isArithmetic(equal->a) && !usesAxis(equal->b);
            const Expr &number = isFirst ? equal->a : equal->b, &chosen = isFirst ? equal->b : equal->a;
            const bool isKnown = isArithmetic(number) && !usesAxis(chosen) && usesAxis(number);
            const arith::ConstIntBound bound =
                isKnown ? m_analyzer.constBound(number) : arith::ConstIntBound{};
            if (isKnown && bound.isFinite() && bound.min >= 0 && bound.max < mostChosen)
                access.index = ir::cast(ir::DataType::int64(), access.index)
                                   * ir::intImm(mostChosen, ir::DataType::int64())
                               + ir::cast(ir::DataType::int64(), number);
        }
    }
    return access;
}

bool ThreadConflicts::isKnownToMeetItself(const ThreadAccess &access)
{
    auto one = scalar(access);
    if (!one)
        return false;
    one = withChosen(std::move(*one));
    const Offset from = offsetOf(*one);
    std::vector<Var> vars = variablesOf(from.domains);
    for (const arith::VarRange &round : from.rounds)
        vars.push_back(round.var);
    const bool isKnownWhen = std::ranges::all_of(ir::conjunctsOf(one->condition), [&](const Expr &term) {
        return IntegerCode::of(m_analyzer.simplify(term), vars).has_value();
    });
    const auto elements = isKnownWhen ? elementsOf(*one) : std::nullopt;
    return elements && std::ranges::any_of(elements->byOffset, [](const auto &entry) {
               return entry.second.size() > 1;
           });
}

namespace {

/// Whether the write is done wherever the read is, as far as conditions on data go.
bool isSure(const ThreadAccess &write, const ThreadAccess &read)
{
    return std::ranges::all_of(write.onData, [&](const DataCondition &each) {
        return std::ranges::contains(read.onData, each.branch, &DataCondition::branch);
    });
}

} // namespace

namespace {

/// The largest parts of an expression that are arithmetic on some variables, of which they use one of `axes`.
std::vector<Expr> partsOnAxes(const Expr &e, const std::vector<Var> &vars, const arith::Domains &axes)
{
    std::vector<Expr> parts;
    ir::forEachExpr(e, [&](const Expr &part) {
        const bool isNumber = part.dtype().isInt() && !part.dtype().isVector();
        if (!isNumber || !IntegerCode::of(part, vars))
            return true;
        if (std::ranges::any_of(axes, [&](const arith::VarRange &axis) { return ir::uses(part, axis.var); }))
            parts.push_back(part);
        return false;
    });
    return parts;
}

} // namespace

bool ThreadConflicts::isKnownToWriteDifferently(const ThreadAccess &write, const Expr &value)
{
    constexpr std::int64_t mostTried = std::int64_t{1} << 16;
    const auto one = write.onData.empty() ? scalar(write) : std::nullopt;
    if (!one)
        return false;
    arith::Domains domains = m_axes;
    domains.insert(domains.end(), one->loops.begin(), one->loops.end());
    const std::vector<Var> vars = variablesOf(domains);
    auto combinations = Combinations::of(domains, mostTried);
    std::vector<Expr> asked = partsOnAxes(value, vars, m_axes);
    const std::size_t places = asked.size();
    const Offset from = offsetOf(*one);
    asked.push_back(from.offset);
    const std::vector<Expr> conditions = ir::conjunctsOf(one->condition);
    asked.insert(asked.end(), conditions.begin(), conditions.end());
    std::vector<IntegerCode> codes;
    for (const Expr &e : asked) {
        auto code = IntegerCode::of(m_analyzer.simplify(e), vars);
        if (!code)
            return false;
        codes.push_back(std::move(*code));
    }
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> sources; // by element and turn
    for (; places > 0 && combinations && !combinations->isOver(); combinations->next()) {
        std::vector<std::int64_t> found;
        for (IntegerCode &code : codes)
            found.push_back(code.eval(combinations->values()).value_or(0));
        const auto place = found.begin() + static_cast<std::ptrdiff_t>(places);
        if (std::ranges::find(place + 1, found.end(), 0) != found.end())
            continue;
        std::vector<std::int64_t> key{*place}, source(found.begin(), place);
        key.insert(key.end(), combinations->values().begin() + std::ssize(m_axes),
                   combinations->values().end());
        std::ranges::sort(source); // a + b is b + a
        if (sources.try_emplace(std::move(key), source).first->second != source)
            return true;
    }
    return false;
}

/// Elements that are written, and how far they begin from those that are read.
struct ThreadConflicts::Written {
    Elements elements;
    std::int64_t distance = 0;
    bool isSure = true; ///< whatever data says
    const std::vector<std::int64_t> &by(std::int64_t offset) const { return elements.at(offset + distance); }
};

std::optional<std::vector<ThreadConflicts::Written>>
ThreadConflicts::writtenFrom(const Elements &elementsRead, const ThreadAccess &read,
                             const std::vector<ThreadAccess> &writes)
{
    std::vector<Written> result;
    for (const ThreadAccess &write : writes) {
        const auto one = scalar(write);
        auto elements = one ? elementsOf(*one) : std::nullopt;
        const auto apart = elements ? distances(elements->first, elementsRead.first) : std::nullopt;
        if (!apart || apart->size() != 1)
            return std::nullopt;
        result.push_back({std::move(*elements), apart->front(), isSure(write, read)});
    }
    return result;
}

/// The threads that do the access at least once.
std::optional<std::vector<std::int64_t>> ThreadConflicts::threadsOf(const ThreadAccess &access)
{
    ThreadAccess anywhere = access;
    anywhere.index = ir::intImm(0, ir::DataType::int64());
    const auto elements = elementsOf(anywhere);
    return elements ? std::optional(elements->at(0)) : std::nullopt;
}

bool ThreadConflicts::readersWriteEach(const ThreadAccess &read, const std::vector<ThreadAccess> &writes,
                                       std::optional<std::int64_t> elements)
{
    const auto readers = threadsOf(read);
    bool isEach = readers.has_value(), isWhole = false;
    for (const ThreadAccess &write : writes) {
        const auto one = readers && isSure(write, read) ? scalar(write) : std::nullopt;
        const auto written = one ? elementsOf(*one) : std::nullopt;
        const bool isOurs = written && std::ranges::all_of(written->byOffset, [&](const auto &entry) {
                                return std::ranges::includes(entry.second, *readers);
                            });
        isEach = isEach && isOurs;
        isWhole = isWhole || (isOurs && elements && std::ssize(written->byOffset) >= *elements);
    }
    return isEach || isWhole;
}

std::optional<bool> ThreadConflicts::knownToReadOthers(const ThreadAccess &read,
                                                       const std::vector<ThreadAccess> &writes)
{
    const auto one = scalar(read);
    const auto mine = one ? elementsOf(*one) : std::nullopt;
    const auto written = mine ? writtenFrom(*mine, *one, writes) : std::nullopt;
    if (!written)
        return std::nullopt;
    return std::ranges::any_of(mine->byOffset, [&](const auto &entry) {
        std::vector<std::int64_t> missing = entry.second;
        for (const Written &each : *written) {
            if (each.isSure)
                std::erase_if(missing, [&](std::int64_t thread) {
                    return std::ranges::binary_search(each.by(entry.first), thread);
                });
        }
        return std::ranges::any_of(*written, [&](const Written &each) {
            const std::vector<std::int64_t> &writers = each.by(entry.first);
            return !missing.empty() && !writers.empty()
                   && (writers.size() > 1 || missing.size() > 1 || writers != missing);
        });
    });
}

namespace {

/// The variables that the numbers of iterations hang on.
std::vector<Var> lateSizes(const ThreadAccess &read, const std::vector<ThreadAccess> &writes)
{
    ir::VarSet sizes, loops;
    const auto add = [&](const ThreadAccess &access) {
        for (const arith::VarRange &loop : access.loops) {
            loops.insert(loop.var);
            for (const Var &var : ir::variablesOf(loop.range.extent))
                sizes.insert(var);
        }
    };
    add(read);
    std::ranges::for_each(writes, add);
    std::erase_if(sizes, [&](const Var &var) { return loops.contains(var); });
    return {sizes.begin(), sizes.end()};
}

} // namespace

/// What small numbers, some beyond usual blocks, tell of sizes that are known late.
std::optional<bool> ThreadConflicts::countedToReadOthers(const ThreadAccess &read,
                                                         const std::vector<ThreadAccess> &writes)
{
    const std::vector<Var> sizes = lateSizes(read, writes);
    if (sizes.empty() || sizes.size() > 3)
        return std::nullopt;
    for (const std::int64_t first : {3, 8, 37, 64}) {
        ir::VarMap<Expr> values;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            values[sizes[i]] = ir::intImm(first + 2 * static_cast<std::int64_t>(i), sizes[i].dtype());
        const auto at = [&](const ThreadAccess &access) {
            ThreadAccess result = substitute(access, values);
            for (arith::VarRange &loop : result.loops) {
                loop.range.min = m_analyzer.simplify(loop.range.min);
                loop.range.extent = m_analyzer.simplify(loop.range.extent);
            }
            return result;
        };
        std::vector<ThreadAccess> known;
        std::ranges::transform(writes, std::back_inserter(known), at);
        const auto counted = knownToReadOthers(at(read), known);
        if (!counted || *counted)
            return counted;
    }
    return false;
}

bool ThreadConflicts::readsOthers(const ThreadAccess &read, const std::vector<ThreadAccess> &writes,
                                  std::optional<std::int64_t> elements)
{
    if (const auto known = knownToReadOthers(read, writes))
        return *known;
    const auto one = scalar(read);
    const auto isOwn = [&](const ThreadAccess &write) {
        const auto other = isSure(write, read) ? scalar(write) : std::nullopt;
        return other && writesWhatItReads(*one, *other, m_analyzer);
    };
    if (one && isArithmetic(one->index) && std::ranges::any_of(writes, isOwn))
        return false;
    if (const auto counted = countedToReadOthers(read, writes))
        return *counted;
    return !readersWriteEach(read, writes, elements);
}

bool ThreadConflicts::isWritten(const ThreadAccess &read, const std::vector<ThreadAccess> &writes)
{
    const auto one = scalar(read);
    const auto mine = one ? elementsOf(*one) : std::nullopt;
    const auto written = mine ? writtenFrom(*mine, *one, writes) : std::nullopt;
    return written && std::ranges::all_of(mine->byOffset, [&](const auto &entry) {
               return std::ranges::any_of(*written, [&](const Written &each) {
                   return each.isSure && !each.by(entry.first).empty();
               });
           });
}

bool ThreadConflicts::conflict(const ThreadAccess &a, const ThreadAccess &b)
{
    if (a.memory != b.memory || (!a.isWrite && !b.isWrite))
        return false;
    const auto one = scalar(a), other = scalar(b);
    if (!one || !other)
        return true;
    return !provablyDiffer(*one, *other) && meet({apart(*one, {}), nullptr}, {apart(*other, {}), nullptr}, 1);
}

namespace {

bool usesVariable(const ThreadAccess &access, const Var &var)
{
    return ir::uses(access.index, var) || (access.condition && ir::uses(access.condition, var))
           || std::ranges::any_of(access.loops, [&](const arith::VarRange &loop) {
                  return ir::uses(loop.range.min, var) || ir::uses(loop.range.extent, var);
              });
}

} // namespace

/// Whether two different threads may touch one element. Where a variable that is no loop of an access stands
/// under a quotient or a remainder of its index, each of its values is tried; `times`: how often that is done
/// already.
bool ThreadConflicts::meet(Tried a, Tried b, std::int64_t times)
{
    for (Tried *each : {&a, &b}) {
        if (each->elements)
            continue;
        auto found = elementsOf(each->access);
        const auto always = found ? std::nullopt : inAllRounds(each->access);
        if (always)
            found = elementsOf(*always);
        if (found)
            each->elements = std::make_shared<const Elements>(std::move(*found));
    }
    if (a.elements && b.elements) {
        const auto apart = distances(a.elements->first, b.elements->first);
        return !apart || std::ranges::any_of(*apart, [&](std::int64_t distance) {
            return a.elements->meets(*b.elements, distance);
        });
    }
    if (times == 1 && onlyOneThreadTouchesEach(a.access, b.access, m_axes, m_analyzer))
        return false;
    const std::optional<arith::VarRange> common = fewestValues(a, b);
    if (!common)
        return true;
    const std::int64_t min = *ir::asInt(common->range.min), count = *ir::asInt(common->range.extent);
    if (times * count > mostTimes)
        return true;
    const auto at = [&](const Tried &tried, const ir::VarMap<Expr> &known) {
        return usesVariable(tried.access, common->var) ? Tried{substitute(tried.access, known), nullptr}
                                                       : tried;
    };
    for (std::int64_t value = min; value < min + count; ++value) {
        const ir::VarMap<Expr> known{{common->var, ir::intImm(value, common->var->dtype)}};
        if (meet(at(a, known), at(b, known), times * count))
            return true;
    }
    return false;
}

/// The variable with the fewest values of those that keep the elements of an access from being known.
std::optional<arith::VarRange> ThreadConflicts::fewestValues(const Tried &a, const Tried &b)
{
    ir::VarSet vars;
    for (const Tried *each : {&a, &b}) {
        if (each->elements)
            continue;
        const Offset from = offsetOf(each->access);
        ir::VarSet used = ir::variablesOf(from.offset);
        for (const arith::VarRange &domain : from.domains)
            used.erase(domain.var);
        vars.merge(used);
    }
    std::optional<arith::VarRange> result;
    std::int64_t fewest = mostTimes;
    for (const Var &var : vars) {
        const arith::ConstIntBound bound = m_analyzer.constBound(var);
        if (!bound.isFinite() || bound.max - bound.min >= fewest)
            continue;
        fewest = bound.max - bound.min;
        result = {var, {ir::intImm(bound.min, var->dtype), ir::intImm(fewest + 1, var->dtype)}};
    }
    return result;
}

} // namespace nestwright::analysis
