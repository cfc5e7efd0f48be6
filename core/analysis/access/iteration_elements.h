// SPDX-License-Identifier: Apache-2.0
/// Elements that different iterations of a loop touch.
#pragma once

#include "core/analysis/access/iteration_accesses.h"
#include "core/arith/int_set.h"

#include <memory>

namespace nestwright::analysis {

/// The iterations of a loop, those of the loops `around` standing still. How they are told apart stands in
/// parallel_conflicts.h.
class Iterations {
public:
    Iterations(const ir::For &loop, arith::Domains around);
    ~Iterations();

    /// Whether different iterations surely touch different elements by the two accesses.
    bool keepApart(const IterationAccess &a, const IterationAccess &b);

private:
    class Proof;
    std::unique_ptr<Proof> m_proof;
};

} // namespace nestwright::analysis
