// SPDX-License-Identifier: Apache-2.0
/// Brings expressions of loop variables into the form of iter_map.h.
///
/// The steps and their order are those of TensorIR's iterator-map analysis in TVM, which decide how a fused
/// iterator is put together and where one is padded.
#pragma once

#include "core/arith/iter_map/iter_map.h"

#include <optional>
#include <variant>

namespace nestwright::arith {

/// lower <= iter < upper; a null end is open.
struct IterConstraint {
    ir::Expr iter, lower, upper;
};

/// The bounds that the conjunction `predicate` puts on sums of the loops, smallest expressions first; a bound
/// of one variable narrows its range in `domains` instead. Nothing when a part of it is no such bound.
std::optional<std::vector<IterConstraint>> boundConstraints(const ir::Expr &predicate, Domains &domains);
/// Takes the constraints of one loop beside loops of one iteration into the range of that loop, too.
void foldIntoRanges(std::vector<IterConstraint> &constraints, Domains &domains);

/// detectIterMap where every bound of several loops makes an iterator of its own. With `absorbs`, one of a
/// loop beside loops of one iteration becomes the range of that loop.
support::Result<IterMap> detectWithConstraints(std::span<const ir::Expr> bindings, const Domains &domains,
                                               const ir::Expr &predicate, IterMapLevel level,
                                               Analyzer &analyzer, bool simplifyTrivialIterators,
                                               bool absorbs = false);

/// One detection: the iterators, the constraints of the predicate, and the first reason why it fails.
class IterMapDetector {
public:
    IterMapDetector(const Domains &domains, IterMapLevel level, Analyzer &analyzer, bool simplifyTrivial);

    /// Makes the constrained sum an iterator of its own; smaller ones before those that contain them.
    void constrain(const IterConstraint &constraint);
    /// Whether constrained sums contain each other, or share nothing.
    bool constraintsNest() const;
    /// `e` as at most one split of one iterator, plus a base. While `mayPad`, iterators may be taken to go on
    /// beyond their extent; `needsPadding` then says that all have to be detected a second time.
    std::optional<IterSum> detect(const ir::Expr &e, bool mayPad);
    bool needsPadding() const { return m_needsPadding; }
    /// Condition for a padded iterator being beyond its extent.
    ir::Expr paddingPredicate() const { return m_paddingPredicate; }
    /// `e` as a sum of splits, those of one source joined, by descending constant scale; terms that are no
    /// iterators are in the base.
    IterSum normalSum(const ir::Expr &e);
    /// Whether the detected sums use the iterators as the level demands.
    bool check(const std::vector<IterSum> &sums);

    bool failed() const { return !m_reason.empty(); }
    const std::string &reason() const { return m_reason; }

private:
    using Value = std::variant<ir::Expr, IterSum>;

    /// A sum that is one iterator: `flat` has the splits of its innermost sums, `mark` + `offset` is its
    /// value.
    struct Fused {
        IterSum flat;
        IterMarkPtr mark;
        ir::Expr offset;
    };
    struct Fusion {
        IterSum sum;
        std::size_t fused = 0; ///< index into m_fused
        bool isFused = false;
    };
    struct Padding {
        IterMarkPtr mark;
        ir::Expr factor, left, right;
        IterMarkPtr padded; ///< null until it is first used
    };
    struct Padded {
        IterSplit split;
        ir::Expr left;
    };
    struct Use {
        IterMarkPtr mark;
        std::vector<IterSplit> splits;
    };
    struct Found {
        std::size_t position = 0;
        ir::Expr scale;
    };

    Value rewrite(const ir::Expr &e);
    Value rewriteBinary(const ir::Binary &node, const ir::Expr &original);
    Value quotient(const ir::Binary &node, const ir::Expr &original, Value a, const Value &b);
    std::optional<IterSum> divide(IterSplit split, ir::Expr base, ir::Expr divisor);
    std::optional<Value> remainder(const IterSplit &split, ir::Expr base, ir::Expr divisor);
    std::optional<IterSum> dividend(const IterSum &sum);
    /// Whether the split has all values of its iterator above its lower factor, so that nothing is cut off.
    bool isTopmost(const IterSplit &split) const;
    /// The split, or where its upper digits are cut off, and not at a multiple of the divisor, all digits of
    /// an iterator of its own.
    IterSplit withoutCut(const IterSplit &split, const ir::Expr &base, const ir::Expr &divisor);
    std::optional<Padded> pad(const IterSplit &split, const ir::Expr &base, const ir::Expr &divisor);
    std::optional<Padded> padFirst(const IterSplit &split, const ir::Expr &left, const ir::Expr &right,
                                   const ir::Expr &divisor);
    bool makePadded(Padding &padding);

    /// One split of a fused iterator that is the sum; `wrap` makes an iterator even of a single split.
    std::optional<Fusion> fuse(IterSum sum, bool wrap);
    std::optional<IterSum> joinedDigits(const IterSum &sum) const;
    const Fused *constraintFrom(const IterSplit &split) const;
    std::optional<std::size_t> leastScale(const std::vector<IterSplit> &splits, const std::vector<bool> &used,
                                          const IterMark *source, std::size_t end) const;
    std::optional<std::size_t> withScale(const std::vector<IterSplit> &splits, const std::vector<bool> &used,
                                         const ir::Expr &scale, const IterMark *source,
                                         std::size_t end) const;
    std::optional<Found> closestScale(const std::vector<IterSplit> &splits, const std::vector<bool> &used,
                                      const ir::Expr &scale) const;

    bool usesIterator(const ir::Expr &e) const;
    void use(std::vector<Use> &uses, const IterSum &sum) const;
    bool checkMark(const Use &uses);
    bool constraintsCount(const std::vector<Use> &uses);
    std::nullopt_t fail(std::string reason);
    bool divides(const ir::Expr &a, const ir::Expr &divisor) const;

    Analyzer &m_analyzer;
    IterMapLevel m_level;
    ir::VarMap<IterSum> m_iters;
    std::vector<IterMarkPtr> m_inputs;
    std::vector<Fused> m_fused;
    std::vector<std::size_t> m_constrained; ///< indices into m_fused, in the order of their constraints
    std::vector<Padding> m_paddings;
    std::vector<IterMarkPtr> m_parts; ///< each of one split, whose upper digits are cut off
    bool m_mayPad = false, m_needsPadding = false;
    ir::Expr m_paddingPredicate;
    std::string m_reason;
};

/// Whether both are the same digits of the same iterator, whatever their scales.
bool sameDigits(const IterSplit &a, const IterSplit &b);
/// Adds the terms of `other`; equal digits join.
void addTo(IterSum &sum, const IterSum &other, int sign);

} // namespace nestwright::arith
