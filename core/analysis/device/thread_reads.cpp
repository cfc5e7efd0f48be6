// SPDX-License-Identifier: Apache-2.0
/// Threads that read what others write, of memory that each has for its own.
#include "core/analysis/device/thread_elements.h"
#include "core/analysis/device/thread_forms.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

namespace {

/// Whether the write is done wherever the read is, as far as conditions on data go.
bool isSure(const ThreadAccess &write, const ThreadAccess &read)
{
    return std::ranges::all_of(write.onData, [&](const DataCondition &each) {
        return std::ranges::contains(read.onData, each.branch, &DataCondition::branch);
    });
}

} // namespace

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

/// Answer for some small sizes in place of those that are known late, some beyond usual blocks.
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

} // namespace nestwright::analysis
