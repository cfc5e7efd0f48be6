// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/reduction.h"
#include "core/arith/int_set.h"
#include "core/ir/builder.h"
#include "core/ir/conditions.h"
#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"
#include "core/ir/threads.h"
#include "core/ir/walk.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/thread_allreduce.h"
#include "core/support/errors.h"

#include <algorithm>
#include <vector>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using support::UserError;

namespace {

/// The nest of a reduction whose terms are spread over threads: from its outermost loop over reduction
/// variables down to the block.
struct Nest {
    std::vector<const ir::For *> loops; ///< outermost first
    const ir::Block *block = nullptr;
    ir::VarMap<Expr> values; ///< of the block's variables, simplified
    ir::VarSet reduced;      ///< the loops' variables that reduction variables rest on

    bool isReduced(const ir::For &loop) const { return reduced.contains(loop.var); }
};

bool isOfThreads(const ir::For &loop) { return ir::isBoundTo(loop, ir::ThreadRank::Thread); }

/// The nest that begins with `s`; no block where that is none, or no threads reduce in it.
Nest nestAt(const Stmt &s, arith::Analyzer &analyzer)
{
    Nest nest;
    Stmt below = s;
    for (const auto *loop = s.as<ir::For>(); loop; loop = below.as<ir::For>()) {
        nest.loops.push_back(loop);
        below = loop->body;
        analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
    }
    const auto *block = below.as<ir::Block>();
    if (!block || nest.loops.empty())
        return {};
    for (std::size_t i = 0; i < block->iterVars.size(); ++i) {
        const Expr value = analyzer.simplify(block->iterValues[i]);
        nest.values[block->iterVars[i].var] = value;
        if (block->iterVars[i].kind != ir::IterKind::Reduce)
            continue;
        for (const ir::Var &var : ir::variablesOf(value))
            nest.reduced.insert(var);
    }
    const auto isSpread = [&](const ir::For *loop) { return isOfThreads(*loop) && nest.isReduced(*loop); };
    if (!nest.isReduced(*nest.loops.front()) || std::ranges::none_of(nest.loops, isSpread))
        return {};
    nest.block = block;
    return nest;
}

class CrossThreadReduction : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>())
            requireKnown(*block, isOfThreads);
        if (const Nest nest = nestAt(s, m_analyzer); nest.block) {
            // Whatever is around it, each run of the nest stores its sum.
            requireKnown(*nest.block, [](const ir::For &) { return true; });
            return reduced(nest);
        }
        const auto *loop = s.as<ir::For>();
        if (!loop)
            return children(s);
        m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        m_around.push_back(loop);
        Stmt result = children(s);
        m_around.pop_back();
        return result;
    }

private:
    /// Threads that reduce in another form than nestAt knows would disturb each other: no loop around that
    /// `matters` may be reduced over.
    template <class Matters> void requireKnown(const ir::Block &block, const Matters &matters)
    {
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            const Expr value = m_analyzer.simplify(block.iterValues[i]); // loops of one turn do not count
            const auto spreads = [&](const ir::For *loop) {
                return matters(*loop) && ir::uses(value, loop->var);
            };
            if (block.iterVars[i].kind == ir::IterKind::Reduce && std::ranges::any_of(m_around, spreads))
                throw UserError(
                    support::diagnostic("lower.cross-thread-reduction",
                                        "the loops over which the threads of block '" + block.name
                                            + "' reduce do other work too")
                        .withHint("keep the loops of the reduction in one nest with nothing beside them")
                        .at(block.id));
        }
    }

    static analysis::Reduction reductionOf(const ir::Block &block)
    {
        try {
            return analysis::reductionOf(block);
        } catch (const UserError &error) {
            throw UserError(
                support::diagnostic("lower.cross-thread-reduction",
                                    "the reduction of block '" + block.name
                                        + "' cannot be shared by threads: " + error.diagnostic().message)
                    .withHint("bind a loop that it does not reduce over, or keep its init in it")
                    .at(block.id));
        }
    }

    /// A scalar of each thread for each iteration of the nest's serial loops over other variables.
    struct Cells {
        Buffer buffer;
        std::vector<Expr> indices;
        Expr load() const { return ir::load(buffer, indices); }
        Stmt store(const Expr &value) const { return ir::store(buffer, value, indices); }
    };

    static Cells cells(const std::string &name, ir::DataType dtype, const std::vector<const ir::For *> &loops)
    {
        Cells result;
        std::vector<Expr> shape;
        for (const ir::For *loop : loops) {
            shape.push_back(loop->extent);
            result.indices.push_back(Expr(loop->var) - loop->min);
        }
        if (shape.empty()) {
            shape.emplace_back(1);
            result.indices.emplace_back(0);
        }
        result.buffer = Buffer(name, std::move(shape), dtype, "local");
        return result;
    }

    /// The loops around `body`, with variables of its own.
    static Stmt nested(const std::vector<const ir::For *> &loops, Stmt body, bool isCopy = true)
    {
        ir::VarMap<Expr> fresh;
        for (std::size_t i = loops.size(); i-- > 0;) {
            ir::For loop = *loops[i];
            if (isCopy) {
                loop.var = ir::Var(loop.var.name(), loop.var.dtype());
                loop.id = {};
                fresh[loops[i]->var] = loop.var;
            }
            loop.body = std::move(body);
            body = ir::make(std::move(loop));
        }
        return isCopy ? ir::substitute(body, fresh) : body;
    }

    Stmt reduced(const Nest &nest)
    {
        const ir::Block &block = *nest.block;
        const analysis::Reduction reduction = reductionOf(block);
        const ir::VarMap<Expr> &values = nest.values;
        requireApart(nest);
        std::vector<const ir::For *> threads, serial,
            kept; // of threads; others; those of them not reduced over
        for (const ir::For *loop : nest.loops) {
            (isOfThreads(*loop) ? threads : serial).push_back(loop);
            if (!isOfThreads(*loop) && !nest.isReduced(*loop))
                kept.push_back(loop);
        }
        std::vector<Cells> partial, whole;
        for (const Buffer &buffer : reduction.buffers) {
            partial.push_back(cells(buffer.name() + "_in_thread", buffer.dtype(), kept));
            whole.push_back(cells(buffer.name() + "_cross_thread", buffer.dtype(), kept));
        }
        std::vector<Stmt> init, update, combined, result;
        analysis::Reduction::Values before;
        for (const Cells &cell : partial)
            before.push_back(cell.load());
        const analysis::Reduction::Values after =
            reduction.combine(before, substituted(reduction.terms, values));
        std::vector<Stmt> stores;
        std::vector<ir::Var> names;
        for (std::size_t i = 0; i < partial.size(); ++i) {
            init.push_back(partial[i].store(reduction.identities[i]));
            names.emplace_back("v" + std::to_string(i), after[i].dtype());
            stores.push_back(partial[i].store(partial.size() == 1 ? after[i] : Expr(names[i])));
        }
        Stmt updated = ir::seq(std::move(stores));
        for (std::size_t i = partial.size(); partial.size() > 1 && i-- > 0;)
            updated = ir::make(ir::LetStmt{{}, after[i], names[i], updated});
        const Expr predicate = m_analyzer.simplify(ir::substitute(block.predicate, values));
        update.push_back(ir::isTrue(predicate) ? updated : ir::ifThenElse(predicate, updated));

        ThreadAllreduce all;
        all.combine = reduction.combine;
        all.identities = reduction.identities;
        for (std::size_t i = 0; i < partial.size(); ++i) {
            all.values.push_back(partial[i].load());
            all.results.push_back(whole[i].load());
        }
        Expr isFirst = ir::boolImm(true);
        for (const ir::For *loop : threads) {
            if (!nest.isReduced(*loop))
                continue;
            all.threads.push_back(loop->var);
            isFirst = ir::logicalAnd(isFirst, ir::eq(loop->var, loop->min));
        }
        combined.push_back(all.stmt());
        for (std::size_t i = 0; i < whole.size(); ++i)
            result.push_back(
                ir::store(reduction.buffers[i], whole[i].load(), substituted(reduction.indices, values)));
        const Expr guard = ir::logicalAnd(isFirst, keptCondition(predicate, nest));

        Stmt body = ir::seq({nested(kept, ir::seq(std::move(init))),
                             nested(serial, ir::seq(std::move(update)), false),
                             nested(kept, ir::seq(std::move(combined))),
                             nested(kept, ir::ifThenElse(guard, ir::seq(std::move(result))))});
        body = enclosed(nest, partial, whole, std::move(body), values);
        for (std::size_t i = threads.size(); i-- > 0;) {
            ir::For loop = *threads[i];
            loop.body = std::move(body);
            body = ir::make(std::move(loop));
        }
        return body;
    }

    /// A loop that is reduced over must not choose the element too.
    static void requireApart(const Nest &nest)
    {
        for (const ir::IterVar &iter : nest.block->iterVars) {
            if (iter.kind != ir::IterKind::Reduce && ir::usesAny(nest.values.at(iter.var), nest.reduced))
                throw UserError(
                    support::diagnostic("lower.cross-thread-reduction",
                                        "the loops over which block '" + nest.block->name
                                            + "' reduces also choose the element that it reduces into")
                        .withHint("keep loops over both apart: do not fuse them before binding")
                        .at(nest.block->id));
        }
    }

    static std::vector<Expr> substituted(const std::vector<Expr> &exprs, const ir::VarMap<Expr> &values)
    {
        std::vector<Expr> result;
        for (const Expr &e : exprs)
            result.push_back(ir::substitute(e, values));
        return result;
    }

    /// The terms of the condition that hold or not whatever is reduced over.
    static Expr keptCondition(const Expr &predicate, const Nest &nest)
    {
        std::vector<Expr> terms = ir::conjunctsOf(predicate);
        std::erase_if(terms, [&](const Expr &term) { return ir::usesAny(term, nest.reduced); });
        return ir::conjunctionOf(terms);
    }

    /// One block in place of the one that was there, whose regions are those of all iterations.
    Stmt enclosed(const Nest &nest, const std::vector<Cells> &partial, const std::vector<Cells> &whole,
                  Stmt body, const ir::VarMap<Expr> &values)
    {
        ir::Block block;
        block.id = nest.block->id;
        block.origin = nest.block->origin;
        block.name = nest.block->name;
        block.predicate = ir::boolImm(true);
        arith::Domains inner;
        for (const ir::For *loop : nest.loops) {
            if (!isOfThreads(*loop))
                inner.push_back({loop->var, {loop->min, loop->extent}});
        }
        const auto widened = [&](const std::vector<ir::BufferRegion> &regions) {
            std::vector<ir::BufferRegion> result;
            for (const ir::BufferRegion &each : regions) {
                const ir::BufferRegion one = ir::substitute(each, values);
                const auto all = arith::regionOver(one.region, inner, m_analyzer,
                                                   ir::substitute(nest.block->predicate, values));
                result.push_back(all ? ir::BufferRegion{one.buffer, *all} : ir::fullRegion(one.buffer));
            }
            return result;
        };
        block.reads = widened(nest.block->reads);
        block.writes = widened(nest.block->writes);
        for (const std::vector<Cells> *list : {&partial, &whole}) {
            for (const Cells &cell : *list)
                block.allocBuffers.push_back(cell.buffer);
        }
        block.body = std::move(body);
        return ir::make(std::move(block));
    }

    std::vector<const ir::For *> m_around;
    arith::Analyzer m_analyzer;
};

} // namespace

ir::Module lowerCrossThreadReduction(const ir::Module &module, const Target &)
{
    return ir::rewriteModule<CrossThreadReduction>(module);
}

} // namespace nestwright::lower
