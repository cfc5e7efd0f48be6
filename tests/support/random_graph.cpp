// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include "core/graph/builder.h"
#include "core/support/errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

namespace nestwright::tests {

namespace {

using graph::Builder;
using graph::Ints;
using graph::Value;
using ir::DataType;
using Names = std::vector<std::string>;

constexpr std::int64_t largest = 4096; ///< elements of a value

class Generator {
public:
    explicit Generator(Random &random) : m_random(random) {}

    graph::Function graph(int size)
    {
        const std::int64_t inputs = m_random.between(1, 3);
        for (std::int64_t i = 0; i < inputs; ++i) {
            const DataType type = m_random.chance(80)
                                      ? DataType::float32()
                                      : m_random.pick(std::vector{DataType::int32(), DataType::int64(),
                                                                  DataType::float_(64), DataType::boolean()});
            add(m_builder.input("x" + std::to_string(i), typeOf(anyShape(), type)), type.isFloating() ? 1 : 8,
                true);
        }
        for (int i = 0; i < size; ++i) {
            try {
                grow();
            } catch (const support::UserError &) {
                continue; // it does not fit; another will
            }
        }
        std::vector<Value> outputs{m_all.back().value};
        // What nothing reads would not be in the graph.
        std::set<int> read;
        for (const graph::Node &node : m_builder.function().nodes) {
            for (const Value input : node.inputs)
                read.insert(input.node);
        }
        for (std::size_t i = 0; i + 1 < m_all.size(); ++i) {
            if (m_random.chance(read.contains(m_all[i].value.node) ? 5 : 60))
                outputs.push_back(m_all[i].value);
        }
        Names names;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            names.push_back("y" + std::to_string(i));
        return m_builder.finish(outputs, names);
    }

private:
    struct Known {
        Value value;
        double bound; ///< of magnitudes
        bool exact;   ///< the same however it is computed
    };

    static graph::TensorType typeOf(const Ints &shape, DataType type)
    {
        graph::TensorType result{{}, type};
        for (const std::int64_t size : shape)
            result.shape.emplace_back(static_cast<int>(size));
        return result;
    }
    const Ints shapeOf(Value v) const { return *m_builder.typeOf(v).constantShape(); }
    DataType dtypeOf(Value v) const { return m_builder.typeOf(v).dtype; }
    std::int64_t rankOf(Value v) const { return m_builder.rankOf(v); }

    void add(Value value, double bound, bool exact)
    {
        std::int64_t elements = 1;
        for (const std::int64_t size : shapeOf(value))
            elements *= size;
        if (elements > 0 && elements <= largest && bound < 1e4)
            m_all.push_back({value, bound, exact});
    }

    Ints anyShape()
    {
        if (m_random.chance(50)) { // an image
            const std::int64_t side = m_random.pick(Ints{3, 5, 6, 7, 8});
            return {m_random.chance(80) ? 1 : 2, m_random.pick(Ints{3, 4, 8, 16, 24, 32}), side,
                    m_random.chance(80) ? side : 4};
        }
        Ints shape(static_cast<std::size_t>(m_random.between(0, 4)));
        for (std::int64_t &size : shape)
            size = m_random.pick(Ints{1, 2, 3, 4, 5, 8});
        return shape;
    }

    Value data(const Ints &shape, DataType type = DataType::float32())
    {
        ir::NdArray array(type, shape);
        array.fillRandom(static_cast<std::uint64_t>(m_random.below(1'000'000)));
        return m_builder.constant(std::move(array));
    }
    Value positive(const Ints &shape)
    {
        ir::NdArray array(DataType::float32(), shape);
        for (std::int64_t i = 0; i < array.size(); ++i)
            array.set(i, 0.5 + 0.25 * static_cast<double>(m_random.below(6)));
        return m_builder.constant(std::move(array));
    }

    /// A known value for which `fits` holds; nothing after some tries.
    template <class Fits> std::optional<Known> some(const Fits &fits)
    {
        for (int tries = 0; tries < 20; ++tries) {
            // Rather a late one, so that graphs are deep.
            const auto count = static_cast<std::int64_t>(m_all.size());
            const std::int64_t at = m_random.chance(60)
                                        ? std::max<std::int64_t>(0, count - 1 - m_random.below(3))
                                        : m_random.below(count);
            const Known &known = m_all[static_cast<std::size_t>(at)];
            if (fits(known.value))
                return known;
        }
        return std::nullopt;
    }
    std::optional<Known> real(std::int64_t leastRank = 0)
    {
        return some([&](Value v) { return dtypeOf(v) == DataType::float32() && rankOf(v) >= leastRank; });
    }
    std::optional<Known> image()
    {
        return some([&](Value v) {
            return dtypeOf(v) == DataType::float32() && rankOf(v) == 4 && shapeOf(v)[2] >= 3
                   && shapeOf(v)[3] >= 3;
        });
    }
    std::optional<Known> any(std::int64_t leastRank = 0)
    {
        return some([&](Value v) { return rankOf(v) >= leastRank; });
    }

    void grow()
    {
        static constexpr void (Generator::*kinds[])() = {
            &Generator::unary,     &Generator::unary,       &Generator::binary,    &Generator::binary,
            &Generator::integers,  &Generator::condition,   &Generator::reshape,   &Generator::transpose,
            &Generator::slice,     &Generator::concatenate, &Generator::spread,    &Generator::pick,
            &Generator::reduction, &Generator::normalize,   &Generator::layerNorm, &Generator::product,
            &Generator::product,   &Generator::convolution, &Generator::pool,      &Generator::convolution,
            &Generator::pool,      &Generator::batchNorm,   &Generator::parallel,  &Generator::shuffle,
            &Generator::convert};
        (this->*kinds[m_random.below(std::size(kinds))])();
    }

    void unary()
    {
        const auto x = real();
        if (!x)
            return;
        static const Names exact{"nn.relu", "negative", "abs"},
            any{"tanh", "sigmoid", "erf", "exp", "nn.elu", "nn.leaky_relu", "nn.gelu"};
        const bool keeps = m_random.chance(40);
        const std::string &op = m_random.pick(keeps ? exact : any);
        add(m_builder.call(op, {op == "exp" && x->bound > 4 ? m_builder.call("tanh", {x->value}) : x->value}),
            op == "exp" ? std::exp(std::min(x->bound, 4.0)) : std::max(1.0, x->bound), keeps && x->exact);
    }

    /// A value or a constant that can be broadcast with `x`.
    std::optional<Known> partner(const Known &x)
    {
        const Ints shape = shapeOf(x.value);
        if (m_random.chance(50)) {
            Ints own(shape.end() - m_random.below(static_cast<std::int64_t>(shape.size()) + 1), shape.end());
            for (std::int64_t &size : own)
                size = m_random.chance(40) ? 1 : size;
            if (shape.size() == 4 && m_random.chance(50))
                own = {shape[1], 1, 1};
            return Known{data(own, dtypeOf(x.value)), dtypeOf(x.value).isFloating() ? 1.0 : 8.0, true};
        }
        return some([&](Value v) { return dtypeOf(v) == dtypeOf(x.value); });
    }

    void binary()
    {
        const auto x = real();
        const auto y = x ? partner(*x) : std::nullopt;
        if (!y)
            return;
        const std::string op =
            m_random.pick(Names{"add", "add", "subtract", "multiply", "maximum", "minimum", "divide"});
        const bool swaps = m_random.chance(30);
        Value a = swaps ? y->value : x->value, b = swaps ? x->value : y->value;
        if (op == "divide") // by what is not near 0
            b = m_builder.call("add", {m_builder.call("abs", {b}), m_builder.scalar(1, DataType::float32())});
        add(m_builder.call(op, {a, b}), op == "multiply" ? x->bound * y->bound : x->bound + y->bound,
            x->exact && y->exact && op[0] == 'm' && op != "multiply");
    }

    void integers()
    {
        const auto x =
            some([&](Value v) { return dtypeOf(v) == DataType::int32() || dtypeOf(v) == DataType::int64(); });
        const auto y = x ? partner(*x) : std::nullopt;
        if (!y)
            return;
        const std::string op = m_random.pick(Names{"add", "subtract", "multiply", "maximum", "minimum",
                                                   "bitwise_and", "bitwise_xor", "floor_mod"});
        const Value b = op == "floor_mod"
                            ? m_builder.scalar(static_cast<double>(m_random.between(2, 9)), dtypeOf(x->value))
                            : y->value;
        add(m_builder.call(op, {x->value, b}),
            op == "multiply" ? x->bound * y->bound : 2 * (x->bound + y->bound), true);
    }

    void condition()
    {
        const auto x = some([&](Value v) { return !dtypeOf(v).isBool() && isExact(v); });
        const auto y = x ? partner(*x) : std::nullopt;
        if (!y || !y->exact)
            return;
        Value condition = m_builder.call(m_random.pick(Names{"less", "greater", "equal", "less_equal"}),
                                         {x->value, y->value});
        if (m_random.chance(30))
            condition = m_builder.call("logical_or", {condition, data({}, DataType::boolean())});
        add(condition, 1, true);
        const auto a = real();
        const auto b = a ? partner(*a) : std::nullopt;
        if (b)
            add(m_builder.call("where", {condition, a->value, b->value}), std::max(a->bound, b->bound),
                a->exact && b->exact);
    }
    bool isExact(Value v) const
    {
        return std::ranges::any_of(m_all,
                                   [&](const Known &known) { return known.value == v && known.exact; });
    }

    void reshape()
    {
        const auto x = any();
        if (!x)
            return;
        Ints shape = shapeOf(x->value);
        for (int i = 0; i < 3; ++i) {
            const auto at = m_random.below(static_cast<std::int64_t>(shape.size()) + 1);
            if (m_random.chance(30)) {
                shape.insert(shape.begin() + at, 1);
            } else if (at + 1 < static_cast<std::int64_t>(shape.size()) && m_random.chance(60)) {
                shape[static_cast<std::size_t>(at)] *= shape[static_cast<std::size_t>(at) + 1];
                shape.erase(shape.begin() + at + 1);
            } else if (at < static_cast<std::int64_t>(shape.size())) {
                std::int64_t &size = shape[static_cast<std::size_t>(at)];
                const std::int64_t factor = size % 2 == 0 ? 2 : size % 3 == 0 ? 3 : 1;
                size /= factor;
                shape.insert(shape.begin() + at, factor);
            }
        }
        if (shape.size() <= 6)
            add(m_builder.call("reshape", {x->value}, {{"newshape", shape}}), x->bound, x->exact);
    }

    void transpose()
    {
        const auto x = any(2);
        if (!x)
            return;
        Ints axes(static_cast<std::size_t>(rankOf(x->value)));
        std::iota(axes.begin(), axes.end(), 0);
        m_random.shuffle(axes);
        add(m_builder.call("transpose", {x->value}, {{"axes", axes}}), x->bound, x->exact);
    }

    void slice()
    {
        const auto x = any(1);
        if (!x)
            return;
        const std::int64_t axis = m_random.below(rankOf(x->value)),
                           size = shapeOf(x->value)[static_cast<std::size_t>(axis)];
        const std::int64_t begin = m_random.below(size), end = m_random.between(begin + 1, size);
        const bool backwards = m_random.chance(15);
        add(m_builder.call("strided_slice", {x->value},
                           {{"begin", Ints{backwards ? end - 1 : begin}},
                            {"end", Ints{backwards ? begin - 1 - (begin == 0 ? size : 0) : end}},
                            {"strides", Ints{backwards ? -1 : m_random.pick(Ints{1, 1, 2})}},
                            {"axes", Ints{m_random.chance(80) ? axis : axis - rankOf(x->value)}}}),
            x->bound, x->exact);
    }

    void concatenate()
    {
        const auto x = any(1);
        if (!x)
            return;
        const std::int64_t axis =
            m_random.chance(60) && rankOf(x->value) > 1 ? 1 : m_random.below(rankOf(x->value));
        std::vector<Value> parts{x->value};
        double bound = x->bound;
        bool exact = x->exact;
        for (int i = 0; i < 2; ++i) {
            const auto y = some([&](Value v) {
                if (dtypeOf(v) != dtypeOf(x->value) || rankOf(v) != rankOf(x->value))
                    return false;
                Ints a = shapeOf(v), b = shapeOf(x->value);
                a[static_cast<std::size_t>(axis)] = b[static_cast<std::size_t>(axis)] = 0;
                return a == b;
            });
            if (!y)
                continue;
            parts.push_back(y->value);
            bound = std::max(bound, y->bound);
            exact = exact && y->exact;
        }
        add(m_builder.call("concatenate", parts, {{"axis", axis}}), bound, exact);
    }

    /// More elements: repeated, with a border, or broadcast.
    void spread()
    {
        const auto x = any(1);
        if (!x)
            return;
        const auto rank = static_cast<std::size_t>(rankOf(x->value));
        Ints reps(rank, 1), width(2 * rank, 0);
        reps[static_cast<std::size_t>(m_random.below(static_cast<std::int64_t>(rank)))] = 2;
        for (std::int64_t &w : width)
            w = m_random.chance(30) ? m_random.pick(Ints{1, 1, 2, -1}) : 0;
        if (m_random.chance(40))
            add(m_builder.call("tile", {x->value}, {{"reps", reps}}), x->bound, x->exact);
        else if (dtypeOf(x->value).isFloating())
            add(m_builder.call("nn.pad", {x->value},
                               {{"pad_width", width},
                                {"mode", m_random.pick(Names{"constant", "edge", "reflect", "wrap"})}}),
                x->bound, x->exact);
    }

    void pick()
    {
        const auto x = any(1);
        if (!x)
            return;
        const std::int64_t axis = m_random.below(rankOf(x->value));
        if (m_random.chance(70)) {
            ir::NdArray indices(DataType::int64(), m_random.chance(50) ? Ints{3} : Ints{2, 2});
            for (std::int64_t i = 0; i < indices.size(); ++i)
                indices.set(i, static_cast<double>(
                                   m_random.below(shapeOf(x->value)[static_cast<std::size_t>(axis)])));
            add(m_builder.call("take", {x->value, m_builder.constant(std::move(indices))}, {{"axis", axis}}),
                x->bound, x->exact);
        } else if (!dtypeOf(x->value).isBool()) {
            add(m_builder.call("cumsum", {x->value}, {{"axis", axis}, {"reverse", m_random.chance(50)}}),
                x->bound * 16, x->exact && !dtypeOf(x->value).isFloating());
        }
    }

    void reduction()
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

    void normalize()
    {
        const auto x = real(1);
        if (!x)
            return;
        add(m_builder.call(m_random.pick(Names{"nn.softmax", "nn.softmax", "nn.log_softmax"}), {x->value},
                           {{"axis", m_random.chance(60) ? -1 : m_random.below(rankOf(x->value))}}),
            2 * x->bound + 10, false);
    }

    void layerNorm()
    {
        const auto x = real(2);
        if (!x)
            return;
        const std::int64_t features = shapeOf(x->value).back();
        const Value normal = m_builder.call("nn.normalize", {x->value},
                                            {{"axes", Ints{rankOf(x->value) - 1}}, {"epsilon", 0.1}});
        add(m_builder.call("add", {m_builder.call("multiply", {normal, data({features})}), data({features})}),
            10, false);
    }

    void product()
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
        Value y =
            m_builder.call("nn.matmul", {x->value, data(flag ? Ints{outer, inner} : Ints{inner, outer})},
                           {{"transpose_b", flag}});
        if (m_random.chance(60))
            y = m_builder.call("add", {y, data({outer})});
        add(y, x->bound * static_cast<double>(inner) + 1, false);
    }

    void convolution()
    {
        const auto x = image();
        if (!x)
            return;
        const std::int64_t channels = shapeOf(x->value)[1];
        const Ints divisors = channels % 8 == 0 ? Ints{1, 1, 1, channels, 2, 4} : Ints{1, 1, channels};
        const std::int64_t groups = m_random.pick(divisors);
        const std::int64_t filters = groups == channels ? channels * m_random.pick(Ints{1, 1, 2})
                                                        : groups * m_random.pick(Ints{3, 4, 8, 16});
        const std::int64_t kernel = m_random.pick(Ints{1, 1, 3, 2}),
                           pad = kernel == 3 ? m_random.pick(Ints{0, 1}) : 0;
        const std::int64_t stride = m_random.pick(Ints{1, 1, 2});
        Value y = m_builder.call(
            "nn.conv", {x->value, data({filters, channels / groups, kernel, kernel})},
            {{"groups", groups}, {"padding", Ints{pad, pad, pad, pad}}, {"strides", Ints{stride, stride}}});
        double bound = x->bound * static_cast<double>(kernel * kernel * channels / groups);
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

    void pool()
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

    void batchNorm()
    {
        const auto x = image();
        if (!x)
            return;
        const std::int64_t channels = shapeOf(x->value)[1];
        add(m_builder.call("nn.batch_norm", {x->value, data({channels}), data({channels}), data({channels}),
                                             positive({channels})}),
            2 * x->bound + 3, false);
    }

    /// Several convolutions or products of one value, which may be combined.
    void parallel()
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

    /// Channels of groups exchanged.
    void shuffle()
    {
        const auto x = image();
        if (!x || shapeOf(x->value)[1] % 4 != 0)
            return;
        const Ints s = shapeOf(x->value);
        Value y = m_builder.call("reshape", {x->value}, {{"newshape", Ints{s[0], 4, s[1] / 4, s[2], s[3]}}});
        y = m_builder.call("transpose", {y}, {{"axes", Ints{0, 2, 1, 3, 4}}});
        add(m_builder.call("reshape", {y}, {{"newshape", s}}), x->bound, x->exact);
    }

    void convert()
    {
        const auto x = some([&](Value v) { return dtypeOf(v) != DataType::float32(); });
        if (x)
            add(m_builder.call("cast", {x->value}, {{"dtype", DataType::float32()}}), x->bound, x->exact);
    }

    Random &m_random;
    Builder m_builder;
    std::vector<Known> m_all;
};

} // namespace

graph::Function randomGraph(Random &random, int size) { return Generator(random).graph(size); }

} // namespace nestwright::tests
