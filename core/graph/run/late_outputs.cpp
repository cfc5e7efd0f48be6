// SPDX-License-Identifier: Apache-2.0
#include "core/graph/run/late_outputs.h"

#include <algorithm>
#include <cstring>

namespace nestwright::graph {

namespace {

/// The first `count` elements along an axis.
ir::NdArray firstAlong(const ir::NdArray &array, std::size_t axis, std::int64_t count)
{
    Ints shape = array.shape();
    std::int64_t outer = 1;
    for (std::size_t i = 0; i < axis; ++i)
        outer *= shape[i];
    shape[axis] = std::clamp(count, std::int64_t{0}, shape[axis]);
    ir::NdArray first(array.dtype(), shape);
    if (outer == 0 || array.size() == 0)
        return first;
    const std::size_t from = array.bytes().size() / static_cast<std::size_t>(outer),
                      to = first.bytes().size() / static_cast<std::size_t>(outer);
    for (std::size_t row = 0; row < static_cast<std::size_t>(outer); ++row)
        std::memcpy(first.bytes().data() + row * to, array.bytes().data() + row * from, to);
    return first;
}

} // namespace

void cutLateOutputs(const Function &function, std::span<const LateOutput> late,
                    std::vector<ir::NdArray> &results)
{
    const auto placeOf = [&](const std::string &name) {
        return static_cast<std::size_t>(std::ranges::find(function.outputNames, name)
                                        - function.outputNames.begin());
    };
    for (const LateOutput &output : late) {
        ir::NdArray &result = results.at(placeOf(output.name));
        const ir::NdArray &size = results.at(placeOf(output.sizeName));
        result = firstAlong(result, output.axis, size.data<std::int64_t>()[0]);
    }
}

} // namespace nestwright::graph
