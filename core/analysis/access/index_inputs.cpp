// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/index_inputs.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

namespace nestwright::analysis {

using arith::ConstIntBound;
using ir::Expr;

namespace {

constexpr int mostSteps = 8; ///< through arrays of the function's own

/// `factor` times a value loaded from `buffer`, and `others`, which loads nothing.
struct ScaledLoad {
    ir::Buffer buffer;
    std::int64_t factor = 1;
    Expr others = 0;
};

bool hasLoad(const Expr &e)
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        found = found || part.as<ir::BufferLoad>();
        return !found;
    });
    return found;
}

using Lets = ir::VarMap<Expr>;

std::optional<ScaledLoad> linearOf(const Expr &e, const Lets &lets);

std::optional<ScaledLoad> linearOfSum(const ir::Binary &node, const Lets &lets)
{
    const bool first = hasLoad(node.a), second = hasLoad(node.b);
    if (first == second) // a sum of two loaded values bounds neither
        return std::nullopt;
    auto part = linearOf(first ? node.a : node.b, lets);
    if (!part)
        return std::nullopt;
    const Expr &other = first ? node.b : node.a;
    switch (node.op) {
    case ir::BinaryOp::Add: part->others = part->others + other; return part;
    case ir::BinaryOp::Sub:
        if (first) {
            part->others = part->others - other;
            return part;
        }
        part->factor = -part->factor;
        part->others = other - part->others;
        return part;
    case ir::BinaryOp::Mul: {
        const std::int64_t *factor = ir::asInt(other);
        if (!factor || *factor == 0)
            return std::nullopt;
        part->factor *= *factor;
        part->others = part->others * *factor;
        return part;
    }
    default: return std::nullopt;
    }
}

std::optional<ScaledLoad> linearOf(const Expr &e, const Lets &lets)
{
    if (const auto *load = e.as<ir::BufferLoad>())
        return load->buffer.dtype().isIntegral() ? std::optional(ScaledLoad{load->buffer, 1, 0})
                                                 : std::nullopt;
    if (const auto *cast = e.as<ir::Cast>())
        return cast->value.dtype().isIntegral() ? linearOf(cast->value, lets) : std::nullopt;
    if (const ir::Var var = ir::Var::from(e)) {
        const auto value = lets.find(var);
        return value == lets.end() ? std::nullopt : linearOf(value->second, lets);
    }
    if (const auto *node = e.as<ir::Binary>())
        return linearOfSum(*node, lets);
    // Takes the plain one of two ways: `i < 0 ? i + n : i` gives indices from the front.
    const auto plainer = [&](const Expr &yes, const Expr &no) {
        auto one = linearOf(yes, lets), other = linearOf(no, lets);
        return other && (!one || ir::isConstInt(other->others, 0)) ? other : one;
    };
    if (const auto *select = e.as<ir::Select>())
        return plainer(select->trueValue, select->falseValue);
    if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse)
        return plainer(call->args[1], call->args[2]);
    const Expr plain = ir::withoutLikely(e);
    return plain.same(e) ? std::nullopt : linearOf(plain, lets);
}

/// Drops bounds near the ends of a type's range: those hold for every value.
ConstIntBound withoutTypes(ConstIntBound bound)
{
    constexpr std::int64_t beyond = std::int64_t{1} << 30;
    return {bound.min < -beyond ? ConstIntBound::negInf : bound.min,
            bound.max > beyond ? ConstIntBound::posInf : bound.max};
}

class IndexRangeFinder final : public ir::Visitor {
public:
    IndexRangeFinder(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes)
    {
        const auto give = [&](const Expr &extent) {
            ir::forEachExpr(extent, [&](const Expr &e) {
                const ir::Var var = ir::Var::from(e);
                const auto size = var ? sizes.find(var.name()) : sizes.end();
                if (size != sizes.end())
                    m_analyzer.bind(var, ir::intImm(size->second, var.dtype()));
                return true;
            });
        };
        for (const ir::Param &param : function.params) {
            if (param.buffer)
                std::ranges::for_each(param.buffer.shape(), give);
        }
        // Stores matter only once it is known that the array holds places; a few walks find that.
        for (int step = 0; step < mostSteps && m_changed; ++step) {
            m_changed = false;
            stmt(function.body);
        }
    }

    std::optional<IndexRange> of(const ir::Buffer &buffer) const
    {
        const auto found = m_ranges.find(buffer);
        return found == m_ranges.end() ? std::nullopt : std::optional(found->second);
    }

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            neighbours(loop->extent);
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        } else if (const auto *block = s.as<ir::Block>()) {
            for (const ir::IterVar &iter : block->iterVars) {
                neighbours(iter.domain.extent);
                m_analyzer.bind(iter.var, iter.domain);
            }
        } else if (const auto *let = s.as<ir::LetStmt>()) {
            m_lets[let->var] = let->value;
        } else if (const auto *store = s.as<ir::BufferStore>()) {
            access(store->buffer, store->indices);
            if (const auto range = of(store->buffer))
                bound(store->value, range->low, range->high);
        }
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            access(load->buffer, load->indices);
        else if (const auto *let = e.as<ir::Let>())
            m_lets[let->var] = let->value;
        children(e);
    }

private:
    void access(const ir::Buffer &buffer, const std::vector<Expr> &indices)
    {
        for (const auto &[index, size] : std::views::zip(indices, buffer.shape())) {
            const ConstIntBound extent = m_analyzer.constBound(size);
            if (extent.isConst())
                bound(index, 0, extent.max - 1);
        }
    }

    /// `e` stays in [low, high].
    void bound(const Expr &e, std::int64_t low, std::int64_t high)
    {
        if (e.dtype().isVector())
            return;
        const auto linear = linearOf(e, m_lets);
        if (!linear)
            return;
        const ConstIntBound others = withoutTypes(m_analyzer.constBound(linear->others));
        // A loop whose own length is loaded begins here and ends where the next one begins.
        const std::int64_t from = others.hasLower() ? low - others.min : low;
        const std::int64_t to = others.hasUpper() ? high - others.max : high;
        const std::int64_t factor = linear->factor;
        IndexRange range{ir::ceilDiv(factor > 0 ? from : to, factor),
                         ir::floorDiv(factor > 0 ? to : from, factor)};
        if (!others.isFinite() && factor == 1)
            ++range.high; // the end of the last loop
        if (range.low > range.high)
            return;
        const auto [known, isNew] = m_ranges.try_emplace(linear->buffer, range);
        const IndexRange before = known->second;
        if (std::max(before.low, range.low) <= std::min(before.high, range.high)) {
            known->second.low = std::max(before.low, range.low);
            known->second.high = std::min(before.high, range.high);
        }
        m_changed = m_changed || isNew || known->second != before;
    }

    /// `row[i + 1] - row[i]`
    void neighbours(const Expr &extent)
    {
        std::vector<ir::Buffer> loaded;
        ir::forEachExpr(extent, [&](const Expr &e) {
            if (const auto *load = e.as<ir::BufferLoad>())
                loaded.push_back(load->buffer);
            return true;
        });
        for (const auto &[first, second] : std::views::pairwise(loaded)) {
            const auto range = m_ranges.find(first);
            if (first == second && range != m_ranges.end())
                range->second.isAscending = true;
        }
    }

    arith::Analyzer m_analyzer;
    Lets m_lets;
    ir::BufferMap<IndexRange> m_ranges;
    bool m_changed = true;
};

} // namespace

std::map<std::size_t, IndexRange> indexInputs(const ir::PrimFunc &function,
                                              const std::map<std::string, std::int64_t> &sizes)
{
    const IndexRangeFinder finder(function, sizes);
    std::map<std::size_t, IndexRange> ranges;
    for (std::size_t place = 0; const ir::Param &param : function.params) {
        if (const auto range = finder.of(param.buffer))
            ranges.emplace(place, *range);
        ++place;
    }
    return ranges;
}

} // namespace nestwright::analysis
