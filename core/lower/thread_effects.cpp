// SPDX-License-Identifier: Apache-2.0
#include "core/lower/thread_effects.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::MemoryRank;
using ir::Stmt;
using ir::ThreadRank;

bool isReal(const ir::For &loop)
{
    const auto axis = ir::threadAxisOf(loop);
    return axis && axis->rank != ThreadRank::Virtual;
}

Effects effectsOf(const Stmt &s)
{
    Effects effects;
    ir::forEachStmt(s, [&](const Stmt &part) {
        if (const auto *store = part.as<ir::BufferStore>()) {
            switch (ir::memoryRankOf(store->buffer->scope)) {
            case MemoryRank::Device: effects.onDevice = true; break;
            case MemoryRank::Block: effects.onBlock = true; break;
            case MemoryRank::Warp: effects.onWarp = true; break;
            case MemoryRank::Thread: effects.onOwn = true; break;
            }
        } else if (const auto *evaluated = part.as<ir::Evaluate>(); evaluated && !ir::isNoOp(part)) {
            const auto *call = evaluated->value.as<ir::Call>();
            if (call && call->callee == ir::intrinsics::tvmStorageSync)
                effects.holdsBarriers = true;
            else
                effects.onDevice = true;
        } else if (const auto *loop = part.as<ir::For>()) {
            effects.holdsThreads = effects.holdsThreads || isReal(*loop);
        }
        return true;
    });
    return effects;
}

bool touches(const Stmt &s, const ir::Var &memory, bool outsideOfKernels)
{
    class Search : public ir::Visitor {
    public:
        Search(const ir::Var &memory, bool outsideOfKernels)
            : m_memory(memory)
            , m_outsideOfKernels(outsideOfKernels)
        {
        }
        bool isFound = false;
        void buffer(const Buffer &b) override { isFound = isFound || b->data == m_memory; }
        void expr(const Expr &e) override
        {
            isFound = isFound || e.same(m_memory);
            children(e);
        }
        void stmt(const Stmt &s) override
        {
            const auto *loop = s.as<ir::For>();
            if (!m_outsideOfKernels || !loop || !isReal(*loop))
                children(s);
        }

    private:
        const ir::Var &m_memory;
        bool m_outsideOfKernels;
    } search(memory, outsideOfKernels);
    search.stmt(s);
    return search.isFound;
}

bool hangsOn(const Stmt &s, const ir::Var &var, const ir::For &inner)
{
    bool isFound = false;
    const auto holdsInner = [&](const Stmt &part) {
        bool holds = false;
        ir::forEachStmt(part, [&](const Stmt &each) {
            holds = holds || each.as<ir::For>() == &inner;
            return !holds;
        });
        return holds;
    };
    ir::forEachStmt(s, [&](const Stmt &part) {
        if (isFound || part.as<ir::For>() == &inner || !holdsInner(part))
            return false;
        if (const auto *branch = part.as<ir::IfThenElse>())
            isFound = ir::uses(branch->condition, var);
        else if (const auto *loop = part.as<ir::For>())
            isFound = ir::uses(loop->min, var) || ir::uses(loop->extent, var);
        else if (const auto *let = part.as<ir::LetStmt>())
            isFound = ir::uses(let->value, var);
        return !isFound;
    });
    return isFound;
}

} // namespace nestwright::lower
