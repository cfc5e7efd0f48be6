// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/insertion.h"

#include "core/schedule/codes.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"

namespace nestwright::schedule {

using support::diagnostic;

namespace {

void requireBelow(Edit &edit, StmtId block, StmtId loop, const std::vector<StmtId> &others, bool areProducers)
{
    const analysis::FunctionIndex &index = edit.index(block);
    for (const StmtId other : others) {
        if (index.encloses(loop, other))
            continue;
        const std::string which = areProducers ? "producer" : "consumer";
        const std::string accesses =
            areProducers ? describeDependence(index, other, block) : describeDependence(index, block, other);
        refuse(diagnostic(areProducers ? codes::producerOutside : codes::consumerOutside,
                          "block " + named(*index.block(block)) + " has the " + which + ' '
                              + named(*index.block(other)) + ", which is not below loop "
                              + named(*index.loop(loop)) + (accesses.empty() ? "" : ": " + accesses))
                   .at(other)
                   .at(block)
                   .at(loop)
                   .withHint("choose a loop around all " + which + "s, or move block "
                             + named(*index.block(other)) + " there first"));
    }
}

} // namespace

std::size_t insertionPoint(Edit &edit, StmtId block, StmtId loop, MustHold mustHold, std::int64_t index)
{
    const analysis::FunctionIndex &facts = edit.index(block);
    const std::vector<StmtId> producers = facts.producers(block), consumers = facts.consumers(block);
    const bool mustHoldProducers = mustHold == MustHold::Producers;
    const std::vector<StmtId> &required = mustHoldProducers ? producers : consumers;
    if (required.empty())
        refuse(diagnostic(mustHoldProducers ? "schedule.no-producer" : "schedule.no-consumer",
                          "block " + named(*facts.block(block)) + " has no "
                              + (mustHoldProducers ? "producer to stand behind" : "consumer to stand before"))
                   .at(block));
    requireBelow(edit, block, loop, required, mustHoldProducers);
    const std::vector<ir::Stmt> parts = partsOf(facts.loop(loop)->body);
    std::size_t first = 0, last = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (containsAnyStmt(parts[i], producers))
            first = i + 1;
        if (last == parts.size() && containsAnyStmt(parts[i], consumers))
            last = i;
    }
    const std::int64_t wanted = index == -1   ? static_cast<std::int64_t>(last)
                                : index == -2 ? static_cast<std::int64_t>(first)
                                              : index;
    if (first > last || wanted < static_cast<std::int64_t>(first) || wanted > static_cast<std::int64_t>(last))
        refuse(diagnostic("schedule.no-such-position",
                          "block " + named(*facts.block(block)) + " can go to positions "
                              + std::to_string(first) + " to " + std::to_string(last) + " of loop "
                              + named(*facts.loop(loop)) + ", not to " + std::to_string(index))
                   .at(loop)
                   .withHint("-1 stands for the last possible position, -2 for the first"));
    return static_cast<std::size_t>(wanted);
}

} // namespace nestwright::schedule
