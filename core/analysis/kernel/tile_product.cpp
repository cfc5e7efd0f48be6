// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/tile_product.h"

#include "core/analysis/access/aliases.h"
#include "core/arith/affine.h"
#include "core/arith/analyzer.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/node/block_marker.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace nestwright::analysis {

using enum TileOperand;
using ir::Expr;
using ir::Stmt;
using Loops = std::vector<TileSteps>;

namespace {

/// The loops of a perfect nest and the statement within, in terms of the loops' variables alone.
struct PerfectNest {
    std::vector<const ir::For *> loops;
    Stmt body;
};

/// Loops that begin at 0, and have constant extents.
std::optional<PerfectNest> perfectNest(const Stmt &nest)
{
    PerfectNest found;
    ir::VarMap<Expr> lets;
    for (Stmt inner = nest;;) {
        if (const auto *loop = inner.as<ir::For>()) {
            const std::int64_t *extent = ir::asInt(loop->extent);
            const bool isPlain =
                loop->forKind == ir::ForKind::Serial || loop->forKind == ir::ForKind::Unrolled;
            if (!isPlain || !ir::isConstInt(loop->min, 0) || !extent || *extent < 1)
                return {};
            found.loops.push_back(loop);
            inner = loop->body;
        } else if (const auto *let = inner.as<ir::LetStmt>()) {
            lets.insert_or_assign(let->var, ir::substitute(let->value, lets));
            inner = let->body;
        } else if (const auto *mark = inner.as<ir::AttrStmt>(); mark && ir::markedBlock(*mark)) {
            inner = mark->body;
        } else if (const auto *view = inner.as<ir::DeclBuffer>()) {
            inner = view->body;
        } else {
            found.body = lets.empty() ? inner : ir::substitute(inner, lets);
            return found;
        }
    }
}

ir::VarSet variablesOf(const PerfectNest &nest)
{
    ir::VarSet vars;
    for (const ir::For *loop : nest.loops)
        vars.insert(loop->var);
    return vars;
}

/// One element of a flat buffer; null for others, and for those that are loaded under a condition.
const ir::BufferLoad *elementOf(const Expr &e)
{
    const auto *load = e.as<ir::BufferLoad>();
    const bool isOne = load && load->indices.size() == 1 && !load->predicate
                       && load->buffer.dtype().lanes == 1 && !load->indices.front().dtype().isVector();
    return isOne ? load : nullptr;
}

/// A factor in the type of the sum.
const ir::BufferLoad *widened(const Expr &e)
{
    const auto *cast = e.as<ir::Cast>();
    return cast ? elementOf(cast->value) : nullptr;
}

/// Elements of two matrices whose product is added to that of a third.
struct SummedProduct {
    const ir::BufferLoad *a = nullptr, *b = nullptr;
    const ir::BufferStore *c = nullptr;
};

bool isSummedUp(const SummedProduct &product)
{
    const ir::DataType a = product.a->buffer.dtype(), b = product.b->buffer.dtype();
    const auto isByte = [](ir::DataType type) { return (type.isInt() || type.isUInt()) && type.bits == 8; };
    const ir::DataType sum = product.c->buffer.dtype();
    if (sum == ir::DataType::int32())
        return isByte(a) && isByte(b);
    return sum == ir::DataType::float32() && a == ir::DataType::bfloat16() && b == a;
}

std::optional<SummedProduct> summedProduct(const Stmt &body)
{
    const auto *store = body.as<ir::BufferStore>();
    const auto *sum =
        store && !store->predicate && store->indices.size() == 1 ? store->value.as<ir::Binary>() : nullptr;
    if (!sum || sum->op != ir::BinaryOp::Add)
        return {};
    for (const auto &[before, added] : {std::pair(sum->a, sum->b), std::pair(sum->b, sum->a)}) {
        const ir::BufferLoad *old = elementOf(before);
        const auto *factors = added.as<ir::Binary>();
        if (!old || !factors || factors->op != ir::BinaryOp::Mul || old->buffer != store->buffer
            || !arith::sameExpr(old->indices.front(), store->indices.front()))
            continue;
        const SummedProduct found{widened(factors->a), widened(factors->b), store};
        if (found.a && found.b && isSummedUp(found) && !sharesMemory(found.a->buffer, store->buffer)
            && !sharesMemory(found.b->buffer, store->buffer))
            return found;
    }
    return {};
}

/// Whether no two points of the loops that move in C meet in one element.
bool meetsEachOnce(const Loops &loops)
{
    Loops moving;
    std::ranges::copy_if(loops, std::back_inserter(moving),
                         [](const TileSteps &l) { return l.step(C) != 0; });
    std::ranges::sort(moving, {}, [](const TileSteps &loop) { return std::abs(loop.step(C)); });
    std::int64_t reach = 0;
    for (const TileSteps &loop : moving) {
        if (std::abs(loop.step(C)) <= reach)
            return false;
        reach += std::abs(loop.step(C)) * (loop.extent - 1);
    }
    return true;
}

TileSteps scaled(const TileSteps &loop, std::int64_t factor)
{
    TileSteps result = loop;
    for (std::int64_t &step : result.steps)
        step *= factor;
    return result;
}

/// Fuses loops where one continues at the end of the other.
Loops fused(Loops loops)
{
    for (std::size_t outer = 0; outer < loops.size();) {
        const auto next = std::ranges::find_if(loops, [&](const TileSteps &inner) {
            return &inner != &loops[outer] && scaled(inner, inner.extent).steps == loops[outer].steps;
        });
        if (next == loops.end()) {
            ++outer;
            continue;
        }
        next->extent *= loops[outer].extent;
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(outer));
        outer = 0;
    }
    return loops;
}

std::int64_t largestDivisor(std::int64_t number, std::int64_t most)
{
    std::int64_t found = std::min(number, most);
    while (number % found != 0)
        --found;
    return found;
}

/// Takes the innermost `count` iterations out of a loop of the list.
TileSteps takeOut(Loops &loops, Loops::iterator loop, std::int64_t count)
{
    TileSteps inner = *loop;
    inner.extent = count;
    if (loop->extent == count)
        loops.erase(loop);
    else
        *loop = {loop->extent / count, scaled(*loop, count).steps};
    return inner;
}

/// Takes the largest tile dimension out of the loops that fit, preferring inner loops; a loop without steps
/// where none fits.
template <class Fits> TileSteps takeTile(Loops &loops, const Fits &fits)
{
    auto best = loops.end();
    std::int64_t most = 0;
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
        const std::int64_t size = fits(*loop) ? largestDivisor(loop->extent, tileRows) : 0;
        if (size >= most && size > 0) { // the innermost of several
            best = loop;
            most = size;
        }
    }
    return best == loops.end() ? TileSteps{} : takeOut(loops, best, most);
}

bool movesRows(const TileSteps &loop) { return loop.step(A) != 0 && loop.step(B) == 0 && loop.step(C) != 0; }
bool movesColumns(const TileSteps &loop)
{
    return loop.step(A) == 0 && loop.step(B) != 0 && loop.step(C) != 0;
}

/// Chooses the tiles that are held in registers together: those for which the fewest are loaded per product.
void chooseBlock(TileProduct &product, Loops &loops)
{
    struct Choice {
        std::int64_t rows = 1, columns = 1;
        std::size_t rowLoop = 0, columnLoop = 0;

        std::int64_t loads(const Choice &other) const
        {
            return (rows + columns) * other.rows * other.columns; // per product, on a common denominator
        }
    };
    Choice best;
    for (std::int64_t rows = 1; rows <= 3; ++rows) {
        for (std::int64_t columns = 1; rows * columns + rows + columns <= tileRegisters; ++columns) {
            const auto lastLoop = [&](auto moves, std::int64_t count) {
                std::size_t found = loops.size();
                for (std::size_t i = 0; i < loops.size(); ++i)
                    found = moves(loops[i]) && loops[i].extent % count == 0 ? i : found;
                return found;
            };
            const Choice choice{rows, columns, lastLoop(movesRows, rows), lastLoop(movesColumns, columns)};
            const bool isThere = (rows == 1 || choice.rowLoop < loops.size())
                                 && (columns == 1 || choice.columnLoop < loops.size());
            if (isThere && choice.loads(best) < best.loads(choice))
                best = choice;
        }
    }
    const TileSteps one;
    const auto at = [&](std::size_t i) { return loops.begin() + static_cast<std::ptrdiff_t>(i); };
    // The later one first: taking out moves those behind.
    const auto takeRows = [&] {
        product.rowTiles = best.rows > 1 ? takeOut(loops, at(best.rowLoop), best.rows) : one;
    };
    const auto takeColumns = [&] {
        product.columnTiles = best.columns > 1 ? takeOut(loops, at(best.columnLoop), best.columns) : one;
    };
    if (best.rowLoop > best.columnLoop) {
        takeRows();
        takeColumns();
    } else {
        takeColumns();
        takeRows();
    }
}

/// Cuts the loops into tiles; nothing where the matrices do not lie as tiles must.
std::optional<TileProduct> tiled(Loops loops, std::int64_t wordTerms)
{
    TileProduct product;
    product.wordTerms = wordTerms;
    loops = fused(std::move(loops));
    const auto word = std::ranges::find_if(loops, [&](const TileSteps &loop) {
        return loop.steps == std::array<std::int64_t, 3>{1, 1, 0} && loop.extent % wordTerms == 0;
    });
    if (word == loops.end())
        return {};
    takeOut(loops, word, wordTerms);
    const TileSteps columns = takeTile(loops, [&](const TileSteps &l) {
        return movesColumns(l) && l.step(B) == wordTerms && l.step(C) == 1;
    });
    if (columns.extent == 1)
        return {};
    const TileSteps words = takeTile(loops, [&](const TileSteps &l) {
        return l.step(A) == wordTerms && l.step(B) != 0 && l.step(C) == 0;
    });
    const TileSteps rows = takeTile(loops, movesRows);
    product.columns = columns.extent;
    product.words = words.extent;
    product.rows = rows.extent;
    product.a.rowStep = rows.step(A);
    product.b.rowStep = words.step(B);
    product.c.rowStep = rows.step(C);
    chooseBlock(product, loops);
    for (const TileSteps &loop : loops)
        (loop.step(C) == 0 ? product.inner : product.outer).push_back(loop);
    return product;
}

/// The elements of C that loops meet, as the fewest loops that meet them, the closest first.
std::vector<std::pair<std::int64_t, std::int64_t>> elementsMet(const Loops &loops)
{
    Loops inC;
    for (const TileSteps &loop : loops) {
        if (loop.step(C) != 0 && loop.extent > 1)
            inC.push_back({loop.extent, {0, 0, loop.step(C)}});
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> met;
    for (const TileSteps &loop : fused(std::move(inC)))
        met.emplace_back(loop.step(C), loop.extent);
    std::ranges::sort(met);
    return met;
}

bool isPlainZero(const Expr &value)
{
    if (const auto *lanes = value.as<ir::Broadcast>())
        return isPlainZero(lanes->value);
    const auto *number = value.as<ir::FloatImm>();
    return number ? number->value == 0 && !std::signbit(number->value) : ir::isConstInt(value, 0);
}

} // namespace

std::optional<TileProduct> tileProductOf(const Stmt &nest)
{
    const auto found = perfectNest(nest);
    const auto sum = found ? summedProduct(found->body) : std::nullopt;
    if (!sum)
        return {};
    const ir::VarSet vars = variablesOf(*found);
    const auto a = arith::affineIn(sum->a->indices.front(), vars);
    const auto b = arith::affineIn(sum->b->indices.front(), vars);
    const auto c = arith::affineIn(sum->c->indices.front(), vars);
    if (!a || !b || !c)
        return {};
    const ir::Var &memory = sum->c->buffer->data;
    if (loadsFrom(a->base, memory) || loadsFrom(b->base, memory) || loadsFrom(c->base, memory))
        return {};
    Loops loops, exchanged;
    for (const ir::For *loop : found->loops) {
        const std::int64_t extent = *ir::asInt(loop->extent);
        if (extent == 1)
            continue;
        const std::int64_t inA = a->factorOf(loop->var), inB = b->factorOf(loop->var);
        loops.push_back({extent, {inA, inB, c->factorOf(loop->var)}});
        exchanged.push_back({extent, {inB, inA, c->factorOf(loop->var)}});
    }
    if (!meetsEachOnce(loops))
        return {};
    const std::int64_t wordTerms = 4 / sum->a->buffer.dtype().bytes();
    const auto put = [](TiledMatrix &matrix, const ir::Buffer &buffer, const Expr &first) {
        matrix.buffer = buffer;
        matrix.first = first;
    };
    auto product = tiled(std::move(loops), wordTerms);
    const bool isExchanged = !product;
    if (isExchanged)
        product = tiled(std::move(exchanged), wordTerms);
    if (!product)
        return {};
    put(isExchanged ? product->b : product->a, sum->a->buffer, a->base);
    put(isExchanged ? product->a : product->b, sum->b->buffer, b->base);
    put(product->c, sum->c->buffer, c->base);
    return product;
}

bool clearsResult(const Stmt &before, const TileProduct &product)
{
    const auto nest = perfectNest(before);
    const auto *store = nest ? nest->body.as<ir::BufferStore>() : nullptr;
    if (!store || store->buffer != product.c.buffer || store->predicate || !isPlainZero(store->value)
        || store->indices.size() != 1)
        return false;
    const Expr &index = store->indices.front();
    const auto *lanes = index.as<ir::Ramp>();
    const std::int64_t *stride = lanes ? ir::asInt(lanes->stride) : nullptr;
    if (index.dtype().isVector() && !stride)
        return false;
    const auto place = arith::affineIn(lanes ? lanes->base : index, variablesOf(*nest));
    if (!place || !arith::Analyzer().canProveEqual(place->base, product.c.first))
        return false;
    Loops cleared;
    if (lanes)
        cleared.push_back({lanes->lanes, {0, 0, *stride}});
    for (const ir::For *loop : nest->loops)
        cleared.push_back({*ir::asInt(loop->extent), {0, 0, place->factorOf(loop->var)}});
    Loops added = product.outer;
    added.insert(added.end(), {product.rowTiles, product.columnTiles});
    added.push_back({product.rows, {0, 0, product.c.rowStep}});
    added.push_back({product.columns, {0, 0, 1}});
    return elementsMet(cleared) == elementsMet(added);
}

} // namespace nestwright::analysis
