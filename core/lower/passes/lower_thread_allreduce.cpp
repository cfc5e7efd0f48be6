// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/threads.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/thread_allreduce.h"
#include "core/support/errors/errors.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <bit>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using support::UserError;

namespace {

/// Some threads of a block, counted with x fastest.
struct Count {
    Expr index = 0;
    std::int64_t extent = 1;
};

bool isPowerOfTwo(std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); }

/// An array of each thread, or of the block.
Buffer arrayOf(const std::string &name, const Expr &extent, ir::DataType type, const char *scope)
{
    return Buffer(name, std::vector<Expr>{extent}, type, scope);
}

Expr valueIn(const Buffer &one) { return ir::load(one, {Expr(0)}); }

/// `body` with the memory of `buffers` around it.
Stmt within(const std::vector<Buffer> &buffers, Stmt body)
{
    for (const Buffer &buffer : buffers)
        body = ir::allocated(buffer, std::move(body));
    return body;
}

/// The value of a thread, or the identity where the condition does not hold.
ThreadAllreduce::Values valuesOf(const ThreadAllreduce &all)
{
    ThreadAllreduce::Values values = all.values;
    for (std::size_t i = 0; all.condition && !ir::isTrue(all.condition) && i < values.size(); ++i)
        values[i] = ir::select(all.condition, values[i], all.identities[i]);
    return values;
}

void storeResults(std::vector<Stmt> &steps, const ThreadAllreduce &all, const ThreadAllreduce::Values &values)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto *result = all.results[i].as<ir::BufferLoad>();
        NW_ASSERT(result, "a reduction of threads stores its result to no element");
        steps.push_back(ir::store(result->buffer, values[i], result->indices));
    }
}

class AllreduceLowering : public ir::Rewriter {
public:
    explicit AllreduceLowering(bool hasShuffles) : m_hasShuffles(hasShuffles) {}

    Stmt stmt(const Stmt &s) override
    {
        if (const auto all = ThreadAllreduce::of(s))
            return isByWarps(*all) ? byWarps(*all) : byTree(*all);
        const auto *scope = s.as<ir::AttrStmt>();
        const bool isScope = scope && scope->key == ThreadAllreduce::scopeKey;
        if (const auto *view = isScope ? scope->body.as<ir::DeclBuffer>() : nullptr) {
            // A buffer that is declared within the scope, where programs of TVM have it.
            ir::AttrStmt inner = *scope;
            inner.body = view->body;
            ir::DeclBuffer outer = *view;
            outer.body = stmt(ir::make(std::move(inner)));
            return ir::make(std::move(outer));
        }
        if (isScope)
            throw UserError(
                support::diagnostic("lower.cross-thread-reduction",
                                    "a reducer of threads has no T.tvm_thread_allreduce that fits it")
                    .withHint("it is to follow T.attr(T.comm_reducer(…), \"reduce_scope\", …), with "
                              "as many values"));
        const auto *loop = s.as<ir::For>();
        if (!loop || !ir::isBoundTo(*loop, ir::ThreadRank::Thread))
            return children(s);
        m_threads.push_back(loop);
        Stmt result = children(s);
        m_threads.pop_back();
        return result;
    }

private:
    /// The number of a thread among those along some axes.
    Count countOf(const ThreadAllreduce &all, bool takingPart) const
    {
        std::vector<const ir::For *> loops = m_threads;
        std::ranges::sort(loops, std::greater{},
                          [](const ir::For *loop) { return ir::threadAxisOf(*loop)->dimension; });
        Count count;
        for (const ir::For *loop : loops) {
            if (std::ranges::contains(all.threads, loop->var) != takingPart)
                continue;
            const std::int64_t *extent = ir::asInt(loop->extent);
            if (!extent)
                throw UserError(
                    support::diagnostic("lower.thread-extent", "threads reduce together along " + loop->thread
                                                                   + ", whose number is not constant")
                        .withHint("split the loop by a constant factor and bind that part")
                        .at(loop->id));
            count.index = count.index * loop->extent + (Expr(loop->var) - loop->min);
            count.extent *= *extent;
        }
        return count;
    }

    /// Whether the threads are neighbours in warps, all lanes of one or of several, or an aligned part of
    /// one, and the values are of those that lanes exchange.
    bool isByWarps(const ThreadAllreduce &all) const
    {
        const bool isVector =
            std::ranges::any_of(all.values, [](const Expr &value) { return value.dtype().isVector(); });
        if (!m_hasShuffles || isVector || all.threads.size() != 1)
            return false;
        const auto along = std::ranges::find(m_threads, all.threads.front(), &ir::For::var);
        if (along == m_threads.end() || ir::threadAxisOf(**along)->dimension != 0)
            return false;
        const std::int64_t extent = countOf(all, true).extent;
        return extent > 1 && isPowerOfTwo(extent);
    }

    /// The combination of the values in `own` of `lanes` neighbours, in the first of them: in each step a
    /// lane takes in the value of the one half as far away.
    static void combineLanes(std::vector<Stmt> &steps, const ThreadAllreduce &all,
                             const std::vector<Buffer> &own, const std::vector<Buffer> &other,
                             const Expr &mask, std::int64_t lanes)
    {
        const auto loads = [](const std::vector<Buffer> &buffers) {
            ThreadAllreduce::Values values;
            for (const Buffer &buffer : buffers)
                values.push_back(valueIn(buffer));
            return values;
        };
        for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
            for (std::size_t i = 0; i < own.size(); ++i)
                steps.push_back(
                    ir::store(other[i],
                              ir::call(own[i].dtype(), ir::intrinsics::tvmWarpShuffleDown,
                                       {mask, valueIn(own[i]), Expr(half), Expr(lanes), Expr(ir::warpSize)}),
                              {Expr(0)}));
            steps.push_back(stored(own, all.combine(loads(own), loads(other)), Expr(0)));
        }
    }

    /// All values are computed before one is stored.
    static Stmt stored(const std::vector<Buffer> &buffers, const ThreadAllreduce::Values &values,
                       const Expr &index)
    {
        const std::size_t size = values.size();
        std::vector<Stmt> stores;
        std::vector<ir::Var> names;
        for (std::size_t i = 0; i < size; ++i) {
            names.emplace_back("v" + std::to_string(i), values[i].dtype());
            stores.push_back(ir::store(buffers[i], size == 1 ? values[i] : Expr(names[i]), {index}));
        }
        Stmt combined = ir::seq(std::move(stores));
        for (std::size_t i = size; size > 1 && i-- > 0;)
            combined = ir::make(ir::LetStmt{{}, values[i], names[i], combined});
        return combined;
    }

    /// Lanes exchange values; the results of several warps meet in shared memory, where each warp combines
    /// them.
    Stmt byWarps(const ThreadAllreduce &all) const
    {
        const Count part = countOf(all, true), group = countOf(all, false);
        const std::int64_t lanes = std::min(part.extent, ir::warpSize), warps = part.extent / lanes;
        std::vector<Buffer> own, other, shared;
        std::vector<Stmt> steps;
        const ThreadAllreduce::Values values = valuesOf(all);
        const Buffer mask = arrayOf("mask", 1, ir::DataType::uint(32), "local");
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string number = std::to_string(i);
            own.push_back(arrayOf("red_own" + number, 1, values[i].dtype(), "local"));
            other.push_back(arrayOf("red_other" + number, 1, values[i].dtype(), "local"));
            if (warps > 1)
                shared.push_back(
                    arrayOf("red_buf" + number, Expr(group.extent * warps), values[i].dtype(), "shared"));
            steps.push_back(ir::store(own[i], values[i], {Expr(0)}));
        }
        steps.push_back(
            ir::store(mask, ir::call(mask.dtype(), ir::intrinsics::tvmWarpActiveMask, {}), {Expr(0)}));
        const Expr active = valueIn(mask);
        combineLanes(steps, all, own, other, active, lanes);
        if (warps > 1) {
            std::vector<Stmt> firsts;
            for (std::size_t i = 0; i < own.size(); ++i) {
                const Expr place = group.index * Expr(warps);
                firsts.push_back(ir::store(shared[i], valueIn(own[i]),
                                           {place + ir::floorDiv(part.index, Expr(ir::warpSize))}));
            }
            steps.push_back(ir::ifThenElse(ir::eq(ir::floorMod(part.index, Expr(ir::warpSize)), Expr(0)),
                                           ir::seq(std::move(firsts))));
            for (std::size_t i = 0; i < own.size(); ++i)
                steps.push_back(ir::store(
                    own[i],
                    ir::load(shared[i], {group.index * Expr(warps) + ir::floorMod(part.index, Expr(warps))}),
                    {Expr(0)}));
            combineLanes(steps, all, own, other, active, warps);
        }
        ThreadAllreduce::Values results;
        for (const Buffer &buffer : own)
            results.push_back(ir::call(
                buffer.dtype(), ir::intrinsics::tvmWarpShuffle,
                {active, valueIn(buffer), Expr(0), Expr(warps > 1 ? warps : lanes), Expr(ir::warpSize)}));
        storeResults(steps, all, results);
        std::vector<Buffer> memories{mask};
        for (const std::vector<Buffer> &each : {own, other, shared})
            memories.insert(memories.end(), each.begin(), each.end());
        return within(memories, ir::seq(std::move(steps)));
    }

    /// A tree in shared memory: in each step the upper half of the values left goes into the lower one.
    Stmt byTree(const ThreadAllreduce &all) const
    {
        const Count part = countOf(all, true), group = countOf(all, false);
        std::vector<Stmt> steps;
        std::vector<Buffer> shared;
        const Expr place = group.index * Expr(part.extent);
        const ThreadAllreduce::Values values = valuesOf(all);
        for (std::size_t i = 0; i < values.size(); ++i) {
            shared.push_back(arrayOf("red_buf" + std::to_string(i), Expr(group.extent * part.extent),
                                     values[i].dtype(), "shared"));
            steps.push_back(ir::store(shared[i], values[i], {place + part.index}));
        }
        const auto at = [&](const Expr &index) {
            ThreadAllreduce::Values loads;
            for (const Buffer &buffer : shared)
                loads.push_back(ir::load(buffer, {place + index}));
            return loads;
        };
        for (auto half =
                 static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(part.extent)) / 2);
             half > 0; half /= 2) {
            const Expr last(std::min(half, part.extent - half));
            const ThreadAllreduce::Values combined = all.combine(at(part.index), at(part.index + Expr(half)));
            steps.push_back(
                ir::ifThenElse(ir::lt(part.index, last), stored(shared, combined, place + part.index)));
        }
        storeResults(steps, all, at(Expr(0)));
        return within(shared, ir::seq(std::move(steps)));
    }

    bool m_hasShuffles;
    std::vector<const ir::For *> m_threads;
};

} // namespace

ir::Module lowerThreadAllreduce(const ir::Module &module, const target::Context &context)
{
    return ir::rewriteModule<AllreduceLowering>(module, target::kindOf(context.target.kind).hasShuffles);
}

} // namespace nestwright::lower
