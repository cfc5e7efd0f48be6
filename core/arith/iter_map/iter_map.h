// SPDX-License-Identifier: Apache-2.0
/// Detection of quasi-affine maps from loop variables to indices, and their normal form.
///
/// The form (splits of marked iterators, sums of scaled splits) and the notion of bijective maps follow the
/// iterator-map analysis of TensorIR (Feng et al., "TensorIR: An Abstraction for Automatic Tensorized Program
/// Optimization", 2023).
#pragma once

#include "core/arith/int_set.h"
#include "core/support/errors/result.h"

#include <memory>
#include <vector>

namespace nestwright::arith {

struct IterMark;
using IterMarkPtr = std::shared_ptr<const IterMark>;

/// (source // lowerFactor) % extent * scale
struct IterSplit {
    IterMarkPtr source;
    ir::Expr lowerFactor; ///< divides the source; 1 for the innermost part
    ir::Expr extent;      ///< number of values
    ir::Expr scale;
};

/// Sum of the splits, plus `base`.
struct IterSum {
    std::vector<IterSplit> args;
    ir::Expr base;
};

/// An iterator over [0, extent): a loop variable less its first value, or a fused sum of splits.
struct IterMark {
    ir::Var var;    ///< null when the mark is a fused sum
    ir::Expr start; ///< first value of `var`
    IterSum sum;    ///< used where `var` is null
    ir::Expr extent;
};

/// How strict the detection is.
enum class IterMapLevel {
    NoCheck,    ///< no digits of an iterator are used twice
    Surjective, ///< and each index covers its range, independently of the others, even where an iterator is
                ///< padded
    Bijective,  ///< and every iterator is used completely: one point of the loops per point of the indices
};

struct IterMap {
    std::vector<IterSum> indices; ///< one per binding
    /// Condition for an iterator being beyond its extent, which happens where a divisor does not divide the
    /// extent; false where none is padded.
    ir::Expr paddingPredicate;
};

/// The normal form of `bindings` over the loops `domains` (outermost first) where `predicate` (null: always)
/// holds; each has at most one split. Fails with "arith.not-affine" naming the binding or the rule that is
/// broken. Facts of `analyzer` about symbols in the extents are used; the loops need not be bound.
support::Result<IterMap> detectIterMap(std::span<const ir::Expr> bindings, const Domains &domains,
                                       const ir::Expr &predicate, IterMapLevel level, Analyzer &analyzer,
                                       bool simplifyTrivialIterators = true);

/// `e` as a sum of scaled splits, by descending constant factor of the scale; terms that are no iterators are
/// in the base. Nothing is checked.
IterSum normalizeToIterSum(const ir::Expr &e, const Domains &domains, Analyzer &analyzer);

/// Whether `e` has values that its type does not hold; false where a variable is of no domain of constants.
bool leavesType(const ir::Expr &e, const Domains &domains);

/// Each expression as its iterator map says it where all have one, else as it is.
std::vector<ir::Expr> iterMapSimplify(std::span<const ir::Expr> exprs, const Domains &domains,
                                      const ir::Expr &predicate, IterMapLevel level, Analyzer &analyzer,
                                      bool simplifyTrivialIterators = true);

/// The expression that a normal form stands for.
ir::Expr toExpr(const IterSum &sum);
ir::Expr toExpr(const IterSplit &split);

} // namespace nestwright::arith
