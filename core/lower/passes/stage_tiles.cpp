// SPDX-License-Identifier: Apache-2.0
/// Staging of tiles whose rows are a multiple of a large power of two apart: all rows map to the same few
/// sets of the first-level cache, and evict each other while a loop accumulates into the tile. Such a tile is
/// computed in a compact copy on the stack.
#include "core/arith/affine.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// The copies must be paid for by at least this many rounds of the loop.
constexpr std::int64_t fewestRounds = 8;

/// One dimension of a tile.
struct TileLoop {
    Var var;
    std::int64_t extent;
    std::int64_t stride; ///< in the buffer
};

/// Every access of one buffer within a loop, and the loops around each.
class AccessFinder : public ir::Visitor {
public:
    struct Access {
        Expr index;
        bool isStore;
        bool isConditional;
    };
    ir::BufferMap<std::vector<Access>> buffers;
    std::vector<Buffer> order;
    std::vector<const ir::For *> inner;
    bool hasParallel = false;
    ir::VarSet elsewhere; ///< memory allocated inside, or touched by its address or as another buffer too

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            inner.push_back(loop);
            hasParallel = hasParallel || loop->forKind == ir::ForKind::Parallel
                          || loop->forKind == ir::ForKind::ThreadBinding;
        }
        if (const auto *memory = s.as<ir::Allocate>())
            elsewhere.insert(memory->data);
        if (const auto *store = s.as<ir::BufferStore>())
            add(store->buffer, store->indices.front(), true);
        if (const auto *branch = s.as<ir::IfThenElse>()) {
            expr(branch->condition);
            ++m_conditions;
            stmt(branch->thenCase);
            if (branch->elseCase)
                stmt(branch->elseCase);
            --m_conditions;
            return;
        }
        if (s.as<ir::While>() || s.as<ir::AssertStmt>()) {
            ++m_conditions;
            children(s);
            --m_conditions;
            return;
        }
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            add(load->buffer, load->indices.front(), false);
        if (e.as<ir::VarNode>())
            elsewhere.insert(Var::from(e));
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::addressOf) {
            if (const auto *load = call->args[0].as<ir::BufferLoad>())
                elsewhere.insert(load->buffer->data);
        }
        children(e);
    }

private:
    void add(const Buffer &buffer, const Expr &index, bool isStore)
    {
        if (!buffers.contains(buffer))
            order.push_back(buffer);
        if (m_views.try_emplace(buffer->data, buffer).first->second != buffer)
            elsewhere.insert(buffer->data);
        buffers[buffer].push_back({index, isStore, m_conditions > 0});
    }

    ir::VarMap<Buffer> m_views; ///< the first buffer of each memory
    int m_conditions = 0;
};

/// A tile worth staging: its loops, outermost first, and where it begins in the buffer.
struct Tile {
    Buffer buffer;
    Expr base;
    std::vector<TileLoop> loops;

    std::int64_t elements() const
    {
        std::int64_t count = 1;
        for (const TileLoop &loop : loops)
            count *= loop.extent;
        return count;
    }
};

/// Rows of the tile that want the same sets of the cache.
std::int64_t rowsPerSet(const Tile &tile, const target::Machine &machine)
{
    const std::int64_t bytes = tile.buffer.dtype().bytes();
    std::int64_t clashing = 1;
    for (const TileLoop &loop : tile.loops) {
        const std::int64_t stride = loop.stride * bytes;
        if (stride < target::lineBytes)
            continue;
        const std::int64_t places =
            std::max<std::int64_t>(1, machine.waySpan() / std::gcd(stride, machine.waySpan()));
        clashing *= std::max<std::int64_t>(1, loop.extent / places);
    }
    return clashing;
}

std::optional<Tile> tileOf(const ir::For &loop, const Buffer &buffer, const AccessFinder &finder,
                           const target::Machine &machine)
{
    const std::vector<AccessFinder::Access> &accesses = finder.buffers.at(buffer);
    const auto isRead = [](const auto &access) { return !access.isStore; };
    const auto isWritten = [](const auto &access) { return access.isStore && !access.isConditional; };
    if (buffer.dtype().isVector() || finder.elsewhere.contains(buffer->data)
        || std::ranges::none_of(accesses, isRead) || std::ranges::none_of(accesses, isWritten))
        return std::nullopt;
    ir::VarSet inner{loop.var};
    for (const ir::For *part : finder.inner)
        inner.insert(part->var);
    Tile tile{buffer, {}, {}};
    for (const AccessFinder::Access &access : accesses) {
        if (!ir::isPure(access.index) || !ir::structurallyEqual(access.index, accesses.front().index))
            return std::nullopt;
    }
    // A vector index has no affine form.
    const std::optional<arith::Affine> common = arith::affineIn(accesses.front().index, inner);
    if (!common || common->factors.contains(loop.var))
        return std::nullopt;
    tile.base = common->base;
    for (const ir::For *part : finder.inner) {
        const std::int64_t factor = common->factorOf(part->var);
        if (factor == 0)
            continue;
        const std::int64_t *extent = ir::asInt(part->extent);
        if (!extent || *extent < 1 || factor < 1 || !ir::isConstInt(part->min, 0))
            return std::nullopt;
        tile.loops.push_back({part->var, *extent, factor});
    }
    std::ranges::sort(tile.loops, std::ranges::greater(), &TileLoop::stride);
    for (std::size_t i = 1; i < tile.loops.size();
         ++i) { // else two elements of the tile might be one of the buffer
        if (tile.loops[i - 1].stride < tile.loops[i].stride * tile.loops[i].extent)
            return std::nullopt;
    }
    const bool isSmall = tile.elements() * buffer.dtype().bytes() <= machine.first.tile;
    return isSmall && rowsPerSet(tile, machine) > machine.first.waysOfTile ? std::optional(std::move(tile))
                                                                           : std::nullopt;
}

/// Replaces the accesses of a buffer by those of the staged tile.
class TileAccess : public ir::Rewriter {
public:
    TileAccess(const Buffer &buffer, const Buffer &staged, const Expr &index)
        : m_buffer(buffer)
        , m_staged(staged)
        , m_index(index)
    {
    }
    Expr expr(const Expr &e) override
    {
        const auto *load = e.as<ir::BufferLoad>();
        return load && load->buffer == m_buffer ? ir::load(m_staged, {m_index}) : children(e);
    }
    Stmt stmt(const Stmt &s) override
    {
        const auto *store = s.as<ir::BufferStore>();
        return store && store->buffer == m_buffer ? ir::store(m_staged, expr(store->value), {m_index})
                                                  : children(s);
    }

private:
    Buffer m_buffer, m_staged;
    Expr m_index;
};

class Staging : public ir::Rewriter {
public:
    explicit Staging(const target::Machine &machine) : m_machine(machine) {}

    Stmt stmt(const Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::Serial)
            return children(s);
        if (ir::numberAt(loop->annotations, ir::tileKey) != 0)
            return s; // registers hold its tiles
        const std::int64_t *extent = ir::asInt(loop->extent);
        if (extent && *extent < fewestRounds)
            return children(s);
        AccessFinder finder;
        finder.stmt(loop->body);
        if (finder.hasParallel)
            return children(s);
        for (const Buffer &buffer : finder.order) {
            if (const auto tile = tileOf(*loop, buffer, finder, m_machine))
                return staged(*loop, *tile);
        }
        return children(s);
    }

private:
    static Stmt staged(const ir::For &loop, const Tile &tile)
    {
        const Buffer copy(tile.buffer.name() + "_tile", {Expr(tile.elements())}, tile.buffer.dtype(),
                          "local");
        Expr index = 0;
        for (const TileLoop &part : tile.loops)
            index = index * part.extent + Expr(part.var);
        ir::For body = loop;
        body.body = TileAccess(tile.buffer, copy, index).stmt(loop.body);
        return ir::allocated(
            copy, ir::seq({copied(tile, copy, true), ir::make(std::move(body)), copied(tile, copy, false)}));
    }

    /// The loops that copy the tile in or out, the innermost as a vector.
    static Stmt copied(const Tile &tile, const Buffer &copy, bool in)
    {
        Expr outer = tile.base, inner = 0;
        std::vector<Var> vars;
        for (const TileLoop &part : tile.loops) {
            vars.emplace_back(part.var.name(), part.var->dtype);
            outer = outer + Expr(vars.back()) * part.stride;
            inner = inner * part.extent + Expr(vars.back());
        }
        Stmt body = in ? ir::store(copy, ir::load(tile.buffer, {outer}), {inner})
                       : ir::store(tile.buffer, ir::load(copy, {inner}), {outer});
        for (std::size_t i = vars.size(); i-- > 0;) {
            ir::For loop;
            loop.min = ir::constant(0, vars[i]->dtype);
            loop.extent = ir::intImm(tile.loops[i].extent, vars[i]->dtype);
            loop.var = vars[i];
            const bool isDense = i + 1 == vars.size() && tile.loops[i].stride == 1;
            loop.forKind = isDense ? ir::ForKind::Vectorized : ir::ForKind::Serial;
            loop.body = std::move(body);
            body = ir::make(std::move(loop));
        }
        return body;
    }

    const target::Machine &m_machine;
};

} // namespace

ir::Module stageTiles(const ir::Module &module, const target::Context &context)
{
    return context.target.isGpu() ? module : ir::rewriteModule<Staging>(module, context.machine);
}

} // namespace nestwright::lower
