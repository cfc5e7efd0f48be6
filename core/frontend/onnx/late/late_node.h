// SPDX-License-Identifier: Apache-2.0
/// One node of an ONNX model while it is imported, where sizes of its inputs are known only when the model
/// runs.
#pragma once

#include "core/frontend/onnx/late/late_sizes.h"
#include "core/frontend/onnx/node_import.h"

namespace nestwright::graph::onnx {

/// A whole number: known, or a tensor without dimensions that lies between two known ones.
struct LateNumber {
    std::int64_t low = 0, high = 0;
    Value value; ///< none where it is known

    bool isKnown() const { return !value; }
};

class LateNode {
public:
    using Axes = LateSizes::Axes;

    LateNode(NodeImport &node, const ImportRow &row, LateSizes &sizes)
        : node(node)
        , m_row(row)
        , m_sizes(sizes)
    {
    }

    NodeImport &node;

    /// The node as it is imported where all sizes are known; with other inputs in the places that are named,
    /// also behind its own.
    Values plain() const { return m_row.import(node); }
    Values with(const std::map<std::size_t, Value> &others) const;

    const Axes &axes(std::size_t i = 0) const;
    const Axes &axesOf(Value value) const { return m_sizes.of(value); }
    void set(Value result, Axes axes) { m_sizes.set(result, std::move(axes)); }
    /// Results with these late axes.
    Values give(Values results, const Axes &axes);

    /// The size of an axis of a tensor, which throws where it has none; the elements of a list of whole
    /// numbers.
    LateNumber size(Value tensor, std::int64_t axis) const;
    std::vector<LateNumber> list(std::size_t i);
    /// The only one of the list. Throws "onnx.value".
    LateNumber number(std::size_t i);
    /// The number as a tensor without dimensions.
    Value valueOf(const LateNumber &number);
    /// Adds the axis where its size is not known.
    void put(Axes &axes, std::int64_t axis, const LateNumber &size);
    LateNumber sum(const LateNumber &a, const LateNumber &b);
    LateNumber difference(const LateNumber &a, const LateNumber &b);
    /// For numbers that are not negative.
    LateNumber product(const LateNumber &a, const LateNumber &b);
    LateNumber quotient(const LateNumber &a, std::int64_t b);
    LateNumber smaller(const LateNumber &a, const LateNumber &b);
    LateNumber larger(const LateNumber &a, const LateNumber &b);
    /// A late size, or `other` where it turns out to be 1.
    LateNumber unlessOne(const LateNumber &size, const LateNumber &other);
    /// One of two, by a truth value.
    LateNumber choice(Value condition, const LateNumber &a, const LateNumber &b);

    /// 0, 1, 2, … along `axis` of a tensor of so many dimensions.
    Value counting(std::int64_t size, std::int64_t axis, std::int64_t rank);
    /// The tensor with `fill` in the place of what does not count.
    Value masked(Value x, const Axes &axes, double fill);
    /// The indices, negative ones counted from the end of an axis of this size.
    Value fromFront(Value indices, const LateNumber &size);
    /// Tuples of indices of the axes from `first` on of a tensor, in the same way.
    Value tuplesFromFront(Value indices, Value tensor, std::int64_t first);
    /// Numbers side by side, as int64; and with their bounds, as a result.
    Value vector(const std::vector<LateNumber> &numbers);
    Value boundedVector(const std::vector<LateNumber> &numbers);
    Value boundedNumber(const LateNumber &number);
    /// The first `most` elements along an axis.
    Value firstAlong(Value x, std::int64_t axis, std::int64_t most);
    /// The size that tensors have in common, along an axis of each, when the model runs. Those that may be
    /// larger are cut to it. Throws where known sizes differ.
    LateNumber common(std::span<const std::pair<Value *, std::int64_t>> tensors);
    /// The size that tensors have by broadcasting, along an axis of each: those whose late size may turn out
    /// to be 1 are repeated.
    LateNumber broadcast(std::span<const std::pair<Value *, std::int64_t>> tensors);
    /// The tensor as it is repeated along an axis to `size`, where its own late size may turn out to be 1.
    Value repeated(Value x, std::int64_t axis, const LateNumber &size);
    /// Throws where an axis of the input has a late size and is none of `others`.
    void requireKnown(std::size_t i, std::initializer_list<std::int64_t> others = {}) const;
    /// Late axes of `x` as they stand in `reshaped`, which has the same elements; nothing where elements that
    /// count would no longer stand side by side.
    std::optional<Axes> afterReshape(Value x, Value reshaped);

    /// Sets bounds of the result where those of the inputs give them.
    void boundResult(Value result);

private:
    /// Bounds of an input, which may be known; nothing where it has none.
    std::optional<LateSizes::Bounds> boundsOf(std::size_t i);
    std::optional<LateSizes::Bounds> grownBounds();
    std::optional<LateSizes::Bounds> equalBounds();
    std::optional<LateSizes::Bounds> choiceBounds();
    Value counted(Value indices, Value sizes);
    LateNumber combined(std::string_view op, const LateNumber &a, const LateNumber &b, std::int64_t low,
                        std::int64_t high);

    const ImportRow &m_row;
    LateSizes &m_sizes;
};

/// Imports the operator for inputs with sizes that are known only at run time. Errors: "onnx.unsupported"
/// where that is not possible.
Values importLate(NodeImport &node, const ImportRow &row, LateSizes &sizes);

/// How one operator is imported then: rows of moves.cpp and the other files of this room.
struct LateRow {
    std::string_view op;
    Values (*import)(LateNode &node);
};

std::span<const LateRow> lateMoves();
std::span<const LateRow> lateSelections();
std::span<const LateRow> lateComputations();
std::span<const LateRow> lateExtensions();
std::span<const LateRow> lateLayers();
std::span<const LateRow> lateProducts();
std::span<const LateRow> lateReshapes();
std::span<const LateRow> lateResizes();

} // namespace nestwright::graph::onnx
