// SPDX-License-Identifier: Apache-2.0
// A convolution with a window of one element treats all places of an image alike, so the image may as well be
// one long row: rows of 14 or 7 fill no vector, 196 or 49 in a row nearly do. Reshapes between the two forms
// only rename memory. As in the pass on layouts, a value may be had in both forms, and elementwise operators
// behind it are computed on the long row too.
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <map>

namespace nestwright::graph {

namespace {

class FlattenPass {
public:
    Function run(const Function &function)
    {
        return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
            if (r.node.kind != NodeKind::Operator || r.node.types.size() != 1)
                return std::nullopt;
            const auto shape = r.node.types[0].constantShape();
            if (!shape || shape->size() < 4 || (*shape)[shape->size() - 2] == 1)
                return std::nullopt;
            const auto flat = isCall(r.node, "nn.conv") ? convolution(r) : elementwise(r);
            if (!flat)
                return std::nullopt;
            const Value whole = r.call("reshape", {*flat}, {{"newshape", *shape}, {"allowzero", true}});
            m_flat[whole] = *flat;
            return std::vector{whole};
        });
    }

private:
    /// N×C×1×…×1×(all places).
    static Ints flatShape(const Ints &shape)
    {
        Ints flat(shape.size(), 1);
        flat[0] = shape[0];
        flat[1] = shape[1];
        for (std::size_t i = 2; i < shape.size(); ++i)
            flat.back() *= shape[i];
        return flat;
    }

    Value flat(Rewritten &r, Value value)
    {
        if (const auto known = m_flat.find(value); known != m_flat.end())
            return known->second;
        const Value made = r.builder.call(
            "reshape", {value},
            {{"newshape", flatShape(*r.builder.typeOf(value).constantShape())}, {"allowzero", true}});
        m_flat[value] = made;
        return made;
    }

    std::optional<Value> convolution(Rewritten &r)
    {
        const auto image = r.builder.typeOf(r.inputs[0]).constantShape(),
                   weight = r.builder.typeOf(r.inputs[1]).constantShape();
        const auto isAll = [&](std::string_view attribute, std::int64_t value) {
            return std::ranges::all_of(std::get<Ints>(r.node.attributes.find(attribute)->second),
                                       [&](std::int64_t v) { return v == value; });
        };
        if (!image || !weight || !isAll("strides", 1) || !isAll("padding", 0)
            || !std::all_of(weight->begin() + 2, weight->end(), [](std::int64_t size) { return size == 1; }))
            return std::nullopt;
        return r.call("nn.conv", {flat(r, r.inputs[0]), r.inputs[1]}, r.node.attributes);
    }

    /// Elementwise operator after a flattened convolution: each input has the shape of the result or is
    /// broadcast over the spatial dimensions.
    std::optional<Value> elementwise(Rewritten &r)
    {
        if (!isElementwise(r.node))
            return std::nullopt;
        bool follows = false;
        std::vector<Value> inputs;
        for (const Value input : r.inputs) {
            const bool isWhole =
                TensorType{r.builder.typeOf(input).shape, {}} == TensorType{r.node.types[0].shape, {}};
            follows =
                follows
                || (isWhole && m_flat.contains(input) && isCall(r.builder.function().at(input), "reshape"));
            if (!isWhole && !isSameForAllPlaces(r, input))
                return std::nullopt;
        }
        if (!follows)
            return std::nullopt;
        for (const Value input : r.inputs)
            inputs.push_back(isSameForAllPlaces(r, input) ? input : flat(r, input));
        return r.call(r.node.op->name, inputs, r.node.attributes);
    }

    /// Whether the spatial dimensions are 1, so that the input broadcasts to the flat row as it is.
    static bool isSameForAllPlaces(const Rewritten &r, Value input)
    {
        const ops::Shape &shape = r.builder.typeOf(input).shape;
        const std::size_t places = std::min(shape.size(), r.node.types[0].shape.size() - 2);
        return std::all_of(shape.end() - static_cast<std::ptrdiff_t>(places), shape.end(),
                           [](const ir::Expr &size) { return ir::isConstInt(size, 1); });
    }

    std::map<Value, Value> m_flat; ///< the long row of values
};

} // namespace

Function flattenPointwise(const Function &function) { return FlattenPass().run(function); }

} // namespace nestwright::graph
