// SPDX-License-Identifier: Apache-2.0
/// How much a function computes and moves, as its blocks define it.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace nestwright::analysis {

/// Operations by kind, and the least traffic with memory.
struct Counts {
    double flops =
        0; ///< + - * / min max, comparisons and plain functions of floats; a fused multiply-add is two
    double integerOps =
        0; ///< the same of integer values; index arithmetic and conditions on indices do not count
    double transcendental = 0; ///< exp, tanh, sqrt, … each one
    double bytesRead = 0;      ///< of the parameters that some block reads, each byte once
    double bytesWritten = 0;   ///< of the parameters that some block writes

    Counts &operator+=(const Counts &other);
    Counts operator*(double factor) const;
    bool operator==(const Counts &) const = default;
};

/// Each block counts once per point of its iteration domain, however its loops are arranged, so every
/// schedule of a kernel has the same number: a matrix product of M, N, K has 2·M·N·K flops. Padding does not
/// make it less. Of the two arms of a choice the dearer counts. A lowered function counts by its loops. The
/// body of a loop that runs as often as data say counts once.
/// Symbolic sizes come from `sizes` by name; one that is missing counts as 1.
Counts countsOf(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes = {});

/// The operations of all instances of one block, without traffic; nothing where the extent of its domain or
/// of a loop in it is no constant.
std::optional<Counts> operationsOf(const ir::Block &block);

/// "2.15 GFLOP".
std::string flopsText(double flops);

} // namespace nestwright::analysis
