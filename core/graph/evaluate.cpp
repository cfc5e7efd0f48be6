// SPDX-License-Identifier: Apache-2.0
#include "core/graph/evaluate.h"

#include "core/graph/program/kernel.h"
#include "core/graph/transposed.h"
#include "core/interp/elementwise.h"
#include "core/interp/interpreter.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/errors.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <thread>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

using Extents = std::vector<std::int64_t>;

/// Axes of a transpose, none of them negative.
Extents axesOf(const Node &node)
{
    const std::int64_t rank = node.types[0].rank();
    Extents axes = std::get<Extents>(node.attributes.find("axes")->second);
    for (std::int64_t &axis : axes)
        axis += axis < 0 ? rank : 0;
    for (std::int64_t i = rank; i-- > 0 && axes.size() < static_cast<std::size_t>(rank);)
        axes.push_back(i); // none given: reversed
    return axes;
}

/// Evaluates the nodes of the called function, one after the other.
Result<std::vector<Data>> evaluateCall(const Function &called, const std::vector<Data> &inputs,
                                       std::int64_t steps)
{
    std::vector<std::vector<Data>> known;
    const auto dataOf = [&](Value value) {
        return known[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
    };
    std::size_t nextInput = 0;
    for (const Node &node : called.nodes) {
        if (node.kind == NodeKind::Input || node.isConstant()) {
            known.push_back({node.isConstant() ? node.data : inputs[nextInput++]});
            continue;
        }
        std::vector<Data> read;
        for (const Value input : node.inputs)
            read.push_back(dataOf(input));
        auto results = evaluate(called, node, read, steps);
        if (!results)
            return results;
        known.push_back(std::move(*results));
    }
    std::vector<Data> results;
    for (const Value output : called.outputs)
        results.push_back(dataOf(output));
    return results;
}

/// Takes the inputs, since the interpreter's arguments are ones that it could write to.
Result<void> interpret(const ir::Module &module, std::vector<ir::NdArray> inputs,
                       std::span<ir::NdArray> results, std::int64_t steps)
{
    std::vector<ir::NdArray *> arguments;
    for (ir::NdArray &input : inputs)
        arguments.push_back(&input);
    for (ir::NdArray &result : results)
        arguments.push_back(&result);
    interp::Limits limits;
    limits.steps = steps;
    return interp::run(*module.mainEntry()->function, arguments, {}, limits);
}

/// Shapes of an operator that works element by element, with as few axes as say the same; an input has the
/// extent 1 along an axis where it is repeated.
struct Pointwise {
    Extents result;
    std::vector<Extents> inputs;
};

/// Nothing where `inputs` are not of the result's shape or repeated to it.
std::optional<Pointwise> pointwiseShapes(const Extents &result, std::span<const Data> inputs)
{
    Pointwise joined{{}, std::vector<Extents>(inputs.size())};
    std::vector<bool> before; // which inputs are repeated along the last axis
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
        std::vector<bool> isRepeated;
        for (const Data &input : inputs) {
            const Extents &shape = input->shape();
            const std::size_t missing = result.size() - std::min(result.size(), shape.size());
            const std::int64_t extent = axis < missing ? 1 : shape[axis - missing];
            if (shape.size() > result.size() || (extent != 1 && extent != result[axis]))
                return {};
            isRepeated.push_back(extent == 1);
        }
        if (result[axis] == 1)
            continue;
        const bool goesOn = !joined.result.empty() && isRepeated == before;
        if (goesOn)
            joined.result.back() *= result[axis];
        else
            joined.result.push_back(result[axis]);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!goesOn)
                joined.inputs[i].push_back(1);
            if (!isRepeated[i])
                joined.inputs[i].back() *= result[axis];
        }
        before = std::move(isRepeated);
    }
    return joined;
}

/// `rows` of the first axis of `from`, which has this shape; all of it where the axis is repeated.
ir::NdArray rowsOf(const ir::NdArray &from, Extents shape, std::int64_t first, std::int64_t rows)
{
    const bool isRepeated = shape.front() == 1;
    const std::size_t rowBytes = from.bytes().size() / static_cast<std::size_t>(shape.front());
    if (!isRepeated)
        shape.front() = rows;
    ir::NdArray part(from.dtype(), std::move(shape));
    std::ranges::copy(from.bytes().subspan(isRepeated ? 0 : static_cast<std::size_t>(first) * rowBytes,
                                           part.bytes().size()),
                      part.bytes().begin());
    return part;
}

/// Runs the operator on rows `first` to `first + rows` of the first axis.
Result<void> interpretRows(const Node &node, const Pointwise &shapes, std::span<const Data> inputs,
                           ir::NdArray &result, std::int64_t first, std::int64_t rows, std::int64_t steps)
{
    std::vector<ir::NdArray> parts;
    std::vector<ops::TensorType> types;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        parts.push_back(rowsOf(*inputs[i], shapes.inputs[i], first, rows));
        types.push_back({ops::shapeOf(parts.back().shape()), parts.back().dtype()});
    }
    Extents shape = shapes.result;
    shape.front() = rows;
    const ops::TensorType resultType{ops::shapeOf(shape), result.dtype()};
    const auto module = ops::moduleOf({*node.op, node.attributes, types}, {&resultType, 1});
    if (!module)
        return fail(module.error());
    ir::NdArray part(result.dtype(), shape);
    if (const auto done = interpret(*module, std::move(parts), {&part, 1}, steps); !done)
        return done;
    const std::size_t rowBytes = part.bytes().size() / static_cast<std::size_t>(rows);
    std::ranges::copy(part.bytes(), result.bytes().begin() + static_cast<std::ptrdiff_t>(first * rowBytes));
    return {};
}

/// Interprets parts of the first axis in parallel.
Result<void> interpretPointwise(const Node &node, const Pointwise &shapes, std::span<const Data> inputs,
                                ir::NdArray &result, std::int64_t steps)
{
    const std::int64_t rows = shapes.result.front();
    const std::int64_t count =
        std::clamp<std::int64_t>(result.size() / support::elementsPerThread, 1,
                                 std::min<std::int64_t>(rows, std::thread::hardware_concurrency()));
    return support::inParallel(count, [&](std::int64_t part) {
        const std::int64_t first = rows * part / count;
        return interpretRows(node, shapes, inputs, result, first, rows * (part + 1) / count - first, steps);
    });
}

/// Computes the result without the interpreter, if the module does no more than elementwise arithmetic.
bool computedElementwise(const ir::Module &module, const std::vector<Data> &inputs,
                         std::span<ir::NdArray> results)
{
    std::vector<const ir::NdArray *> arrays;
    for (const Data &input : inputs)
        arrays.push_back(input.get());
    return results.size() == 1 && interp::runElementwise(*module.mainEntry()->function, arrays, results[0]);
}

/// Whether the operator stays the same where its axes are joined: attributes of those that broadcast may name
/// axes.
bool isPointwise(const Node &node)
{
    return isElementwise(node) && node.types.size() == 1 && !node.inputs.empty()
           && (node.op->fusion == ops::FusionKind::Elementwise || node.attributes.empty());
}

/// The result of a node that moves the elements of its input, or gives them another shape.
std::optional<ir::NdArray> rearranged(const Node &node, const std::vector<Data> &inputs, const Extents &shape)
{
    const bool isTransposed = isCall(node, "transpose");
    if (isTransposed && !shape.empty())
        return transposed(*inputs[0], axesOf(node));
    if (isTransposed || isCall(node, "reshape"))
        return inputs[0]->reshaped(shape);
    return {};
}

Result<void> compute(const Function &function, const Node &node, const std::vector<Data> &inputs,
                     std::span<ir::NdArray> results, std::int64_t steps)
{
    const auto module = kernelOf(function, node);
    if (!module)
        return fail(module.error());
    if (computedElementwise(*module, inputs, results))
        return {};
    if (results[0].size() > support::elementsPerThread && isPointwise(node)) {
        if (const auto shapes = pointwiseShapes(results[0].shape(), inputs))
            return interpretPointwise(node, *shapes, inputs, results[0], steps);
    }
    std::vector<ir::NdArray> copies;
    for (const Data &input : inputs)
        copies.push_back(*input);
    return interpret(*module, std::move(copies), results, steps);
}

} // namespace

Result<std::vector<Data>> evaluate(const Function &function, const Node &node,
                                   const std::vector<Data> &inputs, std::int64_t steps)
{
    if (node.kind == NodeKind::Call)
        return evaluateCall(*node.function, inputs, steps);
    std::vector<ir::NdArray> results;
    std::int64_t elements = 0;
    for (const TensorType &type : node.types) {
        const auto shape = type.constantShape();
        if (!shape)
            return fail("graph.symbolic", "a tensor of symbolic size cannot be computed ahead");
        if (auto array = rearranged(node, inputs, *shape))
            return std::vector{std::make_shared<const ir::NdArray>(std::move(*array))};
        elements += results.emplace_back(type.dtype, *shape).size();
    }
    if (elements > 0) {
        if (const auto done = compute(function, node, inputs, results, steps); !done)
            return fail(done.error());
    }
    std::vector<Data> data;
    for (ir::NdArray &result : results)
        data.push_back(std::make_shared<const ir::NdArray>(std::move(result)));
    return data;
}

} // namespace nestwright::graph
