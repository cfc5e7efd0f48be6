// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX whose results are known when the model is opened.
#include "core/frontend/onnx/file/made_array.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Values constant(NodeImport &node)
{
    if (const OnnxTensor value = node.tensor("value"); value.data) {
        node.setResultType(value.narrow);
        return {node.builder().constant(value.data, node.node().name)};
    }
    if (node.hasAttribute("value_int"))
        return {node.constant([&] {
            ir::NdArray one(ir::DataType::int64(), {});
            *one.data<std::int64_t>() = node.integer("value_int", 0);
            return one;
        }())};
    if (node.hasAttribute("value_ints"))
        return {node.constant(integerArray(node.integers("value_ints")))};
    if (node.hasAttribute("value_float"))
        return {node.scalar(node.real("value_float", 0), ir::DataType::float32())};
    if (node.hasAttribute("value_floats")) {
        const std::vector<double> values = node.reals("value_floats");
        ir::NdArray array(ir::DataType::float32(), {static_cast<std::int64_t>(values.size())});
        for (std::size_t i = 0; i < values.size(); ++i)
            array.set(static_cast<std::int64_t>(i), values[i]);
        return {node.constant(std::move(array))};
    }
    node.unsupported("constants of text and sparse ones are not supported");
}

Values constantOfShape(NodeImport &node)
{
    const OnnxTensor given = node.tensor("value");
    node.setResultType(given.narrow);
    const Data value = given.data;
    if (value && value->size() != 1)
        node.unsupported("the value must be one number");
    const Ints shape = node.list(0);
    return {node.constant(value ? madeArray(node, *value, shape)
                                : madeArray(node, ir::DataType::float32(), shape))};
}

Values shape(NodeImport &node)
{
    const std::int64_t rank = node.rank();
    const auto placed = [&](std::int64_t at) {
        return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
    };
    const std::int64_t begin = placed(node.integer("start", 0)), end = placed(node.integer("end", rank));
    Ints sizes = node.shape();
    return {
        node.constant(integerArray(begin < end ? Ints(sizes.begin() + begin, sizes.begin() + end) : Ints()))};
}

Values size(NodeImport &node)
{
    const Ints sizes = node.shape();
    ir::NdArray count(ir::DataType::int64(), {});
    *count.data<std::int64_t>() =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    return {node.constant(std::move(count))};
}

/// A range of numbers that a double may not hold.
Value wholeRange(NodeImport &node)
{
    using Wide = __int128;
    const Wide start = node.number(0), limit = node.number(1), step = node.number(2);
    if (step == 0)
        node.unsupported("the step is 0");
    const Wide distance = step > 0 ? limit - start : start - limit, width = step > 0 ? step : -step;
    const Wide count = distance <= 0 ? 0 : (distance + width - 1) / width;
    if (count >= Wide{1} << 31)
        node.unsupported("it has 2^31 elements or more");
    ir::NdArray array = madeArray(node, ir::DataType::int64(), {static_cast<std::int64_t>(count)});
    for (std::int64_t i = 0; i < array.size(); ++i)
        array.data<std::int64_t>()[i] = static_cast<std::int64_t>(start + i * step);
    return node.constant(std::move(array));
}

Values range(NodeImport &node)
{
    node.accept({"stash_type"}); // elements are computed in float64
    if (node.type().dtype == ir::DataType::int64())
        return {wholeRange(node)};
    const double start = node.realNumber(0), limit = node.realNumber(1), step = node.realNumber(2);
    if (step == 0)
        node.unsupported("the step is 0");
    const double steps = std::ceil((limit - start) / step);
    if (!(steps < 2147483648.0)) // not a number, too
        node.unsupported("it has 2^31 elements or more, or a bound or step that is no number");
    const auto count = static_cast<std::int64_t>(std::max(0.0, steps));
    ir::NdArray array = madeArray(node, node.type().dtype, {count});
    for (std::int64_t i = 0; i < count; ++i)
        array.set(i, start + static_cast<double>(i) * step);
    return {node.constant(std::move(array))};
}

Values eyeLike(NodeImport &node)
{
    const Ints sizes = node.shape();
    const auto type =
        node.hasAttribute("dtype") ? elementTypeOf(node.integer("dtype", 0)) : node.type().dtype;
    if (!type || sizes.size() != 2)
        node.unsupported("it needs a matrix, and a type of numbers");
    ir::NdArray array = madeArray(node, *type, sizes);
    // A diagonal further away is as empty as one just outside.
    const std::int64_t diagonal = std::clamp(node.integer("k", 0), -sizes[0], sizes[1]);
    for (std::int64_t row = 0; row < sizes[0]; ++row) {
        const std::int64_t column = row + diagonal;
        if (column >= 0 && column < sizes[1])
            array.set(row * sizes[1] + column, 1);
    }
    return {node.constant(std::move(array))};
}

/// a0 - a1 cos(2πn/N) + a2 cos(4πn/N).
Values window(NodeImport &node, double a0, double a1, double a2)
{
    const std::int64_t count = node.number(0);
    const auto type = elementTypeOf(node.integer("output_datatype", 1));
    if (!type || count < 0 || count >= (std::int64_t{1} << 31))
        node.unsupported("it needs a length below 2^31, and a type of numbers");
    const double period = static_cast<double>(node.integer("periodic", 1) ? count : count - 1);
    ir::NdArray array = madeArray(node, *type, {count});
    for (std::int64_t i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
        array.set(i, a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
    }
    return {node.constant(std::move(array))};
}

Values hannWindow(NodeImport &node) { return window(node, 0.5, 0.5, 0); }

Values hammingWindow(NodeImport &node) { return window(node, 25.0 / 46, 21.0 / 46, 0); }

Values blackmanWindow(NodeImport &node) { return window(node, 0.42, 0.5, 0.08); }

/// Indices of the elements that are not 0, one column for each; a number has no dimensions, so its column is
/// empty.
Values nonZero(NodeImport &node)
{
    const ir::NdArray &data = node.data(0);
    const Ints sizes = data.shape();
    std::vector<Ints> found(sizes.size());
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < data.size(); ++i) {
        if (data.at(i) == 0)
            continue;
        ++count;
        std::int64_t rest = i;
        for (std::size_t k = sizes.size(); k-- > 0;) {
            found[k].push_back(rest % sizes[k]);
            rest /= sizes[k];
        }
    }
    ir::NdArray array(ir::DataType::int64(), {static_cast<std::int64_t>(sizes.size()), count});
    std::int64_t *next = array.data<std::int64_t>();
    for (const Ints &row : found)
        next = std::ranges::copy(row, next).out;
    return {node.constant(std::move(array))};
}

/// Slices along an axis where a condition that is known holds.
Values compress(NodeImport &node)
{
    const ir::NdArray &condition = node.data(1);
    Ints picked;
    for (std::int64_t i = 0; i < condition.size(); ++i) {
        if (condition.at(i) != 0)
            picked.push_back(i);
    }
    Value x = node.input();
    if (!node.hasAttribute("axis"))
        x = node.reshape(x, {-1});
    const std::int64_t axis = node.hasAttribute("axis") ? node.axis(node.integer("axis", 0), node.rank()) : 0;
    return {node.call("take", {x, node.constant(integerArray(picked))}, {{"axis", axis}})};
}

constexpr ImportRow constantRows[] = {
    {"BlackmanWindow", &blackmanWindow},
    {"Compress", &compress},
    {"Constant", &constant},
    {"ConstantOfShape", &constantOfShape},
    {"EyeLike", &eyeLike},
    {"HammingWindow", &hammingWindow},
    {"HannWindow", &hannWindow},
    {"NonZero", &nonZero},
    {"Range", &range},
    {"Shape", &shape},
    {"Size", &size},
};

} // namespace

std::span<const ImportRow> constantImports() { return constantRows; }

} // namespace nestwright::graph::onnx
