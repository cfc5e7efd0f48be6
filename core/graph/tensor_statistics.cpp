// SPDX-License-Identifier: Apache-2.0
#include "core/graph/tensor_statistics.h"

#include <algorithm>
#include <cmath>

namespace nestwright::graph {

TensorStatistics statisticsOf(const ir::NdArray &array)
{
    TensorStatistics s;
    s.elements = array.size();
    double sum = 0;
    std::int64_t finite = 0;
    for (std::int64_t i = 0; i < s.elements; ++i) {
        const double value = array.at(i);
        if (!std::isfinite(value)) {
            ++s.notFinite;
            continue;
        }
        s.zeros += value == 0 ? 1 : 0;
        s.least = finite == 0 ? value : std::min(s.least, value);
        s.greatest = finite == 0 ? value : std::max(s.greatest, value);
        sum += value;
        ++finite;
    }
    if (finite == 0)
        return s;
    s.mean = sum / static_cast<double>(finite);
    const double width = s.greatest - s.least;
    constexpr auto bins = static_cast<double>(std::tuple_size_v<decltype(s.histogram)>);
    double squares = 0;
    for (std::int64_t i = 0; i < s.elements; ++i) {
        const double value = array.at(i);
        if (!std::isfinite(value))
            continue;
        squares += (value - s.mean) * (value - s.mean);
        const double place = width > 0 ? (value - s.least) / width * bins : 0;
        ++s.histogram[static_cast<std::size_t>(std::min(place, bins - 1))];
    }
    s.deviation = std::sqrt(squares / static_cast<double>(finite));
    return s;
}

} // namespace nestwright::graph
