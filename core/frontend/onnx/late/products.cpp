// SPDX-License-Identifier: Apache-2.0
/// Products of matrices and tensors whose sizes are known only at run time.
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/standard/einsum_equation.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

/// Tensors of a product, by labels of their axes: those of one label have one size, or are repeated.
class Product {
public:
    /// `repeated`: the labels of axes that are repeated where they turn out to be 1.
    Product(LateNode &late, Values tensors, std::vector<std::string> labels, std::string_view repeated)
        : m_late(late)
        , m_tensors(std::move(tensors))
        , m_labels(std::move(labels))
        , m_repeated(repeated)
    {
        for (const std::string &all : m_labels) {
            for (const char label : all) {
                if (!m_sizes.contains(label))
                    m_sizes.emplace(label, sharedSize(label));
            }
        }
    }

    /// The tensors with 0 where elements that do not count would be summed up.
    Values masked(const std::string &result) const
    {
        Values tensors = m_tensors;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            Axes summed;
            for (std::size_t axis = 0; axis < m_labels[i].size(); ++axis) {
                const char label = m_labels[i][axis];
                if (result.find(label) == std::string::npos && !isRepeated(i, axis))
                    m_late.put(summed, static_cast<std::int64_t>(axis), m_sizes.at(label));
            }
            tensors[i] = m_late.masked(tensors[i], summed, 0);
        }
        return tensors;
    }

    Axes axesOf(const std::string &result) const
    {
        Axes axes;
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (const auto size = m_sizes.find(result[i]); size != m_sizes.end())
                m_late.put(axes, static_cast<std::int64_t>(i), size->second);
        }
        return axes;
    }

private:
    bool isRepeated(std::size_t i, std::size_t axis) const
    {
        const LateNumber size = m_late.size(m_tensors[i], static_cast<std::int64_t>(axis));
        return size.isKnown() && size.low == 1;
    }

    /// Cuts the tensors to it, or repeats them.
    LateNumber sharedSize(char label)
    {
        std::vector<std::pair<Value *, std::int64_t>> places;
        for (std::size_t i = 0; i < m_tensors.size(); ++i) {
            for (std::size_t axis = 0; axis < m_labels[i].size(); ++axis) {
                if (m_labels[i][axis] == label && !isRepeated(i, axis))
                    places.emplace_back(&m_tensors[i], static_cast<std::int64_t>(axis));
            }
        }
        if (places.empty())
            return {1, 1, {}};
        return m_repeated.contains(label) ? m_late.broadcast(places) : m_late.common(places);
    }

    LateNode &m_late;
    Values m_tensors;
    std::vector<std::string> m_labels;
    std::string m_repeated;
    std::map<char, LateNumber> m_sizes;
};

Values contracted(LateNode &late, const std::vector<std::string> &labels, const std::string &result,
                  std::string_view repeated)
{
    Values tensors;
    for (std::size_t i = 0; i < labels.size(); ++i)
        tensors.push_back(late.node.input(i));
    const Product product(late, tensors, labels, repeated);
    tensors = product.masked(result);
    std::map<std::size_t, Value> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        inputs[i] = tensors[i];
    return late.give(late.with(inputs), product.axesOf(result));
}

Values einsum(LateNode &late)
{
    const EinsumEquation equation(late.node);
    return contracted(late, equation.inputs, equation.result,
                      std::accumulate(equation.inputs.begin(), equation.inputs.end(), std::string()));
}

/// Labels of the batch, the last one first.
std::string batchLabels(std::int64_t rank)
{
    std::string labels;
    for (std::int64_t i = rank - 2; i-- > 0;)
        labels += static_cast<char>('0' + i);
    return labels;
}

Values matMul(LateNode &late)
{
    const std::int64_t left = late.node.rank(0), right = late.node.rank(1);
    if (left == 0 || right == 0)
        return late.plain(); // which tells what is wrong
    const std::string a = left == 1 ? "k" : batchLabels(left) + "ik",
                      b = right == 1 ? "k" : batchLabels(right) + "kj";
    return contracted(late, {a, b},
                      batchLabels(std::max(left, right)) + (left > 1 ? "i" : "") + (right > 1 ? "j" : ""),
                      batchLabels(std::max(left, right)));
}

/// The third input, which is added, has the sizes of the result or is repeated.
Values gemm(LateNode &late)
{
    NodeImport &node = late.node;
    const std::string a = node.integer("transA", 0) != 0 ? "ki" : "ik",
                      b = node.integer("transB", 0) != 0 ? "jk" : "kj";
    if (node.has(2) && node.rank(2) > 2)
        return late.plain();
    const std::string added =
        node.has(2) ? std::string("ij").substr(static_cast<std::size_t>(2 - node.rank(2))) : std::string();
    return contracted(late, node.has(2) ? std::vector{a, b, added} : std::vector{a, b}, "ij", added);
}

constexpr LateRow productRows[] = {
    {"Einsum", &einsum},
    {"Gemm", &gemm},
    {"MatMul", &matMul},
};

} // namespace

std::span<const LateRow> lateProducts() { return productRows; }

} // namespace nestwright::graph::onnx
