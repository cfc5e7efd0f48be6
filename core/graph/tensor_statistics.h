// SPDX-License-Identifier: Apache-2.0
/// Summary statistics of many numbers, such as the weights of a model.
#pragma once

#include "core/ir/ndarray.h"

#include <array>
#include <cstdint>

namespace nestwright::graph {

struct TensorStatistics {
    std::int64_t elements = 0;
    std::int64_t zeros = 0;
    std::int64_t notFinite = 0; ///< NaN and infinite; all that follows is of the others
    double least = 0, greatest = 0;
    double mean = 0, deviation = 0; ///< standard deviation of the whole set
    /// Number of elements in each of equal parts of least … greatest.
    std::array<std::int64_t, 16> histogram{};
};

TensorStatistics statisticsOf(const ir::NdArray &array);

} // namespace nestwright::graph
