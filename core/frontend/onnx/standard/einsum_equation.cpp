// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/standard/einsum_equation.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::graph::onnx {

EinsumEquation::EinsumEquation(NodeImport &node)
{
    std::string text = node.text("equation", "");
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow) + ',';
    for (std::size_t begin = 0, i = 0; begin < left.size(); ++i) {
        const std::size_t end = left.find(',', begin);
        if (i >= node.inputCount())
            node.unsupported(std::format("the equation \"{}\" has more terms than there are inputs", text));
        inputs.push_back(labelled(node, left.substr(begin, end - begin), node.rank(i)));
        begin = end + 1;
    }
    if (inputs.size() != node.inputCount())
        node.unsupported(std::format("the equation \"{}\" has fewer terms than there are inputs", text));
    result = arrow == std::string::npos ? implied() : labelled(node, text.substr(arrow + 2), m_dots);
}

/// `rank` of the result: how many dimensions its ellipsis stands for.
std::string EinsumEquation::labelled(NodeImport &node, const std::string &term, std::int64_t rank)
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
            node.unsupported(std::format("the term \"{}\" has more labels than there are dimensions", term));
        m_dots = std::max(m_dots, count);
        for (std::int64_t k = count; k > 0; --k)
            labels +=
                static_cast<char>('0' + k - 1); // counted from the last one, with which they are aligned
        i += 2;
    }
    if (!isResult && static_cast<std::int64_t>(labels.size()) != rank)
        node.unsupported(
            std::format("the term \"{}\" has {} labels, its input {} dimensions", term, labels.size(), rank));
    return labels;
}

/// The ellipsis, then all labels that are there once.
std::string EinsumEquation::implied() const
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

} // namespace nestwright::graph::onnx
