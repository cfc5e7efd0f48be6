// SPDX-License-Identifier: Apache-2.0
/// Sums of splits as one iterator.
#include "core/arith/iter_map/iter_map_detector.h"
#include "core/arith/same_expr.h"
#include "core/arith/simplify/common_factor.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <ranges>

namespace nestwright::arith {

using namespace ir;

namespace {

int factorCount(const Expr &e)
{
    const auto *node = e.as<Binary>();
    return node && node->op == BinaryOp::Mul ? factorCount(node->a) + factorCount(node->b) : 1;
}

bool sameSum(const IterSum &a, const IterSum &b)
{
    return sameExpr(a.base, b.base)
           && std::ranges::equal(a.args, b.args, [](const IterSplit &x, const IterSplit &y) {
                  return sameDigits(x, y) && sameExpr(x.scale, y.scale);
              });
}

} // namespace

/// The split with the least constant scale, the last of equal ones but before these one of extent 1; where no
/// scale is constant, the one with the fewest factors.
std::optional<std::size_t> IterMapDetector::leastScale(const std::vector<IterSplit> &splits,
                                                       const std::vector<bool> &used, const IterMark *source,
                                                       std::size_t end) const
{
    std::optional<std::size_t> best;
    int bestCount = 0;
    for (const bool constants : {true, false}) {
        if (best)
            break;
        for (std::size_t i = end; i-- > 0;) {
            const std::int64_t *scale = asInt(splits[i].scale);
            if (used[i] || (source && splits[i].source.get() != source) || (constants && !scale))
                continue;
            const int count = constants ? 0 : factorCount(splits[i].scale);
            const std::int64_t *least = best && constants ? asInt(splits[*best].scale) : nullptr;
            const bool isLess = constants ? least && *scale < *least : best && count < bestCount;
            const bool isUnit = least && *scale == *least && isConstInt(splits[i].extent, 1)
                                && !isConstInt(splits[*best].extent, 1);
            if (!best || isLess || isUnit) {
                best = i;
                bestCount = count;
            }
        }
    }
    return best;
}

/// The last split with this scale; one of extent 1 first, as it changes nothing.
std::optional<std::size_t> IterMapDetector::withScale(const std::vector<IterSplit> &splits,
                                                      const std::vector<bool> &used, const Expr &scale,
                                                      const IterMark *source, std::size_t end) const
{
    std::optional<std::size_t> found;
    for (std::size_t i = end; i-- > 0;) {
        if (used[i] || (source && splits[i].source.get() != source)
            || !m_analyzer.canProveEqual(splits[i].scale, scale))
            continue;
        if (isConstInt(splits[i].extent, 1))
            return i;
        if (!found)
            found = i;
    }
    return found;
}

/// The split with the greatest scale that is not above `scale`.
std::optional<IterMapDetector::Found> IterMapDetector::closestScale(const std::vector<IterSplit> &splits,
                                                                    const std::vector<bool> &used,
                                                                    const Expr &scale) const
{
    std::optional<Found> found;
    for (std::size_t i = splits.size(); i-- > 0;) {
        const Expr &own = splits[i].scale;
        if (used[i] || !m_analyzer.canProveGreaterEqual(scale - own, 0)
            || !m_analyzer.canProveGreaterEqual(own, 0))
            continue;
        if (!found || m_analyzer.canProveLess(found->scale - own, 0))
            found = Found{i, own};
    }
    return found;
}

/// Digits of one source that stand next to each other joined: (x // 4) * 4 + x % 4 = x. Nothing where no
/// source occurs twice.
std::optional<IterSum> IterMapDetector::joinedDigits(const IterSum &sum) const
{
    const auto occurrences = [&](const IterMarkPtr &mark) {
        return std::ranges::count(sum.args, mark, &IterSplit::source);
    };
    if (std::ranges::none_of(sum.args, [&](const IterSplit &split) { return occurrences(split.source) > 1; }))
        return std::nullopt;
    std::vector<bool> used(sum.args.size(), false);
    std::vector<IterSplit> joined;
    for (std::size_t end = sum.args.size(); end > 0;) {
        if (used[end - 1]) {
            --end;
            continue;
        }
        const IterSplit &last = sum.args[end - 1];
        const std::size_t first = *leastScale(sum.args, used, last.source.get(), end);
        used[first] = true;
        IterSplit low = sum.args[first];
        while (const auto next =
                   withScale(sum.args, used, normalProduct(low.extent, low.scale), low.source.get(), end)) {
            const IterSplit &high = sum.args[*next];
            if (!m_analyzer.canProveEqual(high.lowerFactor, normalProduct(low.lowerFactor, low.extent)))
                break;
            used[*next] = true;
            low.extent = normalProduct(high.extent, low.extent);
        }
        joined.push_back(low);
    }
    std::ranges::reverse(joined);
    return IterSum{std::move(joined), sum.base};
}

/// The longest constrained sum whose lowest digits are `split`.
const IterMapDetector::Fused *IterMapDetector::constraintFrom(const IterSplit &split) const
{
    const Fused *longest = nullptr;
    for (const std::size_t index : m_constrained) {
        const Fused &fused = m_fused[index];
        if (sameDigits(split, fused.flat.args.back())
            && (!longest || longest->flat.args.size() < fused.flat.args.size()))
            longest = &fused;
    }
    return longest;
}

std::optional<IterMapDetector::Fusion> IterMapDetector::fuse(IterSum sum, bool wrap)
{
    if (auto joined = joinedDigits(sum))
        sum = std::move(*joined);
    if (!wrap && sum.args.size() == 1 && !constraintFrom(sum.args.front()))
        return Fusion{std::move(sum)};
    const std::vector<IterSplit> &args = sum.args;
    const DataType dtype = sum.base.dtype();
    std::vector<bool> used(args.size(), false);
    const auto base = leastScale(args, used, nullptr, args.size());
    if (!base)
        return std::nullopt;
    const Expr unit = args[*base].scale;
    if (isConstInt(unit, 0))
        return std::nullopt;
    std::vector<IterSplit> flat, grouped; // innermost first
    Expr offset = intImm(0, dtype), tail = intImm(0, dtype), expected = unit;
    for (std::size_t taken = 0; taken < args.size();) {
        auto position = taken == 0 ? base : withScale(args, used, expected, nullptr, args.size());
        Expr scale = expected;
        if (!position && m_level != IterMapLevel::Bijective && isConstInt(unit, 1)) {
            if (const auto closest = closestScale(args, used, expected)) {
                position = closest->position;
                scale = closest->scale;
                tail = tail + (expected - scale);
            }
        }
        if (!position)
            return std::nullopt;
        const Fused *constraint = constraintFrom(args[*position]);
        if (!constraint) {
            used[*position] = true;
            IterSplit split = args[*position];
            split.scale = m_analyzer.simplify(floorDiv(split.scale, unit));
            flat.push_back(split);
            grouped.push_back(split);
            expected = normalProduct(split.extent, scale);
            ++taken;
            continue;
        }
        const std::vector<IterSplit> &tied = constraint->flat.args;
        for (const IterSplit &part : std::views::reverse(tied)) {
            std::size_t k = 0;
            while (k < args.size()
                   && (used[k] || !sameDigits(args[k], part)
                       || !m_analyzer.canProveEqual(part.scale * scale, args[k].scale)))
                ++k;
            if (k == args.size())
                return std::nullopt;
            used[k] = true;
            flat.push_back(args[k]);
        }
        const IterMarkPtr &mark = constraint->mark;
        grouped.push_back({mark, intImm(1, dtype), mark->extent, floorDiv(scale, unit)});
        offset = offset + constraint->offset * scale;
        expected = normalProduct(mark->extent, scale);
        taken += tied.size();
    }
    std::ranges::reverse(flat);
    std::ranges::reverse(grouped);
    const IterSum flatSum{std::move(flat), intImm(0, dtype)};
    const auto known =
        std::ranges::find_if(m_fused, [&](const Fused &entry) { return sameSum(entry.flat, flatSum); });
    const auto index = static_cast<std::size_t>(known - m_fused.begin());
    if (known == m_fused.end()) {
        const Expr extent = truncDiv(expected, unit) + tail;
        const IterMark mark{{}, {}, IterSum{std::move(grouped), intImm(0, dtype)}, extent};
        m_fused.push_back({flatSum, std::make_shared<const IterMark>(mark), offset});
    } else if (!m_analyzer.canProveEqual(offset, known->offset * unit)) {
        return std::nullopt;
    }
    const IterMarkPtr &mark = m_fused[index].mark;
    return Fusion{IterSum{{{mark, intImm(1, dtype), mark->extent, unit}}, sum.base + offset}, index, true};
}

IterSum IterMapDetector::normalSum(const Expr &e)
{
    Value value = rewrite(e);
    auto *found = std::get_if<IterSum>(&value);
    if (!found)
        return {{}, std::get<Expr>(value)};
    IterSum sum = std::move(*found);
    if (auto joined = joinedDigits(sum))
        sum = std::move(*joined);
    struct Rank {
        std::int64_t factor = 1;
        int symbols = 0;
    };
    const auto rankOf = [](const IterSplit &split) {
        const std::int64_t *constant = asInt(split.scale);
        const auto *product = split.scale.as<Binary>();
        const std::int64_t *factor = product && product->op == BinaryOp::Mul ? asInt(product->b) : nullptr;
        if (constant)
            return Rank{*constant, 0};
        return factor ? Rank{*factor, factorCount(product->a)} : Rank{1, factorCount(split.scale)};
    };
    for (IterSplit &split : sum.args)
        split.scale = normalProduct(intImm(1, split.scale.dtype()), split.scale);
    std::ranges::stable_sort(sum.args, [&](const IterSplit &a, const IterSplit &b) {
        const Rank x = rankOf(a), y = rankOf(b);
        return x.factor != y.factor ? x.factor > y.factor : x.symbols > y.symbols;
    });
    return sum;
}

} // namespace nestwright::arith
