// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/weight_files.h"

#include <algorithm>
#include <format>

namespace nestwright::graph {

WeightFiles::WeightFiles(const Function &function) : WeightFiles()
{
    std::erase_if(m_files, [&](const auto &file) {
        const auto all = file->bytes();
        return std::ranges::none_of(function.nodes, [&](const Node &node) {
            const std::byte *data = node.isConstant() && node.data ? node.data->source().get() : nullptr;
            return data >= all.data() && data < all.data() + all.size();
        });
    });
}

support::Result<void> WeightFiles::check() const
{
    for (const auto &file : m_files) {
        if (file->isChanged()) {
            return support::fail(
                support::diagnostic(
                    "graph.weights",
                    std::format("the file of weights \"{}\" was changed meanwhile", file->path()))
                    .withHint("open the model again"));
        }
    }
    return {};
}

} // namespace nestwright::graph
