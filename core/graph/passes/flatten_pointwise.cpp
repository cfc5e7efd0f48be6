// SPDX-License-Identifier: Apache-2.0
// A convolution with a window of one element treats all places of an image alike, so the image may as well be
// one long row: rows of 14 or 7 fill no vector, 196 or 49 in a row nearly do. With channels in blocks a place
// is a vector, and the 7 of a short row are no good tile, 49 are. Reshapes between the two forms only rename
// memory. Where strides leave short rows the places that are read are copied first, which costs less. As in
// the pass on layouts, a value may be had in both forms, and elementwise operators behind it are computed on
// the long row too.
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <map>
#include <span>

namespace nestwright::graph {

namespace {

/// Where the places of an image stand in its shape: behind images and channels, and before the channels of a
/// block where these are in blocks.
struct Form {
    bool isBlocked = false;

    static constexpr std::size_t first = 2;
    std::size_t behind() const { return isBlocked ? 1 : 0; }
    std::size_t dimensions(const auto &shape) const { return shape.size() - first - behind(); }

    bool operator==(const Form &) const = default;
};

/// The long row of a value.
struct Flat {
    Value value;
    Form form;
};

class FlattenPass {
public:
    explicit FlattenPass(const target::Machine &machine) : m_machine(machine) {}

    Function run(const Function &function)
    {
        return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
            if (r.node.kind != NodeKind::Operator || r.node.types.size() != 1)
                return std::nullopt;
            const auto shape = r.node.types[0].constantShape();
            if (!shape)
                return std::nullopt;
            const bool isBlocked = isCall(r.node, "nn.blocked_conv");
            const auto flat = isBlocked || isCall(r.node, "nn.conv") ? convolution(r, {isBlocked}, *shape)
                                                                     : elementwise(r, *shape);
            if (!flat)
                return std::nullopt;
            const Value whole = r.call("reshape", {flat->value}, {{"newshape", *shape}, {"allowzero", true}});
            m_flat.emplace(whole, *flat);
            return std::vector{whole};
        });
    }

private:
    /// Whether there are places in more than one dimension.
    static bool hasRows(const Ints &shape, Form form)
    {
        return shape.size() >= Form::first + form.behind() + 2
               && shape[shape.size() - form.behind() - 2] != 1;
    }

    /// N×C×1×…×1×(all places), or with a block of channels behind.
    static Ints flatShape(const Ints &shape, Form form)
    {
        Ints flat(shape.size(), 1);
        std::copy_n(shape.begin(), Form::first, flat.begin());
        const std::size_t last = shape.size() - form.behind();
        for (std::size_t i = Form::first; i < last; ++i)
            flat[last - 1] *= shape[i];
        std::copy(shape.begin() + static_cast<std::ptrdiff_t>(last), shape.end(),
                  flat.begin() + static_cast<std::ptrdiff_t>(last));
        return flat;
    }

    Value flat(Rewritten &r, Value value, Form form)
    {
        if (const auto known = m_flat.find(value); known != m_flat.end())
            return known->second.value;
        const Value made = r.builder.call(
            "reshape", {value},
            {{"newshape", flatShape(*r.builder.typeOf(value).constantShape(), form)}, {"allowzero", true}});
        m_flat.emplace(value, Flat{made, form});
        return made;
    }

    std::optional<Flat> convolution(Rewritten &r, Form form, const Ints &shape)
    {
        const auto image = r.builder.typeOf(r.inputs[0]).constantShape(),
                   weight = r.builder.typeOf(r.inputs[1]).constantShape();
        const auto isAll = [](std::span<const std::int64_t> values, std::int64_t value) {
            return std::ranges::all_of(values, [&](std::int64_t v) { return v == value; });
        };
        const auto list = [&](std::string_view name) {
            return std::get<Ints>(r.node.attributes.find(name)->second);
        };
        if (!image || !weight || !hasRows(shape, form) || !isAll(list("padding"), 0)
            || !isAll(std::span(*weight).subspan(Form::first, form.dimensions(*image)), 1))
            return std::nullopt;
        Value input = r.inputs[0];
        ops::Attributes attributes = r.node.attributes;
        const Ints strides = list("strides");
        const bool isDense = isAll(strides, 1);
        if (form.isBlocked ? !isShort(shape[shape.size() - 2]) : !isDense)
            return std::nullopt;
        if (!isDense) {
            input = everyNth(r, input, strides, *image);
            attributes["strides"] = Ints(strides.size(), 1);
        }
        return Flat{r.call(r.node.op->name, {flat(r, input, form), r.inputs[1]}, attributes), form};
    }

    /// Whether a row of vectors is no good tile: sums of some filters for it leave units waiting, and those
    /// of one filter more are too many for the registers.
    bool isShort(std::int64_t row) const
    {
        const target::Machine::Vectors &unit = m_machine.vectors;
        return row <= unit.sums && unit.sums / row * row < std::int64_t{unit.units} * unit.latency;
    }

    /// The places of the image that strides lead to.
    static Value everyNth(Rewritten &r, Value image, const Ints &strides, const Ints &shape)
    {
        Ints axes, ends;
        for (std::size_t i = 0; i < strides.size(); ++i) {
            axes.push_back(static_cast<std::int64_t>(Form::first + i));
            ends.push_back(shape[Form::first + i]);
        }
        return r.call(
            "strided_slice", {image},
            {{"begin", Ints(strides.size(), 0)}, {"end", ends}, {"strides", strides}, {"axes", axes}});
    }

    /// Elementwise operator after a flattened convolution: each input has the shape of the result or is
    /// broadcast over the spatial dimensions.
    std::optional<Flat> elementwise(Rewritten &r, const Ints &shape)
    {
        if (!isElementwise(r.node))
            return std::nullopt;
        std::optional<Form> form; // of the convolution
        const auto isWhole = [&](Value input) {
            return TensorType{r.builder.typeOf(input).shape, {}} == TensorType{r.node.types[0].shape, {}};
        };
        for (const Value input : r.inputs) {
            const auto known = m_flat.find(input);
            if (known != m_flat.end() && isWhole(input) && isCall(r.builder.function().at(input), "reshape"))
                form = known->second.form;
        }
        if (!form || !hasRows(shape, *form))
            return std::nullopt;
        std::vector<Value> inputs;
        for (const Value input : r.inputs) {
            const auto known = m_flat.find(input);
            const bool isSame = isSameForAllPlaces(r, input, *form);
            if (!isSame && (!isWhole(input) || (known != m_flat.end() && known->second.form != *form)))
                return std::nullopt;
            inputs.push_back(isSame ? input : flat(r, input, *form));
        }
        return Flat{r.call(r.node.op->name, inputs, r.node.attributes), *form};
    }

    /// Whether the spatial dimensions are 1, so that the input broadcasts to the flat row as it is.
    static bool isSameForAllPlaces(const Rewritten &r, Value input, Form form)
    {
        const ops::Shape &shape = r.builder.typeOf(input).shape;
        const std::size_t behind = std::min(shape.size(), form.behind()),
                          places = std::min(shape.size() - behind, form.dimensions(r.node.types[0].shape));
        return std::all_of(shape.end() - static_cast<std::ptrdiff_t>(behind + places),
                           shape.end() - static_cast<std::ptrdiff_t>(behind),
                           [](const ir::Expr &size) { return ir::isConstInt(size, 1); });
    }

    const target::Machine &m_machine;
    std::map<Value, Flat> m_flat;
};

} // namespace

Function flattenPointwise(const Function &function, const target::Machine &machine)
{
    return FlattenPass(machine).run(function);
}

} // namespace nestwright::graph
