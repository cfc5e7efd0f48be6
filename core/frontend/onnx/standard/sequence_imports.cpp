// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX on sequences of tensors, and on optional values. How long a sequence is and which
/// tensors it holds is known when the model is opened, so nothing of it is left in the graph.
#include "core/frontend/onnx/imported_value.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Inputs = std::vector<ImportedValue>;

constexpr std::int64_t mostParts = 100'000;

const Values &sequence(const NodeImport &node, const Inputs &inputs)
{
    if (inputs.empty() || !inputs[0].isSequence)
        node.unsupported("its first input is no sequence of tensors");
    return inputs[0].values;
}

/// The place that input `i` names in a sequence, from its end where negative; the last of `places` where it
/// is left out.
std::ptrdiff_t placeIn(NodeImport &node, std::size_t i, std::size_t places)
{
    const auto count = static_cast<std::int64_t>(places);
    const std::int64_t given = node.has(i) ? node.number(i) : count - 1;
    if (given < -count || given >= count)
        node.unsupported(std::format("there is no place {} among {} of the sequence", given, count));
    return static_cast<std::ptrdiff_t>(given < 0 ? given + count : given);
}

ImportedValue construct(NodeImport &node, const Inputs &)
{
    node.accept({"dtype"}); // of a sequence without tensors
    return {node.inputs(), true};
}

ImportedValue at(NodeImport &node, const Inputs &inputs)
{
    const Values &all = sequence(node, inputs);
    return {{all[static_cast<std::size_t>(placeIn(node, 1, all.size()))]}, false};
}

ImportedValue insert(NodeImport &node, const Inputs &inputs)
{
    Values all = sequence(node, inputs);
    const std::size_t size = all.size();
    // A place from the end counts the tensors there were: -1 is before the last of them.
    const std::int64_t given = node.has(2) ? node.number(2) : static_cast<std::int64_t>(size);
    const auto place =
        given == static_cast<std::int64_t>(size) ? static_cast<std::ptrdiff_t>(size) : placeIn(node, 2, size);
    all.insert(all.begin() + place, node.input(1));
    return {std::move(all), true};
}

ImportedValue erase(NodeImport &node, const Inputs &inputs)
{
    Values all = sequence(node, inputs);
    all.erase(all.begin() + placeIn(node, 1, all.size()));
    return {std::move(all), true};
}

ImportedValue length(NodeImport &node, const Inputs &inputs)
{
    ir::NdArray count(ir::DataType::int64(), {});
    *count.data<std::int64_t>() = static_cast<std::int64_t>(sequence(node, inputs).size());
    return {{node.constant(std::move(count))}, false};
}

/// The sizes of the parts of a dimension of `size`: given, or equal ones, the last one perhaps smaller.
Ints partsOf(NodeImport &node, std::int64_t size)
{
    const bool listed = node.has(1) && node.rank(1) == 1;
    const std::int64_t each = node.has(1) && !listed ? node.number(1) : 1;
    if (each < 1)
        node.unsupported(std::format("parts of {}", each));
    if (!listed && size / each > mostParts)
        node.unsupported(std::format("it gives more than {} tensors", mostParts));
    Ints parts;
    for (std::int64_t begin = 0; !listed && begin < size; begin += each)
        parts.push_back(std::min(each, size - begin));
    if (listed)
        parts = node.list(1);
    if (std::ranges::any_of(parts, [](std::int64_t part) { return part < 0; })
        || std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != size)
        node.unsupported("the parts do not add up to the dimension that is split");
    return parts;
}

ImportedValue splitToSequence(NodeImport &node, const Inputs &)
{
    const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
    const std::int64_t *known = ir::asInt(node.type().shape[static_cast<std::size_t>(axis)]);
    const Ints parts = partsOf(node, known ? *known : node.shape()[static_cast<std::size_t>(axis)]);
    node.accept({"keepdims"});
    // ONNX ignores keepdims where a size is given; PyTorch's exporter and ONNX Runtime take it for parts of
    // one.
    const bool single = !node.has(1) || (node.rank(1) == 0 && node.number(1) == 1);
    const bool dropped = single && node.integer("keepdims", 1) == 0;
    ImportedValue result{{}, true};
    std::int64_t begin = 0;
    for (const std::int64_t size : parts) {
        const Value part = node.slice(node.input(), axis, begin, begin + size);
        result.values.push_back(dropped ? node.without(part, axis) : part);
        begin += size;
    }
    return result;
}

ImportedValue concatSequence(NodeImport &node, const Inputs &inputs)
{
    const Values &all = sequence(node, inputs);
    if (all.empty())
        node.unsupported("the sequence is empty");
    const bool isNew = node.integer("new_axis", 0) != 0;
    const std::int64_t rank = node.typeOf(all[0]).rank() + (isNew ? 1 : 0);
    const std::int64_t axis = node.axis(node.integer("axis", 0), rank);
    return {{isNew ? stacked(node, all, axis) : node.concatenate(all, axis)}, false};
}

ImportedValue same(NodeImport &, const Inputs &inputs) { return inputs[0]; }

bool isThere(const Inputs &inputs) { return !inputs.empty() && (inputs[0].isSequence || inputs[0].tensor()); }

ImportedValue optional(NodeImport &node, const Inputs &inputs)
{
    node.accept({"type"});
    return isThere(inputs) ? inputs[0] : ImportedValue{.isMissing = true};
}

ImportedValue hasElement(NodeImport &node, const Inputs &inputs)
{
    ir::NdArray answer(ir::DataType::boolean(), {});
    answer.set(0, isThere(inputs) ? 1 : 0);
    return {{node.constant(std::move(answer))}, false};
}

ImportedValue getElement(NodeImport &node, const Inputs &inputs)
{
    if (!isThere(inputs))
        node.unsupported("the optional value that it reads is missing");
    return inputs[0];
}

constexpr SequenceRow sequenceRows[] = {
    {"ConcatFromSequence", &concatSequence},
    {"Identity", &same},
    {"Optional", &optional},
    {"OptionalGetElement", &getElement},
    {"OptionalHasElement", &hasElement},
    {"SequenceAt", &at},
    {"SequenceConstruct", &construct},
    {"SequenceEmpty", &construct},
    {"SequenceErase", &erase},
    {"SequenceInsert", &insert},
    {"SequenceLength", &length},
    {"SplitToSequence", &splitToSequence},
};

} // namespace

Value stacked(NodeImport &node, Values parts, std::int64_t axis)
{
    for (Value &part : parts) {
        Ints shape = node.shapeOf(part);
        shape.insert(shape.begin() + axis, 1);
        part = node.call("reshape", {part}, {{"newshape", std::move(shape)}, {"allowzero", true}});
    }
    return node.concatenate(std::move(parts), axis);
}

std::span<const SequenceRow> sequenceImports() { return sequenceRows; }

} // namespace nestwright::graph::onnx
