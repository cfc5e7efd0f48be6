// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/late/late_sizes.h"

#include <algorithm>

namespace nestwright::graph::onnx {

const LateSizes::Axes &LateSizes::of(Value tensor) const
{
    static const Axes none;
    const auto found = m_axes.find(tensor);
    return found == m_axes.end() ? none : found->second;
}

void LateSizes::set(Value tensor, Axes axes)
{
    if (axes.empty())
        m_axes.erase(tensor);
    else
        m_axes.insert_or_assign(tensor, std::move(axes));
}

const LateSizes::Bounds *LateSizes::bounds(Value numbers) const
{
    const auto found = m_bounds.find(numbers);
    return found == m_bounds.end() ? nullptr : &found->second;
}

bool LateSizes::concern(std::span<const Value> tensors) const
{
    return std::ranges::any_of(
        tensors, [&](Value tensor) { return m_axes.contains(tensor) || m_bounds.contains(tensor); });
}

} // namespace nestwright::graph::onnx
