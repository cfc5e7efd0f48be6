// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/reduction.h"
#include "core/arith/int_set.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/passes/reduction_nest.h"
#include "core/lower/thread_allreduce.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using support::UserError;

namespace {

/// Puts a statement in the place of a block.
class Replaced : public ir::Rewriter {
public:
    Replaced(const ir::Block &block, Stmt by) : m_block(block), m_by(std::move(by)) {}
    Stmt stmt(const Stmt &s) override { return s.as<ir::Block>() == &m_block ? m_by : children(s); }

private:
    const ir::Block &m_block;
    Stmt m_by;
};

class CrossThreadReduction : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        if (const ReductionNest nest = nestAt(s, m_analyzer); nest.block && !isReducedAround(nest))
            return reduced(nest);
        if (const ReductionNest nest = partAt(s, m_around, m_analyzer); nest.block)
            return reducedBeside(nest, s);
        if (const auto *block = s.as<ir::Block>(); block && isReduction(*block))
            requireKnown(*block);
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
    /// Threads that reduce in another form than is known here would disturb each other.
    void requireKnown(const ir::Block &block)
    {
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            const Expr value = m_analyzer.simplify(block.iterValues[i]); // loops of one turn do not count
            const auto spreads = [&](const ir::For *loop) {
                return isOfThreads(*loop) && ir::uses(value, loop->var);
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

    bool isReducedAround(const ReductionNest &nest) const
    {
        return std::ranges::any_of(m_around, [&](const ir::For *loop) { return nest.isReduced(*loop); });
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

    /// Parts of a reduction shared by threads: before its loops, in them, and behind them in two steps.
    struct Parts {
        std::vector<const ir::For *> kept; ///< serial loops that are not reduced over
        std::vector<Cells> partial, whole;
        Stmt init, update, combined, result;
    };

    /// `threads`: all loops over threads.
    Parts partsOf(const ReductionNest &nest, const std::vector<const ir::For *> &threads)
    {
        const ir::Block &block = *nest.block;
        const analysis::Reduction reduction = reductionOf(block);
        const ir::VarMap<Expr> &values = nest.values;
        requireApart(nest);
        Parts parts;
        for (const ir::For *loop : nest.loops) {
            if (!isOfThreads(*loop) && !nest.isReduced(*loop))
                parts.kept.push_back(loop);
        }
        for (const Buffer &buffer : reduction.buffers) {
            parts.partial.push_back(cells(buffer.name() + "_in_thread", buffer.dtype(), parts.kept));
            parts.whole.push_back(cells(buffer.name() + "_cross_thread", buffer.dtype(), parts.kept));
        }
        const std::vector<Cells> &partial = parts.partial, &whole = parts.whole;
        std::vector<Stmt> init, result;
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
        for (std::size_t i = 0; i < whole.size(); ++i)
            result.push_back(
                ir::store(reduction.buffers[i], whole[i].load(), substituted(reduction.indices, values)));
        const Expr guard = ir::logicalAnd(isFirst, keptCondition(predicate, nest));
        parts.init = nested(parts.kept, ir::seq(std::move(init)));
        parts.update = ir::isTrue(predicate) ? updated : ir::ifThenElse(predicate, updated);
        parts.combined = nested(parts.kept, all.stmt());
        parts.result = nested(parts.kept, ir::ifThenElse(guard, ir::seq(std::move(result))));
        return parts;
    }

    Stmt reduced(const ReductionNest &nest)
    {
        std::vector<const ir::For *> threads, serial;
        for (const ir::For *loop : nest.loops)
            (isOfThreads(*loop) ? threads : serial).push_back(loop);
        const Parts parts = partsOf(nest, threads);
        Stmt body = ir::seq({parts.init, nested(serial, parts.update, false), parts.combined, parts.result});
        ir::Block block = partOf(nest, widened(nest, nest.block->reads), widened(nest, nest.block->writes),
                                 std::move(body));
        block.id = nest.block->id;
        addMemory(block, parts);
        body = ir::make(std::move(block));
        for (std::size_t i = threads.size(); i-- > 0;) {
            ir::For loop = *threads[i];
            loop.body = std::move(body);
            body = ir::make(std::move(loop));
        }
        return body;
    }

    /// `s` with the block's terms summed up by each thread, and the sums combined behind it.
    Stmt reducedBeside(const ReductionNest &nest, const Stmt &s)
    {
        std::vector<const ir::For *> threads = m_around, within;
        threads.insert(threads.end(), nest.loops.begin(), nest.loops.end());
        std::erase_if(threads, [](const ir::For *loop) { return !isOfThreads(*loop); });
        std::ranges::copy_if(nest.loops, std::back_inserter(within),
                             [](const ir::For *loop) { return isOfThreads(*loop); });
        const Parts parts = partsOf(nest, threads);
        Regions reads, sums;
        for (const ir::BufferRegion &each : nest.block->reads)
            reads.push_back(ir::substitute(each, nest.values));
        for (const Cells &cell : parts.partial)
            sums.push_back(ir::fullRegion(cell.buffer));
        ir::Block update = partOf(nest, std::move(reads), std::move(sums), parts.update);
        update.id = nest.block->id;
        const Stmt updated =
            stmt(Replaced(*nest.block, ir::make(std::move(update))).stmt(s)); // it may hold more
        Stmt result = ir::make(partOf(nest, {}, widened(nest, nest.block->writes), parts.result));
        ir::Block around = partOf(nest, {}, {},
                                  ir::seq({nested(within, parts.init), updated,
                                           nested(within, ir::seq({parts.combined, std::move(result)}))}));
        addMemory(around, parts);
        return ir::make(std::move(around));
    }

    /// A loop that is reduced over must not choose the element too.
    static void requireApart(const ReductionNest &nest)
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
    static Expr keptCondition(const Expr &predicate, const ReductionNest &nest)
    {
        std::vector<Expr> terms = ir::conjunctsOf(predicate);
        std::erase_if(terms, [&](const Expr &term) { return ir::usesAny(term, nest.reduced); });
        return ir::conjunctionOf(terms);
    }

    using Regions = std::vector<ir::BufferRegion>;

    /// Regions of the nest's block, of all iterations of its serial loops.
    Regions widened(const ReductionNest &nest, const Regions &regions)
    {
        arith::Domains inner;
        for (const ir::For *loop : nest.loops) {
            if (!isOfThreads(*loop))
                inner.push_back({loop->var, {loop->min, loop->extent}});
        }
        Regions result;
        for (const ir::BufferRegion &each : regions) {
            const ir::BufferRegion one = ir::substitute(each, nest.values);
            const auto all = arith::regionOver(one.region, inner, m_analyzer,
                                               ir::substitute(nest.block->predicate, nest.values));
            result.push_back(all ? ir::BufferRegion{one.buffer, *all} : ir::fullRegion(one.buffer));
        }
        return result;
    }

    /// A block without variables that does a part of what the nest's did.
    static ir::Block partOf(const ReductionNest &nest, Regions reads, Regions writes, Stmt body)
    {
        ir::Block block;
        block.origin = nest.block->origin;
        block.name = nest.block->name;
        block.predicate = ir::boolImm(true);
        block.reads = std::move(reads);
        block.writes = std::move(writes);
        block.body = std::move(body);
        return block;
    }

    static void addMemory(ir::Block &block, const Parts &parts)
    {
        for (const std::vector<Cells> *list : {&parts.partial, &parts.whole}) {
            for (const Cells &cell : *list)
                block.allocBuffers.push_back(cell.buffer);
        }
    }

    std::vector<const ir::For *> m_around;
    arith::Analyzer m_analyzer;
};

} // namespace

ir::Module lowerCrossThreadReduction(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<CrossThreadReduction>(module);
}

} // namespace nestwright::lower
