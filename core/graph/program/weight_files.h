// SPDX-License-Identifier: Apache-2.0
/// Files that hold a model's weights, which are mapped.
#pragma once

#include "core/graph/graph.h"
#include "core/support/files/mapped_file.h"

namespace nestwright::graph {

class WeightFiles {
public:
    /// Files that hold constants of the function, or that deferred ones will be copied from.
    explicit WeightFiles(const Function &function);
    /// Files of all models that this process has.
    WeightFiles() : m_files(support::mappedFiles()) {}

    /// Error: "graph.weights", which names a file that was changed since it was read: what was made from its
    /// weights may hold anything.
    support::Result<void> check() const;

private:
    std::vector<std::shared_ptr<const support::MappedFile>> m_files;
};

} // namespace nestwright::graph
