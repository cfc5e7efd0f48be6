// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/access/regions.h"
#include "core/arith/analyzer.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct RollingBufferArgs {
    BlockId block;
    BufferIndex buffer;
};

/// A dimension of the region that moves with a loop: successive tiles share `overlap` elements.
struct Moving {
    ir::Var loop; ///< null when the dimension does not move
    std::int64_t overlap = 0;
};

/// How a buffer rolls.
struct Rolling {
    ir::Buffer before, after;
    std::size_t axis = 0;
    std::int64_t extent = 0; ///< elements kept along the axis
    std::vector<Moving> dimensions;
};

/// `min` as loop * stride, or (loop * stride) // divisor. Nothing where it has another form.
std::optional<Moving> movingOf(const ir::Range &range)
{
    ir::Expr min = range.min;
    std::int64_t divisor = 1, stride = 1;
    const auto *quotient = min.as<ir::Binary>();
    const std::int64_t *by =
        quotient && quotient->op == ir::BinaryOp::FloorDiv ? ir::asInt(quotient->b) : nullptr;
    if (by && *by > 0) { // rows of tensors without elements are 0 long
        divisor = *by;
        min = quotient->a;
    }
    if (ir::asInt(min))
        return Moving{};
    if (const auto *product = min.as<ir::Binary>();
        product && product->op == ir::BinaryOp::Mul && ir::asInt(product->b)) {
        stride = *ir::asInt(product->b);
        min = product->a;
    }
    const ir::Var loop = ir::Var::from(min);
    const std::int64_t *extent = ir::asInt(range.extent);
    if (!loop || !extent)
        return std::nullopt;
    const std::int64_t overlap = *extent - (stride + divisor - 1) / divisor;
    // Without an overlap there is nothing to keep: compacting the buffer later is enough.
    return overlap > 0 ? Moving{loop, overlap} : Moving{};
}

/// The loop in which all accesses to the block's buffers meet.
StmtId meetingLoop(Edit &edit, const ir::Block &block, const ir::Buffer &buffer)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    StmtId meeting = block.id;
    for (const StmtId consumer : index.consumers(block.id))
        meeting = index.lowestCommonAncestor(meeting, consumer);
    if (!index.loop(meeting))
        refuse(diagnostic("schedule.no-common-loop", "no loop holds all that write and read '" + buffer.name()
                                                         + "', so there are no tiles to roll over")
                   .at(block.id)
                   .withHint("tile the reader and move block " + named(block) + " into it with compute_at"));
    return meeting;
}

/// Requires that the block and others depend on each other through these buffers by reads after writes only,
/// never by overwriting.
void requireOnlyRead(Edit &edit, const ir::Block &block)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    for (const analysis::Dependence &d : index.scope(index.scopeRoot(block.id)).dependences) {
        if (d.kind == analysis::DependenceKind::Raw || (d.from != block.id && d.to != block.id))
            continue;
        refuse(diagnostic("schedule.written-over",
                          "block " + named(edit.block(d.to)) + " writes over '" + d.buffer.name()
                              + "', which block " + named(edit.block(d.from))
                              + (d.kind == analysis::DependenceKind::Waw ? " has written" : " reads"))
                   .at(d.from)
                   .at(d.to));
    }
}

/// Whether a condition on loops asks only where in the buffer something is, so that it holds for an element
/// in each tile or in none.
bool isOfPlaces(const ir::Expr &condition, const std::vector<ir::Expr> &places, const ir::VarSet &loops,
                arith::Analyzer &analyzer)
{
    if (!ir::usesAny(condition, loops))
        return true;
    const ir::Expr plain = ir::withoutLikely(condition);
    const auto *node = plain.as<ir::Binary>();
    if (node && ir::isLogical(node->op))
        return isOfPlaces(node->a, places, loops, analyzer) && isOfPlaces(node->b, places, loops, analyzer);
    if (!node || !ir::isComparison(node->op))
        return false;
    const ir::Expr slack = node->a - node->b;
    return std::ranges::any_of(places, [&](const ir::Expr &place) {
        return !ir::usesAny(analyzer.simplify(slack - place), loops)
               || !ir::usesAny(analyzer.simplify(slack + place), loops);
    });
}

/// The box that the block writes in one iteration of the loop `meeting`: a whole tile, even where a predicate
/// keeps the block from some places of the buffer.
arith::Region tileOf(Edit &edit, const ir::Block &block, const ir::BufferRegion &write, StmtId meeting)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, index, block.id);
    const arith::Region written = analysis::realized(block, write.region);
    std::vector<ir::Expr> places;
    for (const ir::Range &range : written)
        places.push_back(range.min);
    ir::VarSet loops;
    for (const arith::VarRange &loop : domainsAround(index, block.id))
        loops.insert(loop.var);
    const auto tile =
        isOfPlaces(block.predicate, places, loops, analyzer)
            ? arith::regionOver(written, analysis::loopDomains(index, block.id, meeting), analyzer)
            : std::nullopt;
    return tile ? *tile : analysis::touchedBelow(index, block.id, write, meeting, analyzer);
}

Rolling rollingOf(Edit &edit, const ir::Block &block, const ir::Buffer &buffer,
                  const std::vector<ir::Range> &tile)
{
    Rolling rolling{.before = buffer, .after = {}, .dimensions = {}};
    const auto refuseTile = [&] {
        std::string text;
        for (const ir::Range &range : tile)
            text += (text.empty() ? "" : ", ") + script::printExpr(range.min) + ':'
                    + script::printExpr(arith::simplify(range.min + range.extent));
        refuse(diagnostic("schedule.no-rolling-axis", "a tile of '" + buffer.name() + "' is [" + text
                                                          + "]; no dimension moves with a loop in steps "
                                                            "smaller than the tile")
                   .at(block.id));
    };
    for (const ir::Range &range : tile) {
        const std::optional<Moving> moving = movingOf(range);
        if (!moving)
            refuseTile();
        rolling.dimensions.push_back(*moving);
    }
    const analysis::FunctionIndex &index = edit.index(block.id);
    for (const StmtId id : index.loopsOf(block.id)) {
        const auto axis = std::ranges::find(rolling.dimensions, index.loop(id)->var, &Moving::loop);
        if (axis == rolling.dimensions.end())
            continue;
        rolling.axis = static_cast<std::size_t>(axis - rolling.dimensions.begin());
        rolling.extent = *ir::asInt(tile[rolling.axis].extent);
        ir::BufferNode node = *buffer.get();
        node.shape[rolling.axis] = tile[rolling.axis].extent;
        rolling.after = ir::Buffer(std::move(node));
        return rolling;
    }
    refuseTile();
    std::unreachable();
}

/// The iterations keep elements of earlier ones, so those loops must run in their order.
void requireInOrder(Edit &edit, const ir::Block &block, const Rolling &rolling)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    for (const StmtId id : index.loopsOf(block.id)) {
        const ir::For &loop = *index.loop(id);
        const bool inOrder = loop.forKind == ir::ForKind::Serial || loop.forKind == ir::ForKind::Unrolled;
        if (std::ranges::contains(rolling.dimensions, loop.var, &Moving::loop) && !inOrder)
            refuse(
                diagnostic("schedule.loop-kind", "the iterations of loop " + named(loop)
                                                     + " may run at once, but each would keep elements that "
                                                       "the one before has computed")
                    .at(id));
    }
}

/// The index of each dimension in the only store to the buffer; throws where the block is not that plain.
const ir::BufferStore &storeOf(const ir::Block &block, const ir::Buffer &buffer)
{
    const auto *store = block.body.as<ir::BufferStore>();
    if (!store || !(store->buffer == buffer))
        refuse(diagnostic("schedule.not-one-store",
                          "block " + named(block) + " must be one store to '" + buffer.name() + "'")
                   .at(block.id));
    return *store;
}

/// Accesses to the buffer wrap around along its axis; blocks get their regions of it anew, and the variables
/// at the axis become opaque, since each iteration depends on those before it. Variables that an init waits
/// for stay reductions: an opaque one would have the init run again.
class Roller : public ir::Rewriter {
    template <class Access> auto wrapped(Access access) const
    {
        access.buffer = m_rolling.after;
        ir::Expr &index = access.indices[m_rolling.axis];
        index = ir::floorMod(index, ir::intImm(m_rolling.extent, index.dtype()));
        return ir::make(std::move(access));
    }

public:
    Roller(const Rolling &rolling, StmtId scope) : m_rolling(rolling), m_scope(scope) {}

    ir::Expr expr(const ir::Expr &e) override
    {
        const ir::Expr inside = children(e);
        const auto *load = inside.as<ir::BufferLoad>();
        return load && load->buffer == m_rolling.before ? wrapped(*load) : inside;
    }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt inside = children(s);
        if (const auto *store = inside.as<ir::BufferStore>(); store && store->buffer == m_rolling.before)
            return wrapped(*store);
        const auto *block = inside.as<ir::Block>();
        if (!block)
            return inside;
        ir::Block copy = *block;
        if (copy.id == m_scope) {
            std::ranges::replace(copy.allocBuffers, m_rolling.before, m_rolling.after);
            return ir::make(std::move(copy));
        }
        if (m_rolling.axis < copy.iterVars.size()) {
            ir::IterKind &kind = copy.iterVars[m_rolling.axis].kind;
            kind = copy.init && kind == ir::IterKind::Reduce ? kind : ir::IterKind::Opaque;
        }
        const analysis::AccessRegions found = analysis::accessRegions(copy);
        renew(copy.reads, found.reads);
        renew(copy.writes, found.writes);
        return ir::make(std::move(copy));
    }

private:
    void renew(std::vector<ir::BufferRegion> &regions, const std::vector<ir::BufferRegion> &found) const
    {
        for (ir::BufferRegion &region : regions) {
            const ir::BufferRegion *now = ir::findRegion(found, m_rolling.after);
            if (region.buffer == m_rolling.before)
                region = now ? *now : ir::fullRegion(m_rolling.after);
        }
    }

    const Rolling &m_rolling;
    StmtId m_scope;
};

/// The predicate that leaves out elements computed by earlier tiles.
ir::Expr freshOnly(const ir::Block &block, const Rolling &rolling, const ir::BufferStore &store)
{
    ir::Expr condition = block.predicate;
    for (std::size_t d = 0; d < rolling.dimensions.size(); ++d) {
        const Moving &moving = rolling.dimensions[d];
        if (!moving.loop)
            continue;
        arith::Analyzer analyzer;
        const ir::Expr place = ir::substitute(ir::substitute(store.indices[d], valuesOf(block)),
                                              {{moving.loop, ir::constant(0, moving.loop->dtype)}});
        condition = analyzer.simplify(
            ir::logicalAnd(condition, ir::logicalOr(ir::lt(moving.loop, ir::constant(1, moving.loop->dtype)),
                                                    ir::ge(analyzer.simplify(place), moving.overlap))));
    }
    return condition;
}

ArgList rollingBuffer(Edit &edit, const RollingBufferArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const ir::BufferRegion &write = accessAt(block, BufferSide::Write, args.buffer.index);
    const StmtId scope = scopeOf(edit, block.id);
    requireNotOutput(edit, block.id);
    const StmtId meeting = meetingLoop(edit, block, write.buffer);
    requireOnlyRead(edit, block);
    const Rolling rolling = rollingOf(edit, block, write.buffer, tileOf(edit, block, write, meeting));
    requireInOrder(edit, block, rolling);
    const ir::BufferStore &store = storeOf(block, write.buffer);
    const ir::Expr predicate = freshOnly(block, rolling, store);
    edit.replace(scope, Roller(rolling, scope).stmt(index.find(scope)));
    edit.setBody(
        rewriteAt(edit.body(), {{block.id, editBlock([&](ir::Block &b) { b.predicate = predicate; })}}));
    return {};
}

} // namespace

Primitive rollingBufferPrimitive()
{
    return define<RollingBufferArgs>(
        {.name = "rolling_buffer",
         .title = "Rolling buffer",
         .group = Group::Layout,
         .key = "Shift+B",
         .summary = "Keeps only a window of a buffer between tiles, so that overlaps are not computed again.",
         .documentation =
             R"(Where successive tiles of what a block writes overlap, keeps the overlap from one tile to the
next: the buffer becomes a ring along that dimension, and the block computes only what is new.

```
for t:                                      for t:
    for i in range(6):                          for i in range(6):
        with B: B[t * 4 + i] = …        →           with B: where t < 1 or i >= 2
    for i in range(4):                                  B[(t * 4 + i) % 6] = …
        with C: … B[t * 4 + i + 2] …            for i in range(4):
                                                    with C: … B[(t * 4 + i + 2) % 6] …
```

**Legal** for a block whose output is read only below a loop that it shares with its readers, when its
region there moves with serial loops in steps smaller than itself. The blocks of the scope are fixed in
their order afterwards.)"},
        {required<&RollingBufferArgs::block>("block", "Block", "The block that computes the tiles."),
         required<&RollingBufferArgs::buffer>("write_buffer_index", "Buffer", "The buffer to roll.")
             .of(BufferSide::Write)
             .attribute()},
        rollingBuffer);
}

} // namespace nestwright::schedule
