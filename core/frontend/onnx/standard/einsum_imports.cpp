// SPDX-License-Identifier: Apache-2.0
/// Einsum of ONNX: two inputs at a time, products of matrices where they are that.
#include "core/frontend/onnx/standard/einsum_equation.h"
#include "core/ops/table/shapes.h"

#include <set>

namespace nestwright::graph::onnx {

namespace {

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
    const EinsumEquation equation(node);
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
