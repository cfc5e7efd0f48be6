// SPDX-License-Identifier: Apache-2.0
/// A graph that grows call by call, by the operators of one family or another.
#pragma once

#include "core/graph/builder.h"
#include "tests/support/random.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::tests {

class GraphGenerator {
public:
    GraphGenerator(Random &random, bool mayBeEmpty) : m_random(random), m_mayBeEmpty(mayBeEmpty) {}

    graph::Function graph(int size);

private:
    using Ints = graph::Ints;
    using Names = std::vector<std::string>;
    using Value = graph::Value;

    struct Known {
        Value value;
        double bound; ///< of magnitudes
        bool exact;   ///< the same however it is computed
    };

    Ints shapeOf(Value v) const { return *m_builder.typeOf(v).constantShape(); }
    ir::DataType dtypeOf(Value v) const { return m_builder.typeOf(v).dtype; }
    std::int64_t rankOf(Value v) const { return m_builder.rankOf(v); }

    void add(Value value, double bound, bool exact);
    Ints anyShape();
    Ints fullShape();
    Value data(const Ints &shape, ir::DataType type = ir::DataType::float32());
    Value positive(const Ints &shape);

    /// A known value for which `fits` holds; nothing after some tries.
    template <class Fits> std::optional<Known> some(const Fits &fits)
    {
        for (int tries = 0; tries < 20; ++tries) {
            // Rather a late one, so that graphs are deep.
            const auto count = static_cast<std::int64_t>(m_all.size());
            const std::int64_t at = m_random.chance(60)
                                        ? std::max<std::int64_t>(0, count - 1 - m_random.below(3))
                                        : m_random.below(count);
            const Known &known = m_all[static_cast<std::size_t>(at)];
            if (fits(known.value))
                return known;
        }
        return std::nullopt;
    }
    std::optional<Known> real(std::int64_t leastRank = 0);
    std::optional<Known> image();
    std::optional<Known> any(std::int64_t leastRank = 0);
    /// A value or a constant that can be broadcast with `x`.
    std::optional<Known> partner(const Known &x);
    bool isExact(Value v) const;

    void grow();

    // Of one element at a time.
    void unary();
    void binary();
    void integers();
    void condition();
    void convert();

    // Moving elements.
    void reshape();
    void transpose();
    void slice();
    void concatenate();
    /// More elements: repeated, with a border, or broadcast.
    void spread();
    void pick();
    /// Channels of groups exchanged.
    void shuffle();

    // Over many elements.
    void reduction();
    void normalize();
    void layerNorm();
    void product();
    void dense();
    void attention();
    void convolution();
    void pool();
    void batchNorm();
    /// Several convolutions or products of one value, which may be combined.
    void parallel();

    Random &m_random;
    bool m_mayBeEmpty;
    graph::Builder m_builder;
    std::vector<Known> m_all;
};

} // namespace nestwright::tests
