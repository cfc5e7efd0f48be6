// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/limits.h"
#include "core/te/body_parts.h"
#include "core/te/bounds.h"
#include "core/te/empty_tensors.h"
#include "core/te/limits.h"
#include "core/te/tensor.h"

#include <algorithm>
#include <format>
#include <unordered_map>

namespace nestwright::te {

using support::diagnostic;
using support::UserError;

namespace {

struct Extent {
    int depth = 1;
    double size = 1; ///< nodes, shared ones as often as they are used
};

/// Depth and size of an expression, without recursion; each distinct node is visited once.
Extent extentOf(const Expr &body)
{
    struct Operands : ir::Visitor {
        void expr(const Expr &e) override { found.push_back(e); }
        void of(const Expr &e) { children(e); }
        std::vector<Expr> found;
    };
    std::unordered_map<const ir::ExprNode *, Extent> known;
    std::vector<std::pair<Expr, bool>> waiting{{body, false}};
    while (!waiting.empty()) {
        const auto [e, ready] = waiting.back();
        waiting.pop_back();
        if (known.contains(e.get()))
            continue;
        Operands operands;
        operands.of(e);
        if (!ready) {
            waiting.emplace_back(e, true);
            for (Expr &operand : operands.found)
                waiting.emplace_back(std::move(operand), false);
            continue;
        }
        Extent extent;
        for (const Expr &operand : operands.found) {
            const Extent &part = known[operand.get()];
            extent.depth = std::max(extent.depth, part.depth + 1);
            extent.size += part.size;
        }
        known[e.get()] = extent;
    }
    return known[body.get()];
}

void checkSize(const Expr &size, const std::string &name)
{
    const Extent extent = extentOf(size);
    if (extent.depth > limits::sizeDepth || extent.size > limits::sizeParts) {
        throw UserError(
            diagnostic("te.too-large",
                       std::format("a size of \"{}\" is an expression of {:.0f} parts, nested {} "
                                   "deep; {:.0f} parts and a depth of {} are the most",
                                   name, extent.size, extent.depth, limits::sizeParts, limits::sizeDepth))
                .withHint("give the size a name of its own with te.var"));
    }
}

void checkShape(const std::vector<Expr> &shape, DataType dtype, const std::string &name)
{
    if (shape.size() > support::limits::tensorRank) {
        throw UserError(
            diagnostic("te.bad-shape", std::format("\"{}\" has {} dimensions; {} is the most", name,
                                                   shape.size(), support::limits::tensorRank))
                .withHint("flatten dimensions that are used together"));
    }
    std::int64_t bytes = std::max<std::int64_t>(1, std::int64_t{dtype.bytes()} * dtype.lanes);
    for (const Expr &extent : shape) {
        checkSize(extent, name);
        const std::int64_t *size = ir::asInt(extent);
        if (size && *size > 0
            && (__builtin_mul_overflow(bytes, *size, &bytes) || bytes > limits::tensorBytes)) {
            throw UserError(diagnostic("te.bad-shape", std::format("\"{}\" has more than 2^60 bytes", name))
                                .withHint("give it smaller sizes"));
        }
    }
    for (const Expr &extent : shape) {
        if (!extent.dtype().isInt()) {
            throw UserError(
                diagnostic("te.bad-shape", std::format("a size of \"{}\" is of type {}, not an integer", name,
                                                       extent.dtype().str())));
        }
        if (const std::int64_t *value = ir::asInt(extent); value && *value < 0) {
            throw UserError(
                diagnostic("te.bad-shape", std::format("\"{}\" has a dimension of size {}", name, *value))
                    .withHint("sizes are 0 or more"));
        }
    }
}

void checkExtent(const Expr &body, const std::string &name)
{
    const Extent extent = extentOf(body);
    if (extent.depth > limits::valueDepth) {
        throw UserError(
            diagnostic("te.too-deep", std::format("the value of \"{}\" is nested {} deep; {} is the most",
                                                  name, extent.depth, limits::valueDepth))
                .withHint("sum over a reduce axis instead of adding elements one by one"));
    }
    if (extent.size > limits::valueParts) {
        throw UserError(
            diagnostic("te.too-large",
                       std::format("the value of \"{}\" is an expression of {:.0f} parts; {:.0f} is the most",
                                   name, extent.size, limits::valueParts))
                .withHint("compute an expression that is used several times as a tensor of its own"));
    }
}

/// Checks all of a reduction but the values that it combines.
void checkReduction(const Reduction &reduction, const std::string &name)
{
    if (static_cast<std::int64_t>(reduction.axes.size()) > limits::reduceAxes) {
        throw UserError(
            diagnostic("te.too-large", std::format("\"{}\" reduces over {} axes; {} is the most", name,
                                                   reduction.axes.size(), limits::reduceAxes))
                .withHint("reduce in several steps"));
    }
    for (const IterVar &axis : reduction.axes) {
        checkSize(axis.domain.min, name);
        checkSize(axis.domain.extent, name);
    }
    if (reduction.condition)
        checkExtent(reduction.condition, name);
    for (const Expr &value : reduction.init)
        checkExtent(value, name);
    for (const Expr &value : reduction.combiner->result)
        checkExtent(value, name);
}

std::vector<IterVar> spatialAxes(const std::vector<Expr> &shape, const std::vector<std::string> &names)
{
    std::vector<IterVar> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const DataType dtype = shape[i].dtype();
        const std::string name = i < names.size() ? names[i] : std::format("i{}", i);
        axes.push_back({{ir::intImm(0, dtype), shape[i]}, Var(name, dtype), ir::IterKind::Spatial});
    }
    return axes;
}

} // namespace

Tensor Builder::placeholder(std::vector<Expr> shape, DataType dtype, std::string name)
{
    checkShape(shape, dtype, name);
    Operation operation;
    operation.name = name;
    operation.isPlaceholder = true;
    operation.outputs.emplace_back(std::move(name), std::move(shape), dtype);
    Tensor tensor(std::make_shared<const Operation>(std::move(operation)), 0);
    m_tensors.emplace(tensor.buffer(), tensor);
    return tensor;
}

std::vector<Tensor> Builder::computeAll(const std::vector<Expr> &shape,
                                        const std::vector<std::string> &axisNames, const Function &function,
                                        std::string name, ir::Attrs attrs)
{
    checkShape(shape, DataType::int_(8), name);
    Operation operation;
    operation.axes = spatialAxes(shape, axisNames);
    std::vector<Expr> axes;
    for (const IterVar &axis : operation.axes)
        axes.push_back(axis.var);
    Body body = function(axes);
    operation.values = std::move(body.values);
    operation.reduction = std::move(body.reduction);
    operation.name = std::move(name);
    operation.attrs = std::move(attrs);

    const std::vector<Expr> &values = operation.reduction ? operation.reduction->sources : operation.values;
    if (values.empty())
        throw UserError(
            diagnostic("te.output-count", std::format("\"{}\" computes no value", operation.name)));
    if (static_cast<std::int64_t>(values.size()) > limits::outputs)
        throw UserError(
            diagnostic("te.output-count", std::format("\"{}\" computes {} values; {} is the most",
                                                      operation.name, values.size(), limits::outputs))
                .withHint("give them a dimension of their own"));
    for (const Expr &value : values)
        checkExtent(value, operation.name);
    if (operation.reduction)
        checkReduction(*operation.reduction, operation.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string output =
            values.size() == 1 ? operation.name : std::format("{}_v{}", operation.name, i);
        operation.outputs.emplace_back(output, shape, values[i].dtype());
    }
    checkBounds(operation);
    if (m_foldsEmpty)
        withoutEmptyReads(operation);
    operation.inputs = inputsOf(operation);

    const auto shared = std::make_shared<const Operation>(std::move(operation));
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < shared->outputs.size(); ++i) {
        tensors.emplace_back(shared, static_cast<int>(i));
        m_tensors.emplace(tensors.back().buffer(), tensors.back());
    }
    return tensors;
}

Tensor Builder::compute(const std::vector<Expr> &shape, const std::vector<std::string> &axisNames,
                        const Function &function, std::string name, ir::Attrs attrs)
{
    const std::vector<Tensor> tensors = computeAll(shape, axisNames, function, name, std::move(attrs));
    if (tensors.size() != 1) {
        throw UserError(
            diagnostic("te.output-count",
                       std::format("\"{}\" computes {} values where one is expected", name, tensors.size())));
    }
    return tensors[0];
}

Tensor Builder::tensorOf(const ir::Buffer &buffer) const
{
    const auto found = m_tensors.find(buffer);
    return found == m_tensors.end() ? Tensor() : found->second;
}

std::vector<Tensor> Builder::inputsOf(const Operation &operation) const
{
    std::vector<Tensor> inputs;
    // Indices before the load around them, as TVM orders the producers of a stage.
    struct Collector : ir::Visitor {
        void expr(const Expr &e) override
        {
            children(e);
            if (const auto *load = e.as<ir::BufferLoad>();
                load && std::find(buffers.begin(), buffers.end(), load->buffer) == buffers.end())
                buffers.push_back(load->buffer);
        }
        std::vector<ir::Buffer> buffers;
    } collector;
    for (const Expr &part : bodyParts(operation))
        collector.expr(part);
    for (const ir::Buffer &buffer : collector.buffers) {
        Tensor tensor = tensorOf(buffer);
        if (!tensor) {
            throw UserError(diagnostic("te.unknown-tensor",
                                       std::format("\"{}\" reads \"{}\", which is no tensor made before it",
                                                   operation.name, buffer.name())));
        }
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

} // namespace nestwright::te
