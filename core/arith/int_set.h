// SPDX-License-Identifier: Apache-2.0
/// Symbolic intervals of integers, and boxes of them (regions of buffers).
#pragma once

#include "core/arith/analyzer.h"

#include <optional>
#include <span>
#include <vector>

namespace nestwright::arith {

/// A variable and the values it takes; lists of these keep the order of the loops, outermost first.
struct VarRange {
    ir::Var var;
    ir::Range range;
};
using Domains = std::vector<VarRange>;
using Region = std::vector<ir::Range>;

/// The closed interval [min, max] of integers; a null end is unbounded.
struct IntervalSet {
    ir::Expr min, max;
    bool isNothing = false;

    static IntervalSet everything() { return {}; }
    static IntervalSet nothing() { return {{}, {}, true}; }
    static IntervalSet point(const ir::Expr &e) { return {e, e, false}; }
    static IntervalSet of(const ir::Range &range);

    bool isEverything() const { return !isNothing && !min && !max; }
    bool isPoint() const { return !isNothing && min && min.same(max); }
    bool isBounded() const { return !isNothing && min && max; }
};

/// All values `e` takes while the variables in `relaxed` take theirs (an interval that holds them all).
IntervalSet evalSet(const ir::Expr &e, const ir::VarMap<IntervalSet> &relaxed, Analyzer &analyzer);
/// Smallest interval that holds both.
IntervalSet unionOf(const IntervalSet &a, const IntervalSet &b, Analyzer &analyzer);
IntervalSet intersect(const IntervalSet &a, const IntervalSet &b, Analyzer &analyzer);
/// The interval as min and extent, or nothing where it is unbounded or empty.
std::optional<ir::Range> toRange(const IntervalSet &set, Analyzer &analyzer);

/// A box that holds `region` for all values of `relaxed` (each domain may use the variables before it) under
/// `predicate` (null: always). Exact where the indices are affine in the relaxed variables; nothing where no
/// bound is known.
std::optional<Region> regionOver(const Region &region, const Domains &relaxed, Analyzer &analyzer,
                                 const ir::Expr &predicate = {});
/// The box that `region` covers exactly, without gaps, while `relaxed` vary; nothing where that is not known.
/// Conditions of `predicate` on other variables decide about all of it (`holdsAround`).
std::optional<Region> exactRegionOver(const Region &region, const Domains &relaxed, Analyzer &analyzer,
                                      const ir::Expr &predicate = {});
/// Whether the conditions of `predicate` on none of `relaxed` are known to hold.
bool holdsAround(const ir::Expr &predicate, const Domains &relaxed, Analyzer &analyzer);
/// Whether every point of `inner` is provably in `outer` (same rank).
bool covers(const Region &outer, const Region &inner, Analyzer &analyzer);
/// Smallest box that holds both (same rank).
Region unionOf(const Region &a, const Region &b, Analyzer &analyzer);
/// The box common to both; an extent of it may not be positive where they do not meet.
Region intersect(const Region &a, const Region &b, Analyzer &analyzer);

} // namespace nestwright::arith
