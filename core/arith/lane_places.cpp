// SPDX-License-Identifier: Apache-2.0
#include "core/arith/lane_places.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"

#include <algorithm>

namespace nestwright::arith {

namespace {

using ir::BinaryOp;
using Offsets = std::vector<std::int64_t>;

/// The constant that all lanes have.
std::optional<std::int64_t> sameConstant(const LanePlaces &lanes)
{
    const std::int64_t *base = ir::asInt(lanes.base);
    if (!base || std::ranges::any_of(lanes.offsets, [](std::int64_t offset) { return offset != 0; }))
        return std::nullopt;
    return *base;
}

/// `operation` in each lane, from constants to a constant.
template <class Operation>
std::optional<LanePlaces> laneByLane(const LanePlaces &a, std::int64_t b, const Operation &operation)
{
    const std::int64_t *base = ir::asInt(a.base);
    if (!base)
        return std::nullopt;
    LanePlaces made{ir::intImm(0, a.base.dtype()), a.offsets};
    for (std::int64_t &offset : made.offsets)
        offset = operation(*base + offset, b);
    return made;
}

std::optional<LanePlaces> sum(const LanePlaces &a, const LanePlaces &b, std::int64_t sign)
{
    LanePlaces made{sign > 0 ? a.base + b.base : a.base - b.base, a.offsets};
    for (std::size_t i = 0; i < made.offsets.size(); ++i)
        made.offsets[i] += sign * b.offsets[i];
    return made;
}

LanePlaces product(const LanePlaces &a, std::int64_t factor)
{
    LanePlaces made{a.base * ir::intImm(factor, a.base.dtype()), a.offsets};
    for (std::int64_t &offset : made.offsets)
        offset *= factor;
    return made;
}

std::optional<LanePlaces> placesOf(const ir::Binary &node)
{
    const auto a = lanePlaces(node.a), b = lanePlaces(node.b);
    if (!a || !b)
        return std::nullopt;
    if (node.op == BinaryOp::Add || node.op == BinaryOp::Sub)
        return sum(*a, *b, node.op == BinaryOp::Add ? 1 : -1);
    const auto factor = sameConstant(*b);
    if (node.op == BinaryOp::Mul) {
        if (factor)
            return product(*a, *factor);
        const auto first = sameConstant(*a);
        return first ? std::optional(product(*b, *first)) : std::nullopt;
    }
    if (!factor || *factor == 0)
        return std::nullopt;
    switch (node.op) {
    case BinaryOp::FloorDiv:
        return laneByLane(*a, *factor, [](auto x, auto y) { return ir::floorDiv(x, y); });
    case BinaryOp::FloorMod:
        return laneByLane(*a, *factor, [](auto x, auto y) { return ir::floorMod(x, y); });
    default: return std::nullopt;
    }
}

} // namespace

std::optional<LanePlaces> lanePlaces(const ir::Expr &index)
{
    const auto lanes = static_cast<std::size_t>(index.dtype().lanes);
    if (const auto *same = index.as<ir::Broadcast>())
        return LanePlaces{same->value, Offsets(lanes)};
    if (const auto *steps = index.as<ir::Ramp>()) {
        const std::int64_t *stride = ir::asInt(steps->stride);
        if (!stride)
            return std::nullopt;
        LanePlaces made{steps->base, Offsets(lanes)};
        for (std::size_t i = 0; i < lanes; ++i)
            made.offsets[i] = static_cast<std::int64_t>(i) * *stride;
        return made;
    }
    const auto *node = index.as<ir::Binary>();
    return node && lanes > 1 ? placesOf(*node) : std::nullopt;
}

std::optional<LaneGroup> laneGroup(const ir::Expr &index)
{
    const auto places = lanePlaces(index);
    if (!places)
        return std::nullopt;
    const auto lanes = static_cast<std::int64_t>(index.dtype().lanes);
    const ModularSet set = Analyzer().modularSet(places->base);
    if (set.coeff % lanes != 0)
        return std::nullopt;
    const std::int64_t rest = ir::floorMod(set.base, lanes); // of the base, behind the begin of a group
    const std::int64_t begin = ir::floorDiv(rest + std::ranges::min(places->offsets), lanes) * lanes;
    if (rest + std::ranges::max(places->offsets) >= begin + lanes)
        return std::nullopt;
    LaneGroup group{places->base + ir::intImm(begin - rest, places->base.dtype()), {}};
    for (const std::int64_t offset : places->offsets)
        group.places.push_back(static_cast<int>(rest + offset - begin));
    return group;
}

} // namespace nestwright::arith
