// SPDX-License-Identifier: Apache-2.0
// Attention that a model spells out becomes the operator: products of queries and keys, scaled, with a bias
// or a mask, softmax, and the product with the values. What brings heads together or repeats them goes into
// the operator as well, since it reads either order.
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"
#include "core/ops/nn/attention.h"
#include "core/ops/table/shapes.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph {

namespace {

/// Softmax of scores as it stands in the new graph, taken apart backwards.
class AttentionMatch {
public:
    explicit AttentionMatch(Rewritten &r) : m_r(r) {}

    /// The operator in place of the product `weights · values`; nothing where it is none.
    std::optional<Value> fused()
    {
        const Value weights = m_r.inputs[0], values = m_r.inputs[1];
        const Node &softmax = nodeOf(weights);
        if (isTransposing(m_r.node) || !isCall(softmax, "nn.softmax") || m_r.readersOf(weights) > 1)
            return std::nullopt;
        const auto shape = shapeOf(weights), width = shapeOf(values);
        const std::int64_t axis = std::get<std::int64_t>(softmax.attributes.find("axis")->second);
        if (!shape || !width || shape->size() != 4 || width->size() != 4 || (axis != -1 && axis != 3)
            || !typeOf(weights).dtype.isFloating() || std::ranges::contains(*shape, 0)
            || std::ranges::contains(*width, 0))
            return std::nullopt;
        m_scores = *shape;
        const auto products = takenApart(softmax.inputs[0]);
        if (!products)
            return std::nullopt;
        const Node product = nodeOf(*products);
        const bool transposesKeys = std::get<bool>(product.attributes.find("transpose_b")->second);
        if (std::get<bool>(product.attributes.find("transpose_a")->second))
            return std::nullopt;
        const Value queries = unscaled(product.inputs[0]);
        const Value across = unscaled(product.inputs[1]);
        const auto keys = transposesKeys ? std::optional(across) : untransposed(across);
        if (!keys)
            return std::nullopt;
        return call(queries, *keys, values);
    }

private:
    const Node &nodeOf(Value value) const { return m_r.builder.function().at(value); }
    const TensorType &typeOf(Value value) const { return m_r.builder.typeOf(value); }
    std::optional<Ints> shapeOf(Value value) const { return typeOf(value).constantShape(); }
    static bool isTransposing(const Node &product)
    {
        return std::get<bool>(product.attributes.find("transpose_a")->second)
               || std::get<bool>(product.attributes.find("transpose_b")->second);
    }
    bool isTransposed(Value value, const Ints &axes) const
    {
        const Node &node = nodeOf(value);
        return isCall(node, "transpose") && std::get<Ints>(node.attributes.find("axes")->second) == axes;
    }
    Value made(std::string_view op, std::vector<Value> inputs, ops::Attributes attributes = {})
    {
        return m_r.builder.call(op, std::move(inputs), std::move(attributes));
    }

    std::optional<double> scalar(Value value) const
    {
        const Node &node = nodeOf(value);
        return node.isConstant() && node.data->size() == 1 ? std::optional(node.data->at(0)) : std::nullopt;
    }

    /// The other factor of a product or quotient with one number, which goes into the scale; nothing for
    /// other values.
    std::optional<Value> withoutFactor(Value value)
    {
        const Node &node = nodeOf(value);
        const bool divides = isCall(node, "divide");
        if (!divides && !isCall(node, "multiply"))
            return std::nullopt;
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
            const auto factor = scalar(node.inputs[1 - i]);
            if (factor && typeOf(node.inputs[i]) == typeOf(value) && (i == 0 || !divides)) {
                m_scale = divides ? m_scale / *factor : m_scale * *factor;
                return node.inputs[i];
            }
        }
        return std::nullopt;
    }

    Value unscaled(Value value)
    {
        while (const auto inner = withoutFactor(value))
            value = *inner;
        return value;
    }

    /// `shape` with dimensions of 1 before it left out, or added, up to as many as scores have.
    static std::optional<Ints> likeScores(Ints shape)
    {
        while (shape.size() > 4 && shape.front() == 1)
            shape.erase(shape.begin());
        return shape.size() <= 4 ? std::optional(shape) : std::nullopt;
    }

    /// The bias of the scores, where it broadcasts to them.
    std::optional<Value> asBias(Value value)
    {
        const auto own = shapeOf(value);
        const auto shape = own ? likeScores(*own) : std::nullopt;
        if (!shape)
            return std::nullopt;
        for (std::size_t i = 0; i < shape->size(); ++i) {
            const std::int64_t size = (*shape)[i];
            if (size != 1 && size != m_scores[4 - shape->size() + i])
                return std::nullopt;
        }
        return *shape == *own ? value : made("reshape", {value}, {{"newshape", *shape}, {"allowzero", true}});
    }

    bool addBias(Value value)
    {
        const auto bias = asBias(value);
        if (!bias)
            return false;
        m_bias = m_bias ? made("add", {m_bias, *bias}) : *bias;
        return true;
    }

    /// Follows the scores back to the products; everything on the way has a single reader.
    std::optional<Value> takenApart(Value value)
    {
        for (;;) {
            const Node node = nodeOf(value);
            if (m_r.readersOf(value) > 1)
                return std::nullopt;
            if (isCall(node, "nn.matmul"))
                return typeOf(value).constantShape() == m_scores ? std::optional(value) : std::nullopt;
            std::optional<Value> inner;
            if (m_scale == 1 && isCall(node, "add")) {
                for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
                    if (!inner && leadsToProducts(node.inputs[i]) && addBias(node.inputs[1 - i]))
                        inner = node.inputs[i];
                }
            } else if (m_scale == 1 && isCall(node, "where")) {
                const auto other = scalar(node.inputs[2]);
                if (other && *other <= ops::hidingBias && leadsToProducts(node.inputs[1])) {
                    const Value zero = m_r.builder.scalar(0, typeOf(value).dtype);
                    if (addBias(made("where", {node.inputs[0], zero, node.inputs[2]})))
                        inner = node.inputs[1];
                }
            } else if (isCall(node, "reshape")) {
                const auto before = shapeOf(node.inputs[0]);
                if (before && likeScores(*before) == likeScores(*shapeOf(value)))
                    inner = node.inputs[0];
            } else {
                inner = withoutFactor(value);
            }
            if (!inner)
                return std::nullopt;
            value = *inner;
        }
    }

    /// Whether the value has the elements of scores, and is no constant.
    bool leadsToProducts(Value value) const
    {
        const auto shape = shapeOf(value);
        return shape && likeScores(*shape) == m_scores && nodeOf(value).kind == NodeKind::Operator
               && !isCall(nodeOf(value), "broadcast_to") && m_r.readersOf(value) == 1;
    }

    /// The tensor whose last two dimensions `value` has exchanged.
    std::optional<Value> untransposed(Value value)
    {
        if (isTransposed(value, {0, 1, 3, 2}))
            return unscaled(nodeOf(value).inputs[0]);
        if (isTransposed(value, {0, 2, 3, 1}))
            return made("transpose", {unscaled(nodeOf(value).inputs[0])}, {{"axes", headsFirst}});
        return untransposedBeforeReshape(value);
    }

    /// The same where the leading dimensions stand apart only afterwards.
    std::optional<Value> untransposedBeforeReshape(Value value)
    {
        const Node &last = nodeOf(value);
        const auto shape = shapeOf(value);
        if (!isCall(last, "reshape") || !shape || shape->size() != 4)
            return std::nullopt;
        const Node &exchange = nodeOf(last.inputs[0]);
        const auto before = shapeOf(last.inputs[0]);
        if (!isCall(exchange, "transpose") || !before || before->size() < 2
            || !std::equal(before->end() - 2, before->end(), shape->begin() + 2))
            return std::nullopt;
        Ints axes(before->size());
        std::iota(axes.begin(), axes.end(), 0);
        std::iter_swap(axes.end() - 1, axes.end() - 2);
        if (std::get<Ints>(exchange.attributes.find("axes")->second) != axes)
            return std::nullopt;
        const Ints heads{(*shape)[0], (*shape)[1], (*shape)[3], (*shape)[2]};
        const Value keys = unscaled(exchange.inputs[0]);
        const Node &apart = nodeOf(keys);
        if (isCall(apart, "reshape") && shapeOf(apart.inputs[0]) == heads)
            return unscaled(apart.inputs[0]);
        return made("reshape", {keys}, {{"newshape", heads}, {"allowzero", true}});
    }

    /// The tensor whose heads `value` repeats: reshaped, repeated along a new dimension, and reshaped.
    std::optional<Value> unrepeated(Value value) const
    {
        const Node &last = nodeOf(value);
        if (!isCall(last, "reshape") || !isCall(nodeOf(last.inputs[0]), "broadcast_to"))
            return std::nullopt;
        const Node &repeat = nodeOf(last.inputs[0]);
        if (!isCall(nodeOf(repeat.inputs[0]), "reshape"))
            return std::nullopt;
        const Value inner = nodeOf(repeat.inputs[0]).inputs[0];
        const auto heads = shapeOf(value), one = shapeOf(repeat.inputs[0]), many = shapeOf(last.inputs[0]),
                   given = shapeOf(inner);
        if (!heads || !one || !many || !given || one->size() != 5 || given->size() != 4 || (*one)[2] != 1)
            return std::nullopt;
        const Ints &g = *given;
        const std::int64_t share = (*many)[2];
        const bool fits = *one == Ints{g[0], g[1], 1, g[2], g[3]}
                          && *many == Ints{g[0], g[1], share, g[2], g[3]}
                          && *heads == Ints{g[0], g[1] * share, g[2], g[3]};
        return fits ? std::optional(inner) : std::nullopt;
    }

    std::optional<Value> call(Value q, Value k, Value v)
    {
        const auto groupedKeys = unrepeated(k), groupedValues = unrepeated(v);
        if (groupedKeys && groupedValues && shapeOf(*groupedKeys)->at(1) == shapeOf(*groupedValues)->at(1)) {
            k = *groupedKeys;
            v = *groupedValues;
        }
        const auto a = shapeOf(q), b = shapeOf(k), c = shapeOf(v);
        // Leading dimensions that broadcast are none of the operator's.
        if (!a || !b || !c || a->size() != 4 || b->size() != 4 || (*a)[0] != (*b)[0] || (*a)[0] != (*c)[0]
            || (*b)[1] != (*c)[1] || (*a)[1] % (*b)[1] != 0 || typeOf(q).dtype != typeOf(v).dtype
            || typeOf(q).dtype != typeOf(k).dtype)
            return std::nullopt;
        ops::Attributes attributes{{"scale", m_scale}, {"bias", bool(m_bias)}};
        if (isTransposed(k, headsFirst) && isTransposed(v, headsFirst)) {
            k = nodeOf(k).inputs[0];
            v = nodeOf(v).inputs[0];
            attributes["key_layout"] = std::string("BLHD");
        }
        std::vector<Value> inputs{q, k, v};
        if (m_bias)
            inputs.push_back(m_bias);
        return m_r.call("nn.attention", inputs, attributes);
    }

    static inline const Ints headsFirst{0, 2, 1, 3};

    Rewritten &m_r;
    Ints m_scores;
    double m_scale = 1;
    Value m_bias;
};

/// The operator with heads behind positions, in place of a transposition of queries and of its result.
std::optional<Value> withHeadsLast(Rewritten &r)
{
    const Ints exchange{0, 2, 1, 3};
    const Node attention = r.inputNode(0);
    const auto isExchange = [&](const Node &node) {
        return isCall(node, "transpose") && std::get<Ints>(node.attributes.find("axes")->second) == exchange;
    };
    if (!isExchange(r.node) || !isCall(attention, "nn.attention") || r.readersOf(r.inputs[0]) > 1
        || std::get<std::string>(attention.attributes.find("layout")->second) != "BHLD"
        || !isExchange(r.builder.function().at(attention.inputs[0])))
        return std::nullopt;
    std::vector<Value> inputs = attention.inputs;
    inputs[0] = r.builder.function().at(inputs[0]).inputs[0];
    ops::Attributes attributes = attention.attributes;
    attributes["layout"] = std::string("BLHD");
    return r.builder.call("nn.attention", inputs, attributes, attention.name);
}

} // namespace

Function fuseAttention(const Function &function)
{
    return rewrite(function, [](Rewritten &r) -> std::optional<std::vector<Value>> {
        std::optional<Value> result;
        if (isCall(r.node, "nn.matmul"))
            result = AttentionMatch(r).fused();
        else if (isCall(r.node, "transpose"))
            result = withHeadsLast(r);
        return result ? std::optional(std::vector{*result}) : std::nullopt;
    });
}

} // namespace nestwright::graph
