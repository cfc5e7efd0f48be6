// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/parallel_conflicts.h"

#include "core/analysis/access/iteration_elements.h"
#include "core/analysis/codes.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;
using support::Diagnostic;

namespace {

bool isSame(const IterationAccess &a, const IterationAccess &b)
{
    const auto same = [](const Expr &x, const Expr &y) {
        return x && y ? ir::structurallyEqual(x, y) : !x && !y;
    };
    return a.isWrite == b.isWrite && a.base == b.base && std::ranges::equal(a.indices, b.indices, same)
           && std::ranges::equal(a.conditions, b.conditions, same)
           && std::ranges::equal(a.loops, b.loops,
                                 [](const auto &x, const auto &y) { return x.var == y.var; });
}

/// Each access once, of memories that are written.
std::vector<IterationAccess> distinct(std::vector<IterationAccess> accesses)
{
    ir::VarSet written;
    for (const IterationAccess &access : accesses) {
        if (access.isWrite)
            written.insert(access.base->data);
    }
    std::vector<IterationAccess> result;
    for (IterationAccess &access : accesses) {
        if (written.contains(access.base->data)
            && std::ranges::none_of(result, [&](const auto &known) { return isSame(known, access); }))
            result.push_back(std::move(access));
    }
    return result;
}

std::string hintFor(const IterationAccess &a, const IterationAccess &b, const ir::For &loop)
{
    const auto usesIt = [&](const IterationAccess &access) {
        return std::ranges::any_of(access.indices, [&](const Expr &e) { return e && ir::uses(e, loop.var); });
    };
    if (a.dependsOnData || b.dependsOnData)
        return "which element it is depends on data: run a loop in parallel that moves another index of it, "
               "or "
               "leave this one serial";
    if (!usesIt(a) || !usesIt(b))
        return "give each iteration an element of its own, as rfactor does for reductions, or run a loop in "
               "parallel that moves the index";
    return "run a loop in parallel whose iterations keep to elements of their own, or leave this one serial";
}

std::string textOf(const IterationAccess &a, const IterationAccess &b)
{
    const auto verb = [](const IterationAccess &access) { return access.isWrite ? "writes" : "reads"; };
    const std::string first = std::format("{} {} {}", a.placeName, verb(a), a.text);
    return &a == &b ? std::format("{} in both", first)
                    : std::format("{} in one, {} {} {} in the other", first, b.placeName, verb(b), b.text);
}

Diagnostic conflictOf(const IterationAccess &a, const IterationAccess &b, const ir::For &loop)
{
    Diagnostic result = support::diagnostic(
        codes::parallelConflict,
        std::format("two iterations of the parallel loop '{}' may touch the same element: {}",
                    loop.var.name(), textOf(a, b)));
    result.hint = hintFor(a, b, loop);
    result.locations.push_back(
        {.file = {}, .stmt = loop.id, .label = std::format("loop '{}'", loop.var.name())});
    for (const IterationAccess *access : {&a, &b}) {
        const bool isKnown = std::ranges::contains(result.locations, access->place, &support::Location::stmt);
        if (access->place && !isKnown)
            result.locations.push_back({.file = {}, .stmt = access->place, .label = access->placeName});
    }
    return result;
}

/// Calls `report` with the first two accesses, among those that `counts`, which are not known to keep apart;
/// gives what it says.
template <class Report, class Counts>
auto firstMeeting(const ir::PrimFunc &function, const ir::For &loop, const Counts &counts,
                  const Report &report)
    -> std::optional<decltype(report(std::declval<IterationAccess>(), std::declval<IterationAccess>()))>
{
    IterationAccesses found = accessesOfIterations(function, loop);
    ir::VarSet changing = found.own;
    for (const IterationAccess &access : found.accesses) {
        if (access.isWrite)
            changing.insert(access.base->data);
    }
    const auto isSameEachTime = [&](const IterationAccess &write) {
        return write.repeatable && std::ranges::none_of(write.sources, [&](const Var &source) {
                   return changing.contains(source);
               });
    };
    std::erase_if(found.accesses, [&](const IterationAccess &access) { return !counts(access); });
    const std::vector<IterationAccess> accesses = distinct(std::move(found.accesses));
    Iterations iterations(loop, std::move(found.around));
    for (const IterationAccess &write : accesses) {
        if (!write.isWrite)
            continue;
        for (const IterationAccess &other : accesses) {
            const bool isDone =
                other.isWrite && &other < &write; // the pair was looked at the other way round
            if (other.base->data != write.base->data || isDone)
                continue;
            if (other.repeatable == write.repeatable && isSameEachTime(write))
                continue;
            if (!iterations.keepApart(write, other))
                return report(write, other);
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<Diagnostic> whyNotParallel(const ir::PrimFunc &function, const ir::For &loop)
{
    const auto all = [](const IterationAccess &) { return true; };
    return firstMeeting(function, loop, all, [&](const IterationAccess &a, const IterationAccess &b) {
        return conflictOf(a, b, loop);
    });
}

std::optional<std::string> meetingAccesses(const ir::PrimFunc &function, const ir::For &loop,
                                           const std::vector<support::StmtId> &blocks)
{
    const auto isTheirs = [&](const IterationAccess &access) {
        return std::ranges::contains(blocks, access.place);
    };
    return firstMeeting(function, loop, isTheirs, textOf);
}

std::optional<Diagnostic> parallelConflict(const ir::PrimFunc &function)
{
    std::optional<Diagnostic> found;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        if (!found && loop && loop->forKind == ir::ForKind::Parallel)
            found = whyNotParallel(function, *loop);
        return !found;
    });
    return found;
}

} // namespace nestwright::analysis
