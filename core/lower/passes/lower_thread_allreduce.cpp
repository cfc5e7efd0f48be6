// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/ir/threads.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/thread_allreduce.h"
#include "core/support/errors.h"

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

class AllreduceLowering : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        if (const auto all = ThreadAllreduce::of(s))
            return lowered(*all);
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

    /// A tree in shared memory: in each step the upper half of the values left goes into the lower one.
    Stmt lowered(const ThreadAllreduce &all) const
    {
        const Count part = countOf(all, true), group = countOf(all, false);
        const std::size_t size = all.values.size();
        std::vector<Stmt> steps;
        std::vector<Buffer> shared;
        for (std::size_t i = 0; i < size; ++i) {
            Expr value = all.values[i];
            if (all.condition && !ir::isTrue(all.condition))
                value = ir::select(all.condition, value, all.identities[i]);
            shared.emplace_back("red_buf" + std::to_string(i),
                                std::vector<Expr>{Expr(group.extent * part.extent)}, value.dtype(), "shared");
            steps.push_back(ir::store(shared[i], value, {group.index * Expr(part.extent) + part.index}));
        }
        const auto at = [&](const Expr &index) {
            ThreadAllreduce::Values loads;
            for (const Buffer &buffer : shared)
                loads.push_back(ir::load(buffer, {group.index * Expr(part.extent) + index}));
            return loads;
        };
        for (auto half =
                 static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(part.extent)) / 2);
             half > 0; half /= 2) {
            const ThreadAllreduce::Values values = all.combine(at(part.index), at(part.index + Expr(half)));
            std::vector<Stmt> stores;
            std::vector<ir::Var> names;
            for (std::size_t i = 0; i < size; ++i) {
                names.emplace_back("v" + std::to_string(i), values[i].dtype());
                stores.push_back(ir::store(shared[i], size == 1 ? values[i] : Expr(names[i]),
                                           {group.index * Expr(part.extent) + part.index}));
            }
            Stmt combined = ir::seq(std::move(stores));
            for (std::size_t i = size; size > 1 && i-- > 0;)
                combined = ir::make(ir::LetStmt{{}, values[i], names[i], combined});
            const Expr last(std::min(half, part.extent - half));
            steps.push_back(ir::ifThenElse(ir::lt(part.index, last), combined));
        }
        const ThreadAllreduce::Values first = at(Expr(0));
        for (std::size_t i = 0; i < size; ++i) {
            const auto *result = all.results[i].as<ir::BufferLoad>();
            NW_ASSERT(result, "a reduction of threads stores its result to no element");
            steps.push_back(ir::store(result->buffer, first[i], result->indices));
        }
        Stmt body = ir::seq(std::move(steps));
        for (const Buffer &buffer : shared) {
            ir::DeclBuffer view;
            view.buffer = buffer;
            view.body = std::move(body);
            ir::Allocate memory;
            memory.extents = buffer.shape();
            memory.dtype = buffer.dtype();
            memory.scope = buffer->scope;
            memory.data = buffer->data;
            memory.body = ir::make(std::move(view));
            body = ir::make(std::move(memory));
        }
        return body;
    }

    std::vector<const ir::For *> m_threads;
};

} // namespace

ir::Module lowerThreadAllreduce(const ir::Module &module, const Target &)
{
    return ir::rewriteModule<AllreduceLowering>(module);
}

} // namespace nestwright::lower
