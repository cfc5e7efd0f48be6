// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/narrow_use.h"

#include <algorithm>

namespace nestwright::graph::onnx {

NarrowUse narrowUse(std::string_view op)
{
    constexpr std::string_view reading[] = {"Cast",  "CastLike", "DequantizeLinear", "GatherBlockQuantized",
                                            "IsInf", "IsNaN",    "QuantizeLinear",   "Shape",
                                            "Size"};
    constexpr std::string_view moving[] = {"Concat", "Expand", "Flatten", "Gather",    "Identity", "Reshape",
                                           "Slice",  "Split",  "Squeeze", "Transpose", "Unsqueeze"};
    if (std::ranges::contains(reading, op))
        return NarrowUse::Read;
    return std::ranges::contains(moving, op) ? NarrowUse::Moved : NarrowUse::None;
}

} // namespace nestwright::graph::onnx
