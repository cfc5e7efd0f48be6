// SPDX-License-Identifier: Apache-2.0
// Random operators over many elements: reductions, normalizations, products, convolutions and pools.
#include "tests/support/random_graph_generator.h"

#include <algorithm>
#include <numeric>

namespace nestwright::tests {

void GraphGenerator::reduction()
{
    const auto x = some([&](Value v) { return !dtypeOf(v).isBool() && rankOf(v) > 0; });
    if (!x)
        return;
    Ints axes;
    for (std::int64_t axis = 0; axis < rankOf(x->value); ++axis) {
        if (m_random.chance(50) || axis + 1 == rankOf(x->value))
            axes.push_back(axis);
    }
    if (rankOf(x->value) == 4 && m_random.chance(50))
        axes = {2, 3};
    const bool isReal = dtypeOf(x->value).isFloating(), keeps = m_random.chance(60);
    const std::string op =
        m_random.pick(isReal ? Names{"sum", "mean", "max", "min", "sum_square", "log_sum_exp", "sum_abs"}
                             : Names{"sum", "max", "min"});
    double count = 1;
    for (const std::int64_t axis : axes)
        count *= static_cast<double>(shapeOf(x->value)[static_cast<std::size_t>(axis)]);
    const double bound = op == "sum_square"               ? x->bound * x->bound * count
                         : op == "sum" || op == "sum_abs" ? x->bound * count
                                                          : x->bound + 8;
    add(m_builder.call(op, {x->value}, {{"axes", axes}, {"keepdims", keeps}}), bound,
        x->exact && (!isReal || op == "max" || op == "min"));
}

void GraphGenerator::normalize()
{
    const auto x = real(1);
    if (!x)
        return;
    add(m_builder.call(m_random.pick(Names{"nn.softmax", "nn.softmax", "nn.log_softmax"}), {x->value},
                       {{"axis", m_random.chance(60) ? -1 : m_random.below(rankOf(x->value))}}),
        2 * x->bound + 10, false);
}

void GraphGenerator::layerNorm()
{
    const auto x = real(2);
    if (!x)
        return;
    const std::int64_t features = shapeOf(x->value).back();
    const Value normal =
        m_builder.call("nn.normalize", {x->value}, {{"axes", Ints{rankOf(x->value) - 1}}, {"epsilon", 0.1}});
    add(m_builder.call("add", {m_builder.call("multiply", {normal, data({features})}), data({features})}), 10,
        false);
}

void GraphGenerator::product()
{
    const auto x = real(2);
    if (!x)
        return;
    const std::int64_t inner = shapeOf(x->value).back(), outer = m_random.pick(Ints{1, 5, 8, 16, 20});
    if (m_random.chance(25)) { // with its own transpose, as attention does
        Ints axes(static_cast<std::size_t>(rankOf(x->value)));
        std::iota(axes.begin(), axes.end(), 0);
        std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
        const bool flag = m_random.chance(50);
        const Value other = flag ? x->value : m_builder.call("transpose", {x->value}, {{"axes", axes}});
        add(m_builder.call("nn.matmul", {x->value, other}, {{"transpose_b", flag}}),
            x->bound * x->bound * static_cast<double>(inner), false);
        return;
    }
    const bool flag = m_random.chance(30);
    Value y = m_builder.call("nn.matmul", {x->value, data(flag ? Ints{outer, inner} : Ints{inner, outer})},
                             {{"transpose_b", flag}});
    if (m_random.chance(60))
        y = m_builder.call("add", {y, data({outer})});
    add(y, x->bound * static_cast<double>(inner) + 1, false);
}

void GraphGenerator::convolution()
{
    const auto x = image();
    if (!x)
        return;
    const std::int64_t channels = shapeOf(x->value)[1];
    const Ints divisors =
        channels % 8 == 0 ? Ints{1, 1, 1, channels, 2, 4, channels / 2, channels / 4} : Ints{1, 1, channels};
    const std::int64_t groups = m_random.pick(divisors);
    const std::int64_t ofGroup = channels / groups;
    const std::int64_t filters = groups == channels
                                     ? channels * m_random.pick(Ints{1, 1, 2})
                                     : groups * m_random.pick(Ints{3, 4, 8, 16, ofGroup, ofGroup});
    const std::int64_t kernel = m_random.pick(Ints{1, 1, 3, 2}),
                       pad = kernel == 3 ? m_random.pick(Ints{0, 1}) : 0;
    const std::int64_t stride = m_random.pick(Ints{1, 1, 2});
    Value y = m_builder.call(
        "nn.conv", {x->value, data({filters, ofGroup, kernel, kernel})},
        {{"groups", groups}, {"padding", Ints{pad, pad, pad, pad}}, {"strides", Ints{stride, stride}}});
    const std::int64_t products = kernel * kernel * ofGroup;
    double bound = x->bound * static_cast<double>(products);
    if (m_random.chance(60)) {
        y = m_builder.call("add", {y, data({filters, 1, 1})});
        bound += 1;
    }
    if (m_random.chance(30)) {
        y = m_builder.call("multiply", {y, data({1, filters, 1, 1})});
        bound += 1;
    }
    if (m_random.chance(60))
        y = m_builder.call("nn.relu", {y});
    add(bound > 100 ? m_builder.call("tanh", {y}) : y, std::min(bound, 100.0), false);
}

void GraphGenerator::pool()
{
    const auto x = image();
    if (!x)
        return;
    const std::int64_t kernel = m_random.pick(Ints{2, 3}), pad = m_random.pick(Ints{0, 1}),
                       stride = m_random.pick(Ints{1, 2});
    const bool isMax = m_random.chance(50);
    ops::Attributes attributes{{"kernel", Ints{kernel, kernel}},
                               {"padding", Ints{pad, pad, pad, pad}},
                               {"strides", Ints{stride, stride}},
                               {"ceil_mode", m_random.chance(20)}};
    if (!isMax)
        attributes["count_include_pad"] = m_random.chance(50);
    add(m_builder.call(isMax ? "nn.max_pool" : "nn.avg_pool", {x->value}, attributes), x->bound,
        x->exact && isMax);
}

void GraphGenerator::batchNorm()
{
    const auto x = image();
    if (!x)
        return;
    const std::int64_t channels = shapeOf(x->value)[1];
    add(m_builder.call("nn.batch_norm", {x->value, data({channels}), data({channels}), data({channels}),
                                         positive({channels})}),
        2 * x->bound + 3, false);
}

void GraphGenerator::parallel()
{
    const bool isImage = m_random.chance(50);
    const auto x = isImage ? image() : real(2);
    if (!x)
        return;
    const std::int64_t count = m_random.between(3, 4),
                       width = shapeOf(x->value)[isImage ? 1 : shapeOf(x->value).size() - 1];
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t features = isImage ? m_random.pick(Ints{8, 16, 5}) : 8;
        Value y = isImage ? m_builder.call("nn.conv", {x->value, data({features, width, 1, 1})})
                          : m_builder.call("nn.matmul", {x->value, data({width, features})});
        y = m_builder.call("add", {y, data(isImage ? Ints{features, 1, 1} : Ints{features})});
        if (m_random.chance(70))
            y = m_builder.call("nn.relu", {y});
        add(m_builder.call("tanh", {y}), 1, false);
    }
}

} // namespace nestwright::tests
