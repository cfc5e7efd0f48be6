// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/regions.h"
#include "core/arith/iter_map/inverse.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/fresh_variables.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/inliner.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct ReverseComputeInlineArgs {
    BlockId block;
};

[[noreturn]] void cannotInlineIntoProducer(const ir::Block &block, const std::string &why,
                                           std::string hint = {})
{
    refuse(diagnostic("schedule.not-inlinable",
                      "block " + named(block) + " cannot be inlined into its producer: " + why)
               .at(block.id)
               .withHint(std::move(hint)));
}

/// The one buffer that the block reads and some block of its scope writes.
ir::Buffer bufferBetween(const analysis::Scope &scope, const ir::Block &block)
{
    ir::Buffer between;
    for (const ir::BufferRegion &read : block.reads) {
        if (!scope.writers.contains(read.buffer) || read.buffer == between)
            continue;
        if (between)
            cannotInlineIntoProducer(block, "it reads '" + between.name() + "' and '" + read.buffer.name()
                                                + "', and other blocks write both");
        between = read.buffer;
    }
    if (!between)
        cannotInlineIntoProducer(block, "it reads nothing that another block writes");
    return between;
}

const ir::Block &onlyProducer(Edit &edit, const ir::Block &block)
{
    const std::vector<StmtId> producers = edit.index(block.id).producers(block.id);
    if (producers.size() != 1)
        cannotInlineIntoProducer(block, "it has " + std::to_string(producers.size()) + " producers, not one");
    requireComplete(edit, producers.front());
    requireNotOutput(edit, producers.front());
    return edit.block(producers.front());
}

/// The producer's init, where it has one: it must fill the element that the body goes on from, and the
/// consumer must only pass that on, since its function of the init would be applied once more to the result.
const ir::BufferStore *initStore(const ir::Block &producer, const ir::BufferStore &produced,
                                 const ir::Block &consumer, const ir::BufferStore &stored)
{
    if (!producer.init)
        return nullptr;
    const auto *store = producer.init.as<ir::BufferStore>();
    const auto isElement = [&](const std::vector<ir::Expr> &indices) {
        return std::ranges::equal(indices, produced.indices, [](const ir::Expr &a, const ir::Expr &b) {
            return ir::structurallyEqual(a, b);
        });
    };
    bool isOnlyElement = store && store->buffer == produced.buffer && isElement(store->indices);
    ir::forEachExpr(produced.value, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        isOnlyElement =
            isOnlyElement && (!load || !(load->buffer == produced.buffer) || isElement(load->indices));
        return true;
    });
    if (!isOnlyElement)
        cannotInlineIntoProducer(consumer, "the init of block " + named(producer)
                                               + " fills other elements than its body");
    const auto *passedOn = stored.value.as<ir::BufferLoad>();
    if (!passedOn || !(passedOn->buffer == produced.buffer))
        cannotInlineIntoProducer(consumer,
                                 "it changes the result of block " + named(producer)
                                     + ", made in several steps, beginning with its init",
                                 "decompose_reduction makes the init a block of its own");
    return store;
}

/// The indices at which the store's value reads `buffer`, which must be the same everywhere.
std::vector<ir::Expr> loadIndices(const ir::Block &block, const ir::BufferStore &store,
                                  const ir::Buffer &buffer)
{
    std::vector<std::vector<ir::Expr>> found;
    ir::forEachExpr(store.value, [&](const ir::Expr &e) {
        if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer == buffer)
            found.push_back(load->indices);
        return true;
    });
    if (found.empty())
        cannotInlineIntoProducer(block, "its value does not read '" + buffer.name() + "'");
    for (const std::vector<ir::Expr> &indices : found) {
        for (std::size_t d = 0; d < indices.size(); ++d) {
            if (!ir::structurallyEqual(indices[d], found.front()[d]))
                cannotInlineIntoProducer(block, "it reads '" + buffer.name() + "' at different places");
        }
    }
    return found.front();
}

/// The consumer's variables where each index that it reads at is one of them; nothing otherwise.
std::optional<ir::VarMap<ir::Expr>> directValues(const std::vector<ir::Expr> &read,
                                                 const std::vector<ir::Expr> &written)
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t d = 0; d < read.size(); ++d) {
        const ir::Var var = ir::Var::from(read[d]);
        if (!var || !values.emplace(var, written[d]).second)
            return std::nullopt;
    }
    return values;
}

/// The values of the consumer's variables by an inverse of its reads that is found in this way, for a
/// producer that writes at `written`; nothing unless every iteration reads at a place of its own, and where
/// it is said to.
std::optional<ir::VarMap<ir::Expr>> invertedValues(const ir::Block &consumer,
                                                   const std::vector<ir::Expr> &read,
                                                   const std::vector<ir::Expr> &written,
                                                   arith::IterMapLevel level, bool leaveOutUnits,
                                                   arith::Analyzer &analyzer)
{
    const arith::Domains domains = usedIn(domainsOf(consumer), read);
    const auto map = arith::detectIterMap(read, domains, {}, level, analyzer, leaveOutUnits);
    if (!map)
        return std::nullopt;
    arith::Analyzer ofConsumer;
    bindAll(ofConsumer, domains);
    for (const auto &[var, value] : arith::inverseOf(*map, read)) {
        if (level != arith::IterMapLevel::Bijective && !ofConsumer.canProveEqual(value, var))
            return std::nullopt;
    }
    ir::VarMap<ir::Expr> values = arith::inverseOf(*map, written);
    ir::VarMap<ir::Expr> all = values;
    for (const arith::VarRange &domain : domains) {
        if (ir::isConstInt(domain.range.extent, 1))
            all.emplace(domain.var, domain.range.min);
    }
    for (std::size_t d = 0; d < read.size(); ++d) {
        if (!ir::asInt(read[d]) && !analyzer.canProveEqual(ir::substitute(read[d], all), written[d]))
            return std::nullopt;
    }
    return values;
}

/// The consumer's iteration variables in terms of the producer's, from where the one reads and the other
/// writes.
ir::VarMap<ir::Expr> consumerValues(const ir::Block &consumer, const std::vector<ir::Expr> &read,
                                    const std::vector<ir::Expr> &written, arith::Analyzer &analyzer)
{
    std::optional<ir::VarMap<ir::Expr>> values = directValues(read, written);
    using arith::IterMapLevel;
    for (const auto &[level, leaveOutUnits] : {std::pair(IterMapLevel::Bijective, false),
                                               {IterMapLevel::Bijective, true},
                                               {IterMapLevel::NoCheck, false}}) {
        if (!values)
            values = invertedValues(consumer, read, written, level, leaveOutUnits, analyzer);
    }
    if (!values)
        cannotInlineIntoProducer(
            consumer, "where it reads does not tell which of its iterations reads there",
            "only reads at indices that determine every iteration variable can be turned round");
    for (const ir::IterVar &iter : consumer.iterVars) {
        if (values->contains(iter.var))
            continue;
        if (!ir::isConstInt(iter.domain.extent, 1))
            cannotInlineIntoProducer(consumer, "its variable '" + iter.var.name()
                                                   + "' is not determined by where it reads");
        (*values)[iter.var] = iter.domain.min;
    }
    return *std::move(values);
}

/// The consumer runs over the whole domains of its variables, whatever its predicate says.
void requireWholeDomain(Edit &edit, const ir::Block &consumer)
{
    if (ir::isTrue(consumer.predicate))
        return;
    arith::Analyzer analyzer;
    const analysis::FunctionIndex &index = edit.index(consumer.id);
    analysis::bindEnclosing(analyzer, index, index.scopeRoot(consumer.id));
    const arith::Domains around = domainsAround(index, consumer.id);
    const auto reached =
        arith::exactRegionOver(ir::pointRegion(consumer.iterValues), around, analyzer, consumer.predicate);
    arith::Region whole;
    for (const ir::IterVar &iter : consumer.iterVars)
        whole.push_back(iter.domain);
    if (!reached || !arith::holdsAround(consumer.predicate, around, analyzer)
        || !arith::covers(*reached, whole, analyzer))
        cannotInlineIntoProducer(consumer, "its predicate leaves out some of its iterations");
}

/// The condition on the producer's iteration variables under which the consumer reads what they make,
/// simplified: where it reads at a number they write there, and its variables are in their domains.
ir::Expr whereRead(const ir::Block &consumer, const ir::VarMap<ir::Expr> &values,
                   const std::vector<ir::Expr> &read, const std::vector<ir::Expr> &written,
                   arith::Analyzer &analyzer)
{
    ir::Expr inside = ir::boolImm(true);
    for (std::size_t d = 0; d < read.size(); ++d) {
        if (ir::asInt(read[d]))
            inside = ir::logicalAnd(inside, ir::eq(written[d], read[d]));
    }
    for (const ir::IterVar &iter : consumer.iterVars) {
        const ir::Expr &value = values.at(iter.var);
        inside = ir::logicalAnd(inside, ir::ge(value, iter.domain.min));
        inside = ir::logicalAnd(inside, ir::lt(value, iter.domain.min + iter.domain.extent));
    }
    return analyzer.simplify(inside);
}

/// Every iteration of the consumer reads something that the producer writes, so that none is lost with its
/// loops.
void requireAllRead(const ir::Block &consumer, const ir::Block &producer, const std::vector<ir::Expr> &read,
                    const std::vector<ir::Expr> &written)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(producer));
    bindAll(analyzer, domainsOf(consumer));
    const auto needed = arith::regionOver(ir::pointRegion(read), domainsOf(consumer), analyzer);
    const auto made = arith::exactRegionOver(ir::pointRegion(written), domainsOf(producer), analyzer);
    if (!needed || !made || !arith::covers(*made, *needed, analyzer))
        cannotInlineIntoProducer(
            consumer, "some of its iterations read nothing that block " + named(producer) + " writes",
            "inline the producer instead (compute_inline)");
}

/// The predicate of the merged block: where the consumer reads (`inside`). The producer's own predicate
/// mostly holds there, since its consumer reads only elements that are made; it is kept where values of loops
/// beyond the producer's domain could look like others.
ir::Expr mergedPredicate(const ir::Block &producer, const ir::Expr &inside, const arith::Domains &loops)
{
    if (ir::isTrue(inside))
        return producer.predicate;
    // The form is TVM's, which does not ask how far the loops run.
    const ir::Expr predicate = arith::simplify(ir::substitute(inside, valuesOf(producer)));
    arith::Analyzer analyzer;
    bindAll(analyzer, loops);
    bool isImplied = false;
    {
        const arith::Assumption assumed = analyzer.assume(predicate);
        isImplied = analyzer.canProve(producer.predicate);
    }
    const ir::Expr both = ir::logicalAnd(producer.predicate, predicate);
    return isImplied ? predicate : ir::guardsFirst(arith::simplify(both));
}

ArgList reverseComputeInline(Edit &edit, const ReverseComputeInlineArgs &args)
{
    const ir::Block &consumer = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(consumer.id);
    const StmtId scope = scopeOf(edit, consumer.id);
    requireNoInit(consumer);
    const ir::Buffer buffer = bufferBetween(index.scope(scope), consumer);
    requireStagePipeline(edit, scope);
    requireComplete(edit, consumer.id);
    requireNothingHidden(index, consumer.id);
    const ir::Block &producer = onlyProducer(edit, consumer);
    for (const StmtId reader : index.scope(scope).readers.at(buffer)) {
        if (reader != consumer.id)
            cannotInlineIntoProducer(consumer, "block " + named(*index.block(reader)) + " reads '"
                                                   + buffer.name() + "' too");
    }
    const ir::BufferStore *store = onlyStore(consumer), *produced = onlyStore(producer);
    if (!store)
        cannotInlineIntoProducer(consumer, "its body is not a single store");
    if (!produced)
        cannotInlineIntoProducer(consumer, "the body of block " + named(producer) + " is not a single store");
    requireWholeDomain(edit, consumer);
    const StmtId holder = outermostSoleAncestor(index, consumer.id);

    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(producer));
    const std::vector<ir::Expr> read = loadIndices(consumer, *store, buffer);
    const ir::VarMap<ir::Expr> values = consumerValues(consumer, read, produced->indices, analyzer);
    requireAllRead(consumer, producer, read, produced->indices);
    const ir::Expr inside = whereRead(consumer, values, read, produced->indices, analyzer);
    ir::BufferStore merged = *store;
    const auto madeHere = [&](const ir::Expr &e) { // which may read it in several places
        return withLoadsReplaced(ir::substitute(e, values), buffer, [&](const ir::BufferLoad &) {
            return ir::withFreshVariables(produced->value);
        });
    };
    std::ranges::transform(merged.indices, merged.indices.begin(), madeHere);
    merged.value = madeHere(store->value);
    std::optional<ir::BufferStore> mergedInit;
    if (const ir::BufferStore *init = initStore(producer, *produced, consumer, *store)) {
        mergedInit = merged;
        mergedInit->value = init->value;
        merged.value = withLoadsReplaced(produced->value, buffer, [&](const ir::BufferLoad &) {
            return ir::load(merged.buffer, merged.indices);
        });
    }

    const ir::Expr predicate = mergedPredicate(producer, inside, domainsAround(index, producer.id));
    for (StmtId at = consumer.id;; at = index.parent(at)) {
        edit.forward(at, producer.id);
        if (at == holder)
            break;
    }
    edit.setBody(rewriteAt(
        edit.body(), {{holder, [](const ir::Stmt &) { return ir::Stmt(); }},
                      {producer.id, editBlock([&](ir::Block &block) {
                           block.body = ir::make(merged);
                           if (mergedInit)
                               block.init = ir::make(*mergedInit);
                           block.predicate = predicate;
                           renewRegions(block);
                       })},
                      {scope, editBlock([&](ir::Block &root) { std::erase(root.allocBuffers, buffer); })}}));
    return {};
}

} // namespace

Primitive reverseComputeInlinePrimitive()
{
    return define<ReverseComputeInlineArgs>(
        {.name = "reverse_compute_inline",
         .title = "Inline into producer",
         .group = Group::Movement,
         .key = "Shift+I",
         .summary = "Does a block's work where its only producer makes the values, instead of storing them "
                    "in between.",
         .documentation =
             R"(The producer stores what the block makes of its values. The block and the buffer between the
two go.

```
for i: B[i] = A[i] * 2
for i: C[i] = B[i] + 1      →       for i: C[i] = A[i] * 2 + 1      (in the loops of B)
```

**Legal** for a complete block of one store without a reduction whose only producer is complete, no output
and one store too (with an init before it only where the block copies), when the indices at which it reads
determine its iteration variables, in a scope where every value is written before it is read and never
overwritten.)"},
        {required<&ReverseComputeInlineArgs::block>("block", "Block",
                                                    "The block to inline into its producer.")},
        reverseComputeInline);
}

} // namespace nestwright::schedule
