// SPDX-License-Identifier: Apache-2.0
// Every value may be had in two layouts, plain and with channels in blocks; each is made where it is first
// asked for. So a change of layout stands once, next to where it is needed, and none stands between nodes
// that agree. One block of all channels is the layout N×H×W×C (with a dimension of 1 behind N).
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace nestwright::graph {

namespace {

class LayoutPass {
public:
    /// Channels in blocks of a vector of `machine`; null: all in one.
    explicit LayoutPass(const target::Machine *machine) : m_machine(machine) {}

    Function run(const Function &function)
    {
        return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
            if (r.node.kind != NodeKind::Operator || r.node.types.size() != 1)
                return std::nullopt;
            if (const auto blocked = inBlocks(r))
                return std::vector{later(r, *blocked)};
            return std::nullopt;
        });
    }

private:
    /// A value that exists in blocks; its plain form is a node that stands for it, and is dead unless
    /// something reads it.
    Value later(Rewritten &r, Value blocked)
    {
        const Value plain = r.call("layout.from_blocks", {blocked});
        m_blocked[plain] = blocked;
        return plain;
    }

    bool wholes() const { return m_machine == nullptr; }
    std::int64_t blockFor(std::int64_t channels) const
    {
        return wholes() ? channels : channelBlock(*m_machine, channels);
    }

    /// `block` where it divides the channels of a group, or else a smaller one that does; 0: none.
    std::int64_t withinGroup(std::int64_t block, std::int64_t channels) const
    {
        return block > 0 && channels % block == 0 ? block
               : wholes()                         ? block
                                                  : channelBlock(*m_machine, channels);
    }

    /// Whether a vector is better filled by several groups, whose lanes read others of their group by a
    /// shuffle.
    bool holdsGroups(std::int64_t block, std::int64_t channels, std::int64_t filters,
                     std::int64_t groups) const
    {
        constexpr std::int64_t most = 4; // of a group: shuffles of 16 bytes are fast
        const std::int64_t ofGroup = channels / groups;
        return !wholes() && groups > 1 && channels == filters && ofGroup > 1 && ofGroup <= most
               && block > ofGroup && block % ofGroup == 0 && channels % block == 0;
    }

    bool isBlocked(Value value) const { return m_blocked.contains(value); }

    std::int64_t blockOf(Rewritten &r, Value value) const
    {
        return *ir::asInt(r.builder.typeOf(m_blocked.at(value)).shape.back());
    }

    Value blocked(Rewritten &r, Value value, std::int64_t block)
    {
        if (const auto found = m_blocked.find(value); found != m_blocked.end() && blockOf(r, value) == block)
            return found->second;
        // Several parts of an image: the image is brought into blocks, once.
        const Node node = r.builder.function().at(value);
        const Value made =
            isImagePart(node)
                ? r.builder.call("strided_slice", {blocked(r, node.inputs[0], block)}, node.attributes)
                : r.builder.call("layout.to_blocks", {value}, {{"block", block}});
        if (!isBlocked(value))
            m_blocked[value] = made;
        return made;
    }

    /// A slice of rows and columns.
    static bool isImagePart(const Node &node)
    {
        return isCall(node, "strided_slice")
               && std::ranges::all_of(std::get<Ints>(node.attributes.find("axes")->second),
                                      [](std::int64_t axis) { return axis > 1; });
    }

    std::optional<Value> inBlocks(Rewritten &r)
    {
        const std::string_view op = r.node.op->name;
        if (op == "nn.conv")
            return convolution(r);
        if (op == "nn.max_pool" || op == "nn.avg_pool")
            return pool(r);
        if (op == "mean" || op == "max")
            return spatialReduction(r);
        if (op == "concatenate")
            return concatenation(r);
        if (op == "strided_slice")
            return slice(r);
        if (op == "nn.pad")
            return pad(r);
        if (isElementwise(r.node))
            return elementwise(r);
        return std::nullopt;
    }

    std::optional<Value> convolution(Rewritten &r)
    {
        const TensorType &x = r.builder.typeOf(r.inputs[0]), &w = r.builder.typeOf(r.inputs[1]);
        const auto sizes = x.constantShape(), weight = w.constantShape();
        const std::int64_t groups = std::get<std::int64_t>(r.node.attributes.find("groups")->second);
        if (!r.inputNode(1).isConstant() || !sizes || x.rank() < 3 || x.dtype != ir::DataType::float32()
            || r.node.types[0].dtype != x.dtype)
            return std::nullopt;
        const std::int64_t channels = (*sizes)[1], filters = (*weight)[0];
        const bool depthwise = groups == channels && groups == filters && groups > 1;
        const std::int64_t given = isBlocked(r.inputs[0]) ? blockOf(r, r.inputs[0])
                                   : channels < 8         ? channels
                                                          : blockFor(channels);
        // A block lies within a group, or holds several small ones. Of the filters of each channel as many go
        // together as of the channels.
        const bool smallGroups = !depthwise && holdsGroups(given, channels, filters, groups);
        const bool alike = depthwise || smallGroups; // each block of filters reads that of the same channels
        const std::int64_t in = alike ? given : withinGroup(given, channels / groups);
        const std::int64_t out = alike ? given : withinGroup(blockFor(filters), filters / groups);
        const bool wholeGroups = channels / groups % std::max<std::int64_t>(in, 1) == 0
                                 && filters / groups % std::max<std::int64_t>(out, 1) == 0;
        if (out == 0 || in == 0 || (!wholeGroups && !alike))
            return std::nullopt;
        if (depthwise
            && (in != out
                || !(wholes() || isBlocked(r.inputs[0])))) // too little work to change the layout for
            return std::nullopt;
        const std::int64_t inner = alike ? channels / groups : in;
        Ints parts{filters / out, out, (*weight)[1] / inner, inner}, order{0, 2};
        parts.insert(parts.end(), weight->begin() + 2, weight->end());
        for (std::int64_t i = 4; i < static_cast<std::int64_t>(parts.size()); ++i)
            order.push_back(i);
        order.insert(order.end(), {3, 1});
        const Value parted = r.call("reshape", {r.inputs[1]}, {{"newshape", parts}});
        const Value packed = r.call("transpose", {parted}, {{"axes", order}});
        ops::Attributes attributes{{"depthwise", depthwise}, {"groups", depthwise ? 1 : groups}};
        for (const char *name : {"strides", "padding", "dilation"})
            attributes[name] = r.node.attributes.find(name)->second;
        return r.call("nn.blocked_conv", {blocked(r, r.inputs[0], in), packed}, attributes);
    }

    std::optional<Value> pool(Rewritten &r)
    {
        if (!isBlocked(r.inputs[0]))
            return std::nullopt;
        ops::Attributes attributes = r.node.attributes;
        attributes["blocked"] = true;
        return r.call(r.node.op->name, {m_blocked.at(r.inputs[0])}, attributes);
    }

    std::optional<Value> spatialReduction(Rewritten &r)
    {
        ops::Attributes attributes = r.node.attributes;
        Ints &axes = std::get<Ints>(attributes["axes"]);
        for (std::int64_t &axis : axes)
            axis += axis < 0 ? std::ssize(r.node.types[0].shape) : 0; // as many as there are with keepdims
        std::ranges::sort(axes);
        Ints spatial(r.node.types[0].shape.size());
        std::iota(spatial.begin(), spatial.end(), 0);
        spatial.erase(spatial.begin(), spatial.begin() + std::min<std::ptrdiff_t>(2, std::ssize(spatial)));
        if (!isBlocked(r.inputs[0]) || axes != spatial
            || !std::get<bool>(r.node.attributes.find("keepdims")->second))
            return std::nullopt;
        return r.call(r.node.op->name, {m_blocked.at(r.inputs[0])}, attributes);
    }

    /// Concatenates in blocks if all inputs are in blocks, or constant. Otherwise as much would be brought
    /// into blocks as is saved, and out of them again where nothing that follows wants blocks.
    std::optional<Value> concatenation(Rewritten &r)
    {
        if (std::get<std::int64_t>(r.node.attributes.find("axis")->second) != 1)
            return std::nullopt;
        std::int64_t block = 0;
        for (const Value input : r.inputs) {
            if (isBlocked(input))
                block = block == 0 ? blockOf(r, input) : std::min(block, blockOf(r, input));
        }
        std::vector<Value> inputs;
        for (const Value input : r.inputs) {
            const std::int64_t *channels = ir::asInt(r.builder.typeOf(input).shape[1]);
            if (block == 0 || !channels || (!wholes() && *channels % block != 0)
                || (!isBlocked(input) && !r.builder.function().at(input).isConstant()))
                return std::nullopt;
            inputs.push_back(blocked(r, input, wholes() ? *channels : block));
        }
        ops::Attributes attributes = r.node.attributes;
        if (wholes())
            attributes["axis"] = std::int64_t{-1};
        return r.call("concatenate", inputs, attributes);
    }

    /// A slice of channels, where it begins and ends with blocks.
    std::optional<Value> slice(Rewritten &r)
    {
        const auto list = [&](std::string_view name) {
            return std::get<Ints>(r.node.attributes.find(name)->second);
        };
        if (!isBlocked(r.inputs[0]))
            return std::nullopt;
        if (isImagePart(r.node))
            return r.call("strided_slice", {m_blocked.at(r.inputs[0])}, r.node.attributes);
        if (list("axes") != Ints{1} || list("strides") != Ints{1})
            return std::nullopt;
        const std::int64_t block = blockOf(r, r.inputs[0]), begin = list("begin")[0],
                           count = (*r.node.types[0].constantShape())[1];
        const std::int64_t unit = wholes() ? 1 : block; // of the axis along which is sliced then
        if (begin < 0 || begin % unit != 0 || count % unit != 0)
            return std::nullopt;
        return r.call("strided_slice", {m_blocked.at(r.inputs[0])},
                      {{"begin", Ints{begin / unit}},
                       {"end", Ints{(begin + count) / unit}},
                       {"strides", Ints{1}},
                       {"axes", Ints{wholes() ? -1 : 1}}});
    }

    /// Around images, with zeros.
    std::optional<Value> pad(Rewritten &r)
    {
        Ints width = std::get<Ints>(r.node.attributes.find("pad_width")->second);
        const std::size_t rank = width.size() / 2;
        const bool isOfImages =
            rank >= 2 && width[0] == 0 && width[1] == 0 && width[rank] == 0 && width[rank + 1] == 0;
        if (!isBlocked(r.inputs[0]) || r.inputs.size() != 1 || !isOfImages)
            return std::nullopt;
        ops::Attributes attributes = r.node.attributes;
        width.insert(width.begin() + static_cast<std::ptrdiff_t>(rank), 0);
        width.push_back(0);
        attributes["pad_width"] = width;
        return r.call("nn.pad", {m_blocked.at(r.inputs[0])}, attributes);
    }

    /// Computes in blocks if all inputs of the result's shape are in blocks, or constant; inputs per channel
    /// lie in blocks as they are.
    std::optional<Value> elementwise(Rewritten &r)
    {
        std::int64_t block = 0;
        for (const Value input : r.inputs) {
            if (isBlocked(input) && r.builder.typeOf(input).shape.size() == r.node.types[0].shape.size())
                block = std::max(block, blockOf(r, input));
        }
        if (block == 0)
            return std::nullopt;
        const ops::Shape &result = r.node.types[0].shape;
        const auto isWhole = [&](Value input) {
            return TensorType{r.builder.typeOf(input).shape, {}} == TensorType{result, {}};
        };
        for (const Value input : r.inputs) {
            const bool ready = isBlocked(input) || r.builder.function().at(input).isConstant();
            if (isWhole(input) ? !ready : !isPerChannel(r, input))
                return std::nullopt;
        }
        std::vector<Value> inputs;
        for (const Value input : r.inputs)
            inputs.push_back(isWhole(input) ? blocked(r, input, block) : perChannel(r, input, block));
        return r.call(r.node.op->name, inputs, r.node.attributes);
    }

    /// One element, or one per channel, of each image or of all.
    static bool isPerChannel(Rewritten &r, Value input)
    {
        const ops::Shape &shape = r.builder.typeOf(input).shape, &result = r.node.types[0].shape;
        if (ir::isConstInt(product(shape), 1))
            return true;
        if (shape.size() > result.size())
            return false;
        const auto isOfResult = [&](std::size_t i, std::size_t dimension) {
            return ir::asInt(shape[i]) && TensorType{{shape[i]}, {}} == TensorType{{result[dimension]}, {}};
        };
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::size_t dimension = result.size() - shape.size() + i;
            const bool fits = dimension == 1   ? isOfResult(i, 1)
                              : dimension == 0 ? ir::isConstInt(shape[i], 1) || isOfResult(i, 0)
                                               : ir::isConstInt(shape[i], 1);
            if (!fits)
                return false;
        }
        return true;
    }
    static ir::Expr product(const ops::Shape &shape)
    {
        ir::Expr total = 1;
        for (const ir::Expr &size : shape)
            total = total * size;
        return total;
    }
    Value perChannel(Rewritten &r, Value input, std::int64_t block) const
    {
        const ops::Shape &shape = r.builder.typeOf(input).shape;
        if (ir::isConstInt(product(shape), 1)) // broadcasts as it is, once it has no dimension too many
            return shape.empty() ? input : r.call("reshape", {input}, {{"newshape", Ints{}}});
        if (isBlocked(input) && blockOf(r, input) == block)
            return m_blocked.at(input);
        const std::size_t rank = r.node.types[0].shape.size();
        Ints blocks(rank + 1, 1);
        if (shape.size() == rank)
            blocks[0] = *ir::asInt(shape[0]);
        blocks[1] = -1;
        blocks.back() = block;
        return r.call("reshape", {input}, {{"newshape", blocks}});
    }

    const target::Machine *m_machine;
    std::map<Value, Value> m_blocked; ///< the blocked form of plain values
};

} // namespace

Function alterOpLayout(const Function &function, const target::Machine &machine)
{
    return LayoutPass(&machine).run(function);
}

Function convertLayout(const Function &function) { return LayoutPass(nullptr).run(function); }

} // namespace nestwright::graph
