// SPDX-License-Identifier: Apache-2.0
/// Einsum of ONNX: two inputs at a time, products of matrices where they are that.
#include "core/graph/onnx/node_import.h"
#include "core/ops/shapes.h"

#include <algorithm>
#include <format>
#include <map>
#include <set>

namespace nestwright::graph::onnx {

namespace {

/// The equation with a label for every dimension: an ellipsis stands for the dimensions without labels of its
/// input.
class Equation {
public:
    explicit Equation(NodeImport &node)
    {
        std::string text = node.text("equation", "");
        std::erase(text, ' ');
        const std::size_t arrow = text.find("->");
        std::string left = text.substr(0, arrow) + ',';
        for (std::size_t begin = 0, i = 0; begin < left.size(); ++i) {
            const std::size_t end = left.find(',', begin);
            if (i >= node.inputCount())
                node.unsupported(
                    std::format("the equation \"{}\" has more terms than there are inputs", text));
            inputs.push_back(labelled(node, left.substr(begin, end - begin), node.rank(i)));
            begin = end + 1;
        }
        if (inputs.size() != node.inputCount())
            node.unsupported(std::format("the equation \"{}\" has fewer terms than there are inputs", text));
        result = arrow == std::string::npos ? implied() : labelled(node, text.substr(arrow + 2), m_dots);
    }

    std::vector<std::string> inputs;
    std::string result;

private:
    /// `rank` of the result: how many dimensions its ellipsis stands for.
    std::string labelled(NodeImport &node, const std::string &term, std::int64_t rank)
    {
        std::string labels;
        const bool isResult = inputs.size() == node.inputCount();
        for (std::size_t i = 0; i < term.size(); ++i) {
            const char c = term[i];
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
                labels += c;
                continue;
            }
            if (term.substr(i, 3) != "...")
                node.unsupported(std::format("the term \"{}\" is no list of letters", term));
            const std::int64_t count = isResult ? rank : rank - static_cast<std::int64_t>(term.size()) + 3;
            if (count < 0 || count > 10)
                node.unsupported(
                    std::format("the term \"{}\" has more labels than there are dimensions", term));
            m_dots = std::max(m_dots, count);
            for (std::int64_t k = count; k > 0; --k)
                labels +=
                    static_cast<char>('0' + k - 1); // counted from the last one, with which they are aligned
            i += 2;
        }
        if (!isResult && static_cast<std::int64_t>(labels.size()) != rank)
            node.unsupported(std::format("the term \"{}\" has {} labels, its input {} dimensions", term,
                                         labels.size(), rank));
        return labels;
    }

    /// The ellipsis, then all labels that are there once.
    std::string implied() const
    {
        std::map<char, int> counts;
        for (const std::string &labels : inputs) {
            for (const char label : labels)
                ++counts[label];
        }
        std::string labels;
        for (std::int64_t k = m_dots; k > 0; --k)
            labels += static_cast<char>('0' + k - 1);
        for (const auto &[label, count] : counts) {
            if (count == 1 && (label < '0' || label > '9'))
                labels += label;
        }
        return labels;
    }

    std::int64_t m_dots = 0;
};

/// Whether "…ik,…kj->…ij", where either matrix may be turned about; then which ones are.
std::optional<std::pair<bool, bool>> asMatrices(const std::string &a, const std::string &b,
                                                const std::string &c)
{
    const std::size_t rank = c.size();
    if (rank < 2 || a.size() != rank || b.size() != rank || std::set(c.begin(), c.end()).size() != rank)
        return std::nullopt;
    const std::string batch = c.substr(0, rank - 2);
    if (a.substr(0, rank - 2) != batch || b.substr(0, rank - 2) != batch)
        return std::nullopt;
    const char i = c[rank - 2], j = c[rank - 1];
    const bool turnedA = a[rank - 1] == i, turnedB = b[rank - 2] == j;
    const char k = a[rank - (turnedA ? 2 : 1)];
    if (a[rank - (turnedA ? 1 : 2)] != i || b[rank - (turnedB ? 2 : 1)] != j
        || b[rank - (turnedB ? 1 : 2)] != k || c.find(k) != std::string::npos)
        return std::nullopt;
    return std::pair(turnedA, turnedB);
}

Value contracted(NodeImport &node, const Values &inputs, const std::vector<std::string> &labels,
                 const std::string &result)
{
    if (inputs.size() == 2) {
        const auto turned = asMatrices(labels[0], labels[1], result);
        const std::size_t rank = result.size();
        // A size of 1 would be repeated.
        const auto sum = [&](std::size_t n, bool swapped) {
            return node.typeOf(inputs[n]).shape[rank - ((n == 0) != swapped ? 1 : 2)];
        };
        if (turned && ops::sameSize(sum(0, turned->first), sum(1, turned->second)))
            return node.call("nn.matmul", inputs,
                             {{"transpose_a", turned->first}, {"transpose_b", turned->second}});
    }
    std::string equation = labels[0];
    for (std::size_t i = 1; i < labels.size(); ++i)
        equation += "," + labels[i];
    return node.call("einsum", inputs, {{"equation", equation + "->" + result}});
}

Values einsum(NodeImport &node)
{
    const Equation equation(node);
    Value value = node.input();
    std::string labels = equation.inputs[0];
    if (node.inputCount() == 1)
        return {contracted(node, {value}, {labels}, equation.result)};
    for (std::size_t i = 1; i < node.inputCount(); ++i) {
        // Axes that later inputs or the result still name.
        std::string needed = equation.result, kept;
        for (std::size_t k = i + 1; k < node.inputCount(); ++k)
            needed += equation.inputs[k];
        for (const char label : labels + equation.inputs[i]) {
            if (needed.find(label) != std::string::npos && kept.find(label) == std::string::npos)
                kept += label;
        }
        const std::string &next = i + 1 == node.inputCount() ? equation.result : kept;
        value = contracted(node, {value, node.input(i)}, {labels, equation.inputs[i]}, next);
        labels = next;
    }
    return {value};
}

constexpr ImportRow einsumRows[] = {
    {"Einsum", &einsum},
};

} // namespace

std::span<const ImportRow> einsumImports() { return einsumRows; }

} // namespace nestwright::graph::onnx
