// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/window.h"

#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>
#include <limits>

namespace nestwright::ops {

using ir::Expr;

Window Window::of(const CallSite &site, std::vector<std::int64_t> size, bool mayCut)
{
    const std::size_t rank = size.size();
    const auto list = [&](std::string_view name, std::size_t length, std::int64_t value, std::int64_t least) {
        std::vector<std::int64_t> given = site.integers(name);
        if (given.empty())
            given.assign(length, value);
        if (given.size() != length)
            typeError(std::format("{} must hold {} numbers, but holds {}", name, length, given.size()));
        if (std::ranges::any_of(given, [&](std::int64_t i) { return i < least; }))
            typeError(std::format("{} must be at least {}", name, least));
        return given;
    };
    Window window;
    window.strides = list("strides", rank, 1, 1);
    window.dilation = list("dilation", rank, 1, 1);
    const std::vector<std::int64_t> padding =
        list("padding", 2 * rank, 0, mayCut ? std::numeric_limits<std::int64_t>::min() : 0);
    const auto middle = padding.begin() + static_cast<std::ptrdiff_t>(rank);
    window.before.assign(padding.begin(), middle);
    window.after.assign(middle, padding.end());
    if (std::ranges::any_of(size, [](std::int64_t i) { return i < 1; }))
        typeError("the window is empty");
    window.size = std::move(size);
    return window;
}

bool Window::isPadded() const
{
    const auto nonZero = [](std::int64_t i) { return i != 0; };
    return std::ranges::any_of(before, nonZero) || std::ranges::any_of(after, nonZero);
}

Expr Window::count(std::size_t i, const Expr &input) const
{
    const Expr room = input + Expr(before[i] + after[i] - span(i));
    if (ceil) {
        const std::int64_t spare =
            constantSize(dimension(room), "a dimension under a window that is rounded up");
        std::int64_t windows = ir::ceilDiv(spare, strides[i]) + 1; // one may be larger than the input
        if (windows < 1)
            typeError("the window is larger than the padded input");
        // One that would begin in the padding behind the input is left out.
        if ((windows - 1) * strides[i] >= *ir::asInt(input) + before[i])
            --windows;
        return dimension(windows);
    }
    const Expr windows = dimension(ir::floorDiv(room, Expr(strides[i])) + Expr(1));
    if (const std::int64_t *known = ir::asInt(windows); known && *known < 1)
        typeError("the window is larger than the padded input");
    return windows;
}

Expr Window::place(std::size_t i, const Expr &at, const Expr &k) const
{
    return at * Expr(strides[i]) + k * Expr(dilation[i]) - Expr(before[i]);
}

te::Tensor padded(te::Builder &builder, const te::Tensor &x, const Window &window)
{
    Shape shape = x.shape();
    for (std::size_t i = 0; i < window.rank(); ++i)
        shape[i + 2] = dimension(shape[i + 2] + Expr(window.before[i] + window.after[i]));
    return builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> indices = i, inside;
            for (std::size_t k = 0; k < window.rank(); ++k) {
                indices[k + 2] = i[k + 2] - Expr(window.before[k]);
                if (window.before[k] > 0)
                    inside.push_back(ir::ge(i[k + 2], Expr(window.before[k])));
                if (window.after[k] > 0)
                    inside.push_back(ir::lt(i[k + 2], x.shape()[k + 2] + Expr(window.before[k])));
            }
            const Expr element = x.at(indices);
            return te::Body(inside.empty()
                                ? element
                                : te::ifThenElse(te::all(inside), element, ir::constant(0, x.dtype())));
        },
        "pad");
}

} // namespace nestwright::ops
