// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/accesses.h"
#include "core/analysis/kernel/block_kind.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/rules/loop_rules.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct LoopPartitionArgs {
    LoopId loop;
    std::vector<std::optional<std::int64_t>> factors;
    bool preserveUnitIters = true;
};

[[noreturn]] void refuseFactors(const ir::For &loop, const char *code, const std::string &message)
{
    refuse(
        diagnostic(code, message)
            .at(loop.id)
            .withHint("give the lengths of the parts; the remaining iterations make one more part, and one "
                      "of them may be None"));
}

/// The ends of the parts, the last of them that of the loop.
std::vector<std::int64_t> endsOf(const ir::For &loop, const LoopPartitionArgs &args)
{
    const std::int64_t *begin = ir::asInt(loop.min), *extent = ir::asInt(loop.extent);
    if (!begin || !extent)
        refuse(diagnostic("schedule.symbolic-loop",
                          "loop " + named(loop) + " has " + script::printExpr(loop.extent)
                              + " iterations; only loops of a constant number can be partitioned")
                   .at(loop.id));
    if (std::ranges::count_if(args.factors, [](const auto &factor) { return !factor; }) > 1)
        refuseFactors(loop, "schedule.factors", "at most one factor may be None");
    std::int64_t given = 0;
    for (const auto &factor : args.factors) {
        if (factor && *factor < 1)
            refuseFactors(loop, "schedule.factor-not-positive",
                          "a part of loop " + named(loop) + " cannot have " + std::to_string(*factor)
                              + " iterations");
        // Each is small enough before it is added: no sum overflows.
        if (factor && *factor < *extent)
            given += *factor;
        if (factor && (*factor >= *extent || given >= *extent))
            refuseFactors(loop, "schedule.factors-too-large",
                          "the parts of loop " + named(loop) + " would have at least "
                              + std::to_string(*extent) + " iterations, which leaves none of its "
                              + std::to_string(*extent) + " for another part");
    }
    std::vector<std::int64_t> ends;
    std::int64_t end = *begin;
    for (const auto &factor : args.factors)
        ends.push_back(end += factor.value_or(*extent - given));
    if (ends.empty() || ends.back() != *begin + *extent)
        ends.push_back(*begin + *extent);
    return ends;
}

/// The ranges of the variables that the block's own accesses index a buffer with, where all of them use the
/// same plain variables.
class PlainAccesses final : public ir::Visitor {
public:
    explicit PlainAccesses(const ir::Block &block)
    {
        for (const ir::IterVar &iter : block.iterVars)
            m_domains[iter.var] = iter.domain;
        stmt(block.body);
    }

    void restrict(std::vector<ir::BufferRegion> &regions) const
    {
        for (ir::BufferRegion &region : regions) {
            const auto found = m_accesses.find(region.buffer);
            if (found != m_accesses.end() && found->second)
                region.region = *found->second;
        }
    }

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *store = s.as<ir::BufferStore>())
            add(store->buffer, store->indices);
        children(s);
    }
    void expr(const ir::Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            add(load->buffer, load->indices);
        children(e);
    }

private:
    void add(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices)
    {
        std::vector<ir::Range> ranges;
        for (const ir::Expr &index : indices) {
            const auto domain = m_domains.find(ir::Var::from(index));
            if (!index.as<ir::VarNode>() || domain == m_domains.end()) {
                m_accesses[buffer] = std::nullopt;
                return;
            }
            ranges.push_back(domain->second);
        }
        const auto [known, isFirst] = m_accesses.try_emplace(buffer, ranges);
        if (isFirst || !known->second)
            return;
        const bool same =
            std::ranges::equal(*known->second, ranges, [](const ir::Range &a, const ir::Range &b) {
                return a.min.same(b.min) && a.extent.same(b.extent);
            });
        if (!same)
            known->second = std::nullopt;
    }

    ir::VarMap<ir::Range> m_domains;
    ir::BufferMap<std::optional<std::vector<ir::Range>>> m_accesses;
};

/// One part's copy of the body: blocks are named after the part, and a block variable that is the loop's runs
/// over the part only.
class PartMaker : public ir::Rewriter {
public:
    PartMaker(const ir::Var &var, const ir::Range &range) : m_var(var), m_range(range) {}

    ir::Expr expr(const ir::Expr &e) override { return e; }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt inside = children(s);
        const auto *block = inside.as<ir::Block>();
        if (!block)
            return inside;
        ir::Block copy = *block;
        copy.name += '_' + m_var.name();
        const auto value =
            std::ranges::find_if(copy.iterValues, [&](const ir::Expr &e) { return e.same(m_var); });
        if (value == copy.iterValues.end())
            return ir::make(std::move(copy));
        ir::IterVar &iter = copy.iterVars[value - copy.iterValues.begin()];
        iter.domain = m_range;
        const PlainAccesses accesses(copy);
        accesses.restrict(copy.reads);
        accesses.restrict(copy.writes);
        return ir::make(std::move(copy));
    }

private:
    const ir::Var &m_var;
    const ir::Range &m_range;
};

/// No reduction below that initialises where the loop begins.
void requireNoInitBelow(const analysis::FunctionIndex &index, const ir::For &loop)
{
    for (const StmtId id : analysis::blocksThrough(index, loop.id)) {
        const ir::Block &block = *index.block(id);
        if (block.init && analysis::loopUse(block, loop.var).reduce)
            refuse(diagnostic("schedule.partitioned-reduction",
                              "loop " + named(loop) + " feeds a reduction of block " + named(block)
                                  + ", which each part would initialise again")
                       .at(loop.id)
                       .at(id)
                       .withHint("decompose_reduction takes the init out first"));
    }
}

ArgList loopPartition(Edit &edit, const LoopPartitionArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    const analysis::FunctionIndex &index = edit.index(loop.id);
    const std::vector<std::int64_t> ends = endsOf(loop, args);
    requireBareLoop(loop);
    const std::vector<StmtId> below = requireBlocksIn(index, loop);
    requireNoInitBelow(index, loop);
    const std::string name = index.block(below.front())->name + '_' + loop.var.name();

    const auto opaque = [&](const std::string &blockName, const std::string &part, ir::Stmt body) {
        ir::Block block;
        block.id = edit.newId();
        block.origin = edit.origin(part, loop.id);
        block.predicate = ir::boolImm(true);
        block.name = blockName;
        block.body = std::move(body);
        return ir::make(std::move(block));
    };
    std::vector<StmtId> made;
    std::vector<ir::Stmt> parts;
    std::int64_t begin = *ir::asInt(loop.min);
    for (const std::int64_t end : ends) {
        const std::string number = std::to_string(parts.size());
        ir::For part;
        part.id = edit.newId();
        part.origin = edit.origin("part", loop.id);
        part.var = ir::Var(loop.var.name() + number, loop.var->dtype);
        part.min = ir::intImm(begin, loop.var->dtype);
        part.extent = ir::intImm(end - begin, loop.var->dtype);
        const ir::Stmt body = ir::withFreshVariables(ir::substitute(loop.body, {{loop.var, part.var}}));
        part.body = PartMaker(part.var, {part.min, part.extent}).stmt(body);
        made.push_back(part.id);
        parts.push_back(opaque(name + number + "_partition", "partition", ir::make(std::move(part))));
        begin = end;
    }
    edit.replace(loop.id, opaque(name + "_common", "common", ir::seq(std::move(parts))));
    edit.forward(loop.id, made.front());
    return ArgList(made.begin(), made.end());
}

} // namespace

Primitive loopPartitionPrimitive()
{
    return define<LoopPartitionArgs>(
        {.name = "loop_partition",
         .title = "Partition",
         .group = Group::Loops,
         .key = "Shift+S",
         .summary =
             "Turns a loop into several that run one after the other, each over a part of its iterations.",
         .documentation =
             R"(Cuts the iterations of a loop into consecutive parts, each in a block of its own; a block
around them holds them together. What the given lengths leave over makes one more part, or the part given as
`None`.

```
for i in range(10):             with C_i_common:
    with C: …                       with C_i0_partition:
                        →               for i0 in range(4):
                                            with C_i0: …
                                    with C_i1_partition:
                                        for i1 in range(4, 10):
                                            with C_i1: …
```

**Legal** for a loop with a constant number of iterations that carries neither annotations nor a thread
binding, when the given lengths leave at least one iteration, and no reduction that initialises itself runs
over the loop.)",
         .lemmas = loopPartitionLemmas(),
         .results = Results::List},
        {required<&LoopPartitionArgs::loop>("loop", "Loop", "The loop to partition."),
         required<&LoopPartitionArgs::factors>("factors", "Lengths",
                                               "Numbers of iterations of the parts; one may be None."),
         optional<&LoopPartitionArgs::preserveUnitIters>(
             "preserve_unit_iters", "Keep loops of one iteration",
             "Whether bindings keep the variables of loops of one iteration.")
             .attribute()},
        loopPartition);
}

} // namespace nestwright::schedule
