// SPDX-License-Identifier: Apache-2.0
#include "core/interp/arithmetic.h"
#include "core/interp/codes.h"
#include "core/interp/expr_compiler.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/walk.h"
#include "core/ir/runnable.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::interp {

using support::Result;

namespace {

/// First value for symbolic sizes that the caller gave none; each further one gets the next integer.
constexpr std::int64_t firstSize = 7;

class Shapes {
public:
    explicit Shapes(const Sizes &sizes) : m_sizes(sizes) {}

    std::vector<std::int64_t> shapeOf(const ir::Buffer &buffer)
    {
        std::vector<Index> indices;
        for (const ir::Expr &extent : buffer.shape()) {
            ir::forEachExpr(extent, [&](const ir::Expr &e) {
                if (const ir::Var var = ir::Var::from(e))
                    give(var);
                return true;
            });
            indices.push_back(m_exprs.compileIndex(extent));
        }
        std::vector<std::int64_t> shape;
        shape.reserve(indices.size());
        for (const Index &index : indices)
            shape.push_back(index.eval(m_frame));
        return shape;
    }

private:
    void give(const ir::Var &var)
    {
        if (m_exprs.isDefined(var))
            return;
        const std::size_t slot = m_exprs.define(var);
        m_frame.slots.resize(m_exprs.slotCount());
        const auto known = m_sizes.find(var.name());
        m_frame.slots[slot].i = known != m_sizes.end() ? known->second : m_next++;
    }

    const Sizes &m_sizes;
    ExprCompiler m_exprs;
    Frame m_frame;
    std::int64_t m_next = firstSize;
};

/// Elements of `shape`, or nothing where there are more than memory could hold.
std::optional<std::int64_t> elementCount(const std::vector<std::int64_t> &shape)
{
    __int128 count = 1;
    for (std::int64_t extent : shape) {
        if (extent < 0)
            return std::nullopt;
        count *= extent;
        if (count > (__int128{1} << 56))
            return std::nullopt;
    }
    return static_cast<std::int64_t>(count);
}

} // namespace

Result<std::vector<std::vector<std::int64_t>>> argumentShapes(const ir::PrimFunc &function,
                                                              const Sizes &sizes)
try {
    Shapes shapes(sizes);
    std::vector<std::vector<std::int64_t>> result;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            result.push_back(shapes.shapeOf(param.buffer));
    }
    return result;
} catch (const support::UserError &error) {
    return support::fail(error.diagnostic());
}

Result<std::vector<ir::NdArray>> makeArguments(const ir::PrimFunc &function, std::uint64_t seed,
                                               const Sizes &sizes, std::int64_t bytes)
{
    if (const auto what = ir::notRunnable(function))
        return support::fail(
            support::diagnostic(codes::unsupported, "the function uses " + *what + ", which cannot be run"));
    const auto shapes = argumentShapes(function, sizes);
    if (!shapes)
        return support::fail(shapes.error());
    std::vector<ir::NdArray> arrays;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        const std::vector<std::int64_t> &shape = (*shapes)[arrays.size()];
        const ir::DataType dtype = param.buffer.dtype();
        if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
            return support::fail(
                support::diagnostic(codes::argument, "the buffer '" + param.buffer.name()
                                                         + "' has a dimension of negative extent")
                    .withHint("choose other symbolic sizes"));
        }
        const auto count = elementCount(shape);
        const std::int64_t elementBytes = std::int64_t{dtype.bytes()} * dtype.lanes;
        if (!count || *count > bytes / elementBytes) {
            return support::fail(
                support::diagnostic(codes::memoryLimit,
                                    "the arrays for the function's buffers, '" + param.buffer.name()
                                        + "' among them, do not fit into the memory allowed for one run")
                    .withHint("run it with smaller sizes"));
        }
        bytes -= *count * elementBytes;
        ir::NdArray array(dtype, shape);
        array.fillRandom(seed + 0x9e3779b97f4a7c15ULL * (arrays.size() + 1));
        arrays.push_back(std::move(array));
    }
    return arrays;
}

} // namespace nestwright::interp
