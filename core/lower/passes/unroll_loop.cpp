// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/node/attributes.h"
#include "core/ir/threads.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace nestwright::lower {

namespace {

/// Limits of unrolling here. Beyond them a loop stays one, with the wish to be unrolled left for the C or
/// LLVM compiler.
constexpr std::int64_t mostIterations = 256;
constexpr std::int64_t mostUnrolledStores = 4096;
constexpr int deepest = 8; ///< of loops within each other that a pragma unrolls

/// Limits for unrolling the loops within a loop, as its annotations say.
struct Wish {
    std::int64_t mostStores = 0; ///< of a serial loop that is unrolled, after it
    bool isExplicit = true;      ///< copies, not loops that the compiler behind us is asked to unroll

    Wish within(const ir::For &loop) const
    {
        const auto said = [&](std::string_view key, std::int64_t otherwise) {
            const ir::AttrValue *value = ir::attribute(loop.annotations, key);
            const std::int64_t *number = value ? value->asInt() : nullptr;
            return number ? *number : otherwise;
        };
        return {std::min(said(ir::autoUnrollKey, mostStores), mostUnrolledStores),
                said(ir::unrollExplicitKey, isExplicit ? 1 : 0) != 0};
    }
};

/// Size of a statement after unrolling, including loops left to the unroller of C or LLVM.
struct Size {
    std::int64_t stores = 0;
    int depth = 0; ///< of unrolled loops within each other
    bool hasLoop = false;

    void operator+=(const Size &other)
    {
        stores += other.stores;
        depth = std::max(depth, other.depth);
        hasLoop = hasLoop || other.hasLoop;
    }
};

/// Moves shared memory out of a statement that is to be copied, so that all copies use the same memory: the
/// threads synchronize as they do between iterations of a loop.
class SharedMemory : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *memory = s.as<ir::Allocate>();
        const auto isConstant = [](const ir::Expr &extent) { return ir::asInt(extent) != nullptr; };
        if (!memory || ir::memoryRankOf(memory->scope) != ir::MemoryRank::Block
            || !std::ranges::all_of(memory->extents, isConstant))
            return children(s);
        m_taken.push_back(*memory);
        return stmt(memory->body);
    }

    ir::Stmt around(ir::Stmt body) const
    {
        for (const ir::Allocate &each : m_taken | std::views::reverse) {
            ir::Allocate memory = each;
            memory.body = std::move(body);
            body = ir::make(std::move(memory));
        }
        return body;
    }

private:
    std::vector<ir::Allocate> m_taken;
};

class Unrolling : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        if (!loop) {
            if (s.as<ir::BufferStore>() || s.as<ir::Evaluate>())
                m_size += {.stores = 1};
            return children(s);
        }
        const Wish around = std::exchange(m_wish, m_wish.within(*loop));
        const Size before = std::exchange(m_size, {});
        ir::Stmt changed = children(s); // inner loops first, so that their copies count
        changed = unrolled(*changed.as<ir::For>(), changed);
        m_wish = around;
        m_size += before;
        return changed;
    }

private:
    /// `m_size` is that of the body before, that of the result after it.
    ir::Stmt unrolled(const ir::For &loop, const ir::Stmt &s)
    {
        const std::int64_t *extent = ir::asInt(loop.extent);
        const bool isWished = loop.forKind == ir::ForKind::Unrolled;
        const bool isSmall = extent && m_size.stores <= mostUnrolledStores
                             && (*extent <= mostIterations || !isWished) && *extent <= mostUnrolledStores
                             && *extent * m_size.stores <= mostUnrolledStores;
        const bool isAutomatic = loop.forKind == ir::ForKind::Serial && isSmall && !m_size.hasLoop
                                 && m_size.depth < deepest && *extent * m_size.stores <= m_wish.mostStores;
        ir::For left = withoutPragmas(loop);
        if (!isSmall || (!isWished && !isAutomatic)) {
            m_size.hasLoop = true;
            return left.annotations.size() == loop.annotations.size() ? s : ir::make(std::move(left));
        }
        m_size.stores *= *extent;
        ++m_size.depth;
        if (!m_wish.isExplicit) {
            left.forKind = ir::ForKind::Unrolled;
            return ir::make(std::move(left));
        }
        SharedMemory shared;
        const ir::Stmt body = shared.stmt(loop.body);
        std::vector<ir::Stmt> copies;
        for (std::int64_t i = 0; i < *extent; ++i)
            copies.push_back(copyWith(body, loop.var, loop.min + ir::intImm(i, loop.var->dtype)));
        return shared.around(ir::seq(std::move(copies)));
    }

    /// The wish that a serial loop stays one is for the compiler behind us, too.
    static ir::For withoutPragmas(ir::For loop)
    {
        if (loop.forKind != ir::ForKind::Serial || ir::numberAt(loop.annotations, ir::autoUnrollKey) != 0)
            loop.annotations.erase(std::string(ir::autoUnrollKey));
        loop.annotations.erase(std::string(ir::unrollExplicitKey));
        return loop;
    }

    Wish m_wish;
    Size m_size; ///< of what was visited of the body of the loop around
};

} // namespace

ir::Module unrollLoop(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Unrolling>(module);
}

} // namespace nestwright::lower
