// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/reference_loops.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace nestwright::measure {

namespace {

/// Iterations for which it pays to wake other threads.
constexpr double leastInParallel = 1e6;

/// Serial loops around one block, outermost first.
struct Nest {
    std::vector<const ir::For *> loops;
    const ir::Block *block = nullptr;
};

std::optional<Nest> nestOf(const ir::Stmt &s)
{
    Nest nest;
    ir::Stmt below = s;
    for (const auto *loop = below.as<ir::For>(); loop; loop = below.as<ir::For>()) {
        if (loop->forKind != ir::ForKind::Serial || !loop->annotations.empty() || !ir::asInt(loop->min))
            return std::nullopt;
        for (const ir::For *outer : nest.loops) {
            if (ir::uses(loop->extent, outer->var))
                return std::nullopt;
        }
        nest.loops.push_back(loop);
        below = loop->body;
    }
    nest.block = below.as<ir::Block>();
    return nest.block ? std::optional(nest) : std::nullopt;
}

/// The store of a block that does nothing else.
const ir::BufferStore *onlyStore(const ir::Stmt &s)
{
    const auto *store = s.as<ir::BufferStore>();
    return store && !store->predicate ? store : nullptr;
}

bool areSame(const std::vector<ir::Expr> &a, const std::vector<ir::Expr> &b)
{
    return std::ranges::equal(
        a, b, [](const ir::Expr &x, const ir::Expr &y) { return ir::structurallyEqual(x, y); });
}

/// Whether a value is computed of other memory, and of the element that it goes to.
bool readsNothingElseOf(const ir::BufferStore &store)
{
    bool readsElse = false;
    ir::forEachExpr(store.value, [&](const ir::Expr &e) {
        if (const auto *load = e.as<ir::BufferLoad>())
            readsElse = readsElse
                        || (load->buffer->data == store.buffer->data
                            && !(load->buffer == store.buffer && areSame(load->indices, store.indices)));
        if (const auto *call = e.as<ir::Call>())
            readsElse = readsElse || !call->callee.intrinsic();
        readsElse = readsElse || e.dtype().isHandle();
        return !readsElse;
    });
    return !readsElse;
}

class QuickLoops : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto nest = s.as<ir::For>() ? nestOf(s) : std::nullopt) {
            if (const auto order = orderOf(*nest))
                return rebuilt(*nest, *order);
        }
        return children(s);
    }

private:
    /// The loop of the nest that moves this variable of the block, and no other of its variables.
    static std::optional<std::size_t> loopOf(const Nest &nest, const ir::Expr &variable)
    {
        for (std::size_t i = 0; i < nest.block->iterVars.size(); ++i) {
            if (!nest.block->iterVars[i].var.same(variable))
                continue;
            for (std::size_t k = 0; k < nest.loops.size(); ++k) {
                if (nest.block->iterValues[i].same(nest.loops[k]->var))
                    return k;
            }
        }
        return std::nullopt;
    }

    /// The loops over the elements of the result, in the order of its dimensions; nothing of other forms.
    static std::optional<std::vector<std::size_t>> orderOf(const Nest &nest)
    {
        const ir::Block &block = *nest.block;
        const ir::BufferStore *store = onlyStore(block.body);
        const ir::BufferStore *init = block.init ? onlyStore(block.init) : nullptr;
        const bool isPlain = store && (!block.init || init) && block.allocBuffers.empty()
                             && block.matchBuffers.empty() && block.annotations.empty()
                             && ir::isTrue(block.predicate) && block.iterVars.size() == nest.loops.size()
                             && readsNothingElseOf(*store);
        if (!isPlain || (init && !(init->buffer == store->buffer && areSame(init->indices, store->indices)))
            || (init && !readsNothingElseOf(*init)))
            return std::nullopt;
        std::vector<std::size_t> order;
        for (const ir::Expr &index : store->indices) {
            const auto loop = loopOf(nest, index);
            if (!loop || std::ranges::contains(order, *loop))
                return std::nullopt;
            order.push_back(*loop);
        }
        std::vector<bool> isMoved(nest.loops.size());
        for (const ir::IterVar &iter : block.iterVars) {
            const auto loop = loopOf(nest, iter.var);
            const bool isOfResult = loop && std::ranges::contains(order, *loop);
            const ir::IterKind kind = isOfResult ? ir::IterKind::Spatial : ir::IterKind::Reduce;
            if (!loop || isMoved[*loop] || iter.kind != kind)
                return std::nullopt;
            isMoved[*loop] = true;
        }
        return order.empty() ? std::nullopt : std::optional(order);
    }

    static ir::Stmt rebuilt(const Nest &nest, const std::vector<std::size_t> &order)
    {
        std::vector<std::size_t> all;
        double iterations = 1;
        for (std::size_t i = 0; i < nest.loops.size(); ++i) {
            if (i != order.back())
                all.push_back(i);
            const std::int64_t *extent = ir::asInt(nest.loops[i]->extent);
            iterations *= extent ? static_cast<double>(*extent) : 1024;
        }
        all.push_back(order.back());
        ir::Stmt body = ir::Stmt(ir::make(ir::Block(*nest.block)));
        for (std::size_t i = all.size(); i-- > 0;) {
            ir::For loop = *nest.loops[all[i]];
            loop.body = std::move(body);
            const bool isFirst = i == 0 && all.size() > 1 && std::ranges::contains(order, all[i]);
            if (isFirst && iterations >= leastInParallel)
                loop.forKind = ir::ForKind::Parallel;
            body = ir::make(std::move(loop));
        }
        return body;
    }
};

} // namespace

ir::Module withQuickLoops(const ir::Module &module) { return ir::rewriteModule<QuickLoops>(module); }

} // namespace nestwright::measure
