// SPDX-License-Identifier: Apache-2.0
/// Brings expressions of loop variables into the form of iter_map.h.
#pragma once

#include "core/arith/iter_map.h"

#include <optional>

namespace nestwright::arith {

/// One detection: the iterators, the constraints of the predicate, and the first reason why it fails.
class IterMapDetector {
public:
    IterMapDetector(const Domains &domains, IterMapLevel level, Analyzer &analyzer, bool simplifyTrivial);

    /// Takes the conjunction `predicate` into account; call it before `detect`.
    void constrain(const ir::Expr &predicate);
    /// `e` as at most one split of one iterator, plus a base.
    std::optional<IterSum> detect(const ir::Expr &e);
    /// Whether the detected sums use the iterators as the level demands.
    bool check(const std::vector<IterSum> &sums);

    bool failed() const { return !m_reason.empty(); }
    const std::string &reason() const { return m_reason; }

private:
    /// A sum of iterators that the predicate bounds: it is `mark` + `lower`.
    struct Constrained {
        std::vector<IterSplit> args;
        IterMarkPtr mark;
        ir::Expr lower;
    };
    /// lower <= Σ args <= upper; a null end is open.
    struct Bound {
        std::vector<IterSplit> args;
        ir::Expr lower, upper;
        std::vector<ir::Expr> literals; ///< of the predicate, which say this
    };
    struct Use {
        IterMarkPtr mark;
        std::vector<IterSplit> splits;
    };

    std::optional<IterSum> detectAsWritten(const ir::Expr &e);
    void joinDigits(std::vector<IterSplit> &splits);
    std::optional<IterSum> rewrite(const ir::Expr &e);
    std::optional<IterSum> rewriteBinary(const ir::Binary &node);
    std::optional<IterSum> dividend(const IterSum &sum);
    std::optional<IterSum> divide(const IterSum &sum, const ir::Expr &divisor);
    std::optional<IterSum> rest(const IterSum &sum, const ir::Expr &divisor);
    /// Lower digits of the divisor taken out, so that split.scale is 1: the divisor that is left, or null.
    ir::Expr reduceScale(IterSplit &split, ir::Expr &base, const ir::Expr &divisor);
    /// One split of a fused iterator that is the sum; fails where the scales leave gaps or overlap.
    std::optional<IterSum> fuse(IterSum sum);
    std::vector<IterSplit>::iterator overlapping(std::vector<IterSplit> &splits, const ir::Expr &unit,
                                                 const ir::Expr &covered);
    void applyConstraints(IterSum &sum);
    bool collect(const ir::Expr &literal, std::vector<Bound> &bounds);
    bool collectBounds(const ir::Expr &literal, const ir::Expr &origin, std::vector<Bound> &bounds);
    void addBound(std::vector<Bound> &bounds, std::vector<IterSplit> args, const ir::Expr &origin,
                  const ir::Expr &lower, const ir::Expr &upper);
    bool applyBound(const Bound &bound);

    bool usesIterator(const ir::Expr &e) const;
    void addTo(IterSum &sum, const IterSum &other, int sign);
    void use(std::vector<Use> &uses, const IterSplit &split);
    bool checkMark(Use &usesOfMark);
    bool checkConstraints(const std::vector<Use> &done);
    std::nullopt_t fail(std::string reason);
    bool divides(const ir::Expr &a, const ir::Expr &divisor);

    Analyzer &m_analyzer;
    IterMapLevel m_level;
    ir::VarMap<IterSum> m_iters;
    std::vector<ir::Var> m_inputs; ///< the variables that count, outermost first
    std::vector<Constrained> m_constrained;
    std::vector<IterMarkPtr> m_fused;
    std::string m_reason;
};

/// Whether both are the same digits of the same iterator, whatever their scales.
bool sameDigits(const IterSplit &a, const IterSplit &b, Analyzer &analyzer);

} // namespace nestwright::arith
