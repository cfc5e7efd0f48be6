// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/regions.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/device/thread_memory.h"
#include "core/analysis/kernel/block_kind.h"
#include "core/arith/simplify/quotient_substitution.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <ranges>

namespace nestwright::analysis {

using arith::Analyzer;
using arith::IntervalSet;
using arith::Region;

arith::Domains loopDomains(const FunctionIndex &index, StmtId id, StmtId outer)
{
    arith::Domains domains;
    for (StmtId at = index.parent(id); at && at != outer; at = index.parent(at)) {
        if (const ir::For *loop = index.loop(at))
            domains.push_back({.var = loop->var, .range = {loop->min, loop->extent}});
        else if (!outer || !isWrapper(*index.block(at)))
            break;
    }
    std::ranges::reverse(domains);
    return domains;
}

void bindEnclosing(Analyzer &analyzer, const FunctionIndex &index, StmtId id)
{
    std::vector<StmtId> outer = index.ancestors(id);
    std::ranges::reverse(outer);
    for (StmtId at : outer) {
        if (const ir::For *loop = index.loop(at)) {
            analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            continue;
        }
        for (const ir::IterVar &iter : index.block(at)->iterVars)
            analyzer.bind(iter.var, iter.domain);
    }
}

namespace {

ir::VarMap<ir::Expr> valuesIn(const ir::Block &block)
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i)
        values.insert_or_assign(block.iterVars[i].var, block.iterValues[i]);
    return values;
}

} // namespace

Region realized(const ir::Block &block, const Region &region)
{
    const ir::VarMap<ir::Expr> values = valuesIn(block);
    Region result;
    for (const ir::Range &range : region)
        result.push_back(substitute(range, values));
    return result;
}

ir::Expr guarded(const ir::Block &block, const ir::Expr &guard)
{
    return guard && !ir::isTrue(guard)
               ? ir::logicalAnd(block.predicate, ir::substitute(guard, valuesIn(block)))
               : block.predicate;
}

namespace {

/// Condition for the block to run below `outer`: its own predicate, as given, and those of the wrappers
/// around it.
ir::Expr predicateBelow(const FunctionIndex &index, StmtId id, StmtId outer, ir::Expr predicate)
{
    for (StmtId at = index.parent(id); outer && at && at != outer; at = index.parent(at)) {
        if (const ir::Block *wrapper = index.block(at))
            predicate = ir::logicalAnd(predicate, wrapper->predicate);
    }
    return predicate;
}

/// The loops below `outer`, and those around it whose threads share each of the memories: they fill them
/// together before any reads.
arith::Domains sharedDomains(const FunctionIndex &index, StmtId block, StmtId outer,
                             std::initializer_list<std::string_view> memories)
{
    arith::Domains domains;
    const auto addShared = [&](StmtId at) {
        const ir::For *loop = index.loop(at);
        if (loop && std::ranges::all_of(memories, [&](auto memory) { return variesForScope(memory, *loop); }))
            domains.push_back({.var = loop->var, .range = {loop->min, loop->extent}});
    };
    for (StmtId at : std::views::reverse(index.ancestors(outer)))
        addShared(at);
    addShared(outer);
    std::ranges::copy(loopDomains(index, block, outer), std::back_inserter(domains));
    return domains;
}

} // namespace

Region touchedBelow(const FunctionIndex &index, StmtId block, const ir::BufferRegion &region, StmtId outer,
                    Analyzer &analyzer, const ir::Expr &guard)
{
    const ir::Block &node = *index.block(block);
    auto bound = arith::regionOver(realized(node, region.region), loopDomains(index, block, outer), analyzer,
                                   predicateBelow(index, block, outer, guarded(node, guard)));
    return bound ? std::move(*bound) : ir::fullRegion(region.buffer).region;
}

Region touchedByThreads(const FunctionIndex &index, StmtId block, const ir::BufferRegion &region,
                        StmtId outer, std::initializer_list<std::string_view> memories, Analyzer &analyzer,
                        const ir::Expr &guard)
{
    const ir::Block &node = *index.block(block);
    auto bound =
        arith::regionOver(realized(node, region.region), sharedDomains(index, block, outer, memories),
                          analyzer, predicateBelow(index, block, outer, guarded(node, guard)));
    return bound ? std::move(*bound) : ir::fullRegion(region.buffer).region;
}

namespace {

const ir::Binary *firstChoice(const ir::Expr &e)
{
    const ir::Binary *found = nullptr;
    ir::forEachExpr(e, [&](const ir::Expr &part) {
        const auto *node = part.as<ir::Binary>();
        if (!found && node && (node->op == ir::BinaryOp::Min || node->op == ir::BinaryOp::Max))
            found = node;
        return !found;
    });
    return found;
}

/// Puts an operand in place of a minimum or maximum.
class Chosen : public ir::Rewriter {
public:
    Chosen(const ir::Binary &choice, const ir::Expr &operand) : m_choice(choice), m_operand(operand) {}

    ir::Expr expr(const ir::Expr &e) override
    {
        const auto *node = e.as<ir::Binary>();
        const bool isChoice = node && node->op == m_choice.op && ir::structurallyEqual(node->a, m_choice.a)
                              && ir::structurallyEqual(node->b, m_choice.b);
        return isChoice ? m_operand : children(e);
    }

private:
    const ir::Binary &m_choice;
    const ir::Expr &m_operand;
};

/// Proves `condition`, if need be for either operand of the minima and maxima in it being the one that
/// counts.
bool provable(const ir::Expr &condition, Analyzer &analyzer, int choices = 5)
{
    if (analyzer.canProve(condition))
        return true;
    const ir::Expr simplified = analyzer.simplify(condition);
    const ir::Binary *choice = choices > 0 ? firstChoice(simplified) : nullptr;
    if (!choice)
        return false;
    const ir::Expr firstIsLess = le(choice->a, choice->b), firstIsGreater = ge(choice->a, choice->b);
    const bool isMin = choice->op == ir::BinaryOp::Min;
    for (const ir::Expr &which : {firstIsLess, firstIsGreater}) {
        const bool isLess = which.same(firstIsLess);
        if (analyzer.canProve(isLess ? gt(choice->a, choice->b) : lt(choice->a, choice->b)))
            continue;
        const arith::Assumption assumed = analyzer.assume(which);
        const ir::Expr &counts = isLess == isMin ? choice->a : choice->b;
        if (!provable(Chosen(*choice, counts).expr(simplified), analyzer, choices - 1))
            return false;
    }
    return true;
}

/// Tries all values of the variables, or of the whole parts of them that count, where these are few.
bool holdsForEach(const ir::Expr &condition, Analyzer &analyzer)
{
    constexpr std::int64_t most = 128;
    const ir::Expr parts = arith::substituteQuotients(condition, analyzer);
    std::vector<ir::VarMap<ir::Expr>> points(1);
    for (const ir::Var &var : ir::variablesOf(parts)) {
        const arith::ConstIntBound bound = analyzer.constBound(var);
        if (!bound.isFinite() || bound.min > bound.max || bound.max - bound.min >= most
            || (bound.max - bound.min + 1) * static_cast<std::int64_t>(points.size()) > most)
            return false;
        std::vector<ir::VarMap<ir::Expr>> more;
        for (std::int64_t value = bound.min; value <= bound.max; ++value) {
            for (ir::VarMap<ir::Expr> point : points) {
                point[var] = ir::intImm(value, var->dtype);
                more.push_back(std::move(point));
            }
        }
        points = std::move(more);
    }
    return std::ranges::all_of(points, [&](const ir::VarMap<ir::Expr> &point) {
        return analyzer.canProve(ir::substitute(parts, point));
    });
}

/// `e`, a sum with a minimum (or maximum) among its terms, as the minimum (maximum) of two sums.
std::optional<std::pair<ir::Expr, ir::Expr>> alternatives(const ir::Expr &e, ir::BinaryOp op)
{
    const auto *node = e.as<ir::Binary>();
    if (!node)
        return std::nullopt;
    if (node->op == op)
        return std::pair(node->a, node->b);
    if (node->op != ir::BinaryOp::Add && node->op != ir::BinaryOp::Sub)
        return std::nullopt;
    if (const auto left = alternatives(node->a, op))
        return std::pair(binary(node->op, left->first, node->b), binary(node->op, left->second, node->b));
    const auto right = node->op == ir::BinaryOp::Add ? alternatives(node->b, op) : std::nullopt;
    if (!right)
        return std::nullopt;
    return std::pair(node->a + right->first, node->a + right->second);
}

/// small <= great, as `provable` or with the terms of each sum taken into its minima and maxima, so that they
/// meet those of the other.
bool provesLessEqual(const ir::Expr &small, const ir::Expr &great, Analyzer &analyzer)
{
    if (provable(le(small, great), analyzer) || holdsForEach(le(small, great), analyzer))
        return true;
    if (const auto both = alternatives(great, ir::BinaryOp::Min))
        return provesLessEqual(small, both->first, analyzer)
               && provesLessEqual(small, both->second, analyzer);
    if (const auto both = alternatives(small, ir::BinaryOp::Max))
        return provesLessEqual(both->first, great, analyzer)
               && provesLessEqual(both->second, great, analyzer);
    if (const auto either = alternatives(small, ir::BinaryOp::Min))
        return provesLessEqual(either->first, great, analyzer)
               || provesLessEqual(either->second, great, analyzer);
    const auto either = alternatives(great, ir::BinaryOp::Max);
    return either
           && (provesLessEqual(small, either->first, analyzer)
               || provesLessEqual(small, either->second, analyzer));
}

/// Whether `produced` covers the part of `consumed` within the buffer; reads beyond it are guarded.
bool coversWithin(const Region &produced, const Region &consumed, const ir::Buffer &buffer,
                  Analyzer &analyzer)
{
    for (std::size_t i = 0; i < produced.size(); ++i) {
        const IntervalSet whole =
            IntervalSet::of({ir::intImm(0, buffer.shape()[i].dtype()), buffer.shape()[i]});
        const IntervalSet made = intersect(IntervalSet::of(produced[i]), whole, analyzer);
        const IntervalSet used = intersect(IntervalSet::of(consumed[i]), whole, analyzer);
        if (used.isNothing)
            continue;
        if (made.isNothing || !provesLessEqual(made.min, used.min, analyzer)
            || !provesLessEqual(used.max, made.max, analyzer))
            return false;
    }
    return true;
}

bool isPoint(const Region &region)
{
    return std::ranges::all_of(region, [](const ir::Range &range) {
        return ir::isConstInt(range.extent, 1) && !ir::mayFault(range.min);
    });
}

/// The region that `writer` is sure to write each time it runs. Blocks may declare more than the one element
/// that they store to, as those that loop_partition makes do.
Region surelyWritten(const ir::Block &writer, const ir::BufferRegion &declared)
{
    if (isPoint(declared.region))
        return declared.region;
    const std::vector<ir::BufferRegion> stored = accessRegions(writer).writes;
    const ir::BufferRegion *found = ir::findRegion(stored, declared.buffer);
    return found && isPoint(found->region) ? found->region : declared.region;
}

/// Whether the blocks `producers` write all that `read` reads; each meets the consumer in the loop or block
/// `meeting`.
bool covered(const FunctionIndex &index, const std::vector<StmtId> &producers, StmtId meeting,
             const Access &read)
{
    Analyzer analyzer;
    bindEnclosing(analyzer, index, meeting);
    if (const ir::For *loop = index.loop(meeting))
        analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
    const ir::Buffer &buffer = read.region->buffer;
    const Region consumed =
        touchedByThreads(index, read.block, *read.region, meeting, {buffer->scope}, analyzer);
    std::optional<Region> produced;
    for (StmtId id : producers) {
        for (const Access &write : accessesOf(index, id).writes) {
            if (!(write.region->buffer == buffer))
                continue;
            const ir::Block &writer = *index.block(write.block);
            const arith::Domains loops = sharedDomains(index, write.block, meeting, {buffer->scope});
            // A reduction sets all that it begins, however early it ends.
            const ir::Expr predicate =
                writer.init ? predicateAtBegin(writer, loops).value_or(writer.predicate) : writer.predicate;
            auto made =
                arith::exactRegionOver(realized(writer, surelyWritten(writer, *write.region)), loops,
                                       analyzer, predicateBelow(index, write.block, meeting, predicate));
            if (made)
                produced = produced ? unionOf(*produced, *made, analyzer) : std::move(*made);
        }
    }
    return produced && coversWithin(*produced, consumed, buffer, analyzer);
}

} // namespace

bool provablyCovers(const Region &outer, const Region &inner, Analyzer &analyzer)
{
    for (std::size_t i = 0; i < outer.size(); ++i) {
        const ir::Expr end = outer[i].min + outer[i].extent, innerEnd = inner[i].min + inner[i].extent;
        if (!provesLessEqual(outer[i].min, inner[i].min, analyzer)
            || !provesLessEqual(innerEnd, end, analyzer))
            return false;
    }
    return true;
}

std::optional<support::Diagnostic> whyNotCovered(const FunctionIndex &index, StmtId consumer)
{
    const StmtId root = index.scopeRoot(consumer);
    if (!root)
        return std::nullopt;
    const ir::Block &block = *index.block(consumer);
    for (const Access &read : accessesOf(index, consumer).reads) {
        const ir::Buffer &buffer = read.region->buffer;
        // Producers grouped by where they meet the consumer; the innermost meeting that covers is enough.
        std::vector<std::pair<StmtId, std::vector<StmtId>>> meetings;
        for (const Dependence &d : index.scope(root).dependences) {
            if (d.to != consumer || d.kind != DependenceKind::Raw || !(d.buffer == buffer))
                continue;
            const StmtId meeting = index.lowestCommonAncestor(d.from, consumer);
            auto group = std::ranges::find(meetings, meeting, [](const auto &entry) { return entry.first; });
            if (group == meetings.end())
                group = meetings.insert(meetings.end(), {meeting, {}});
            group->second.push_back(d.from);
        }
        if (meetings.empty())
            continue;
        const bool any = std::ranges::any_of(
            meetings, [&](const auto &entry) { return covered(index, entry.second, entry.first, read); });
        if (any)
            continue;
        return support::diagnostic("analysis.region-cover",
                                   "block '" + block.name + "' reads parts of '" + buffer.name()
                                       + "' that are not known to be written before it")
            .at(consumer, "block '" + block.name + '\'')
            .at(meetings.front().second.front(), "a block that writes '" + buffer.name() + '\'')
            .withHint("let the block that writes it run over the whole region before its reader");
    }
    return std::nullopt;
}

} // namespace nestwright::analysis
