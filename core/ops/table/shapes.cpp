// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/shapes.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ops/table/codes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

void typeError(std::string message)
{
    throw support::UserError(support::diagnostic(codes::type, std::move(message)));
}

ir::Expr dimension(const ir::Expr &size)
{
    ir::Expr simple = arith::simplify(size);
    if (const std::int64_t *constant = ir::asInt(simple))
        return dimension(*constant);
    return simple;
}

ir::Expr dimension(std::int64_t size)
{
    if (size != static_cast<int>(size))
        typeError(std::format("a dimension of {} is too large", size));
    return static_cast<int>(size);
}

ir::Expr added(const ir::Expr &a, const ir::Expr &b)
{
    const std::int64_t *x = ir::asInt(a), *y = ir::asInt(b);
    return x && y ? dimension(*x + *y) : dimension(a + b); // neither is beyond 2^33: attributes end at 2^31
}

ir::Expr multiplied(const ir::Expr &a, const ir::Expr &b)
{
    const std::int64_t *x = ir::asInt(a), *y = ir::asInt(b);
    return x && y ? dimension(*x * *y) : dimension(a * b);
}

Shape shapeOf(std::span<const std::int64_t> sizes)
{
    Shape shape;
    for (const std::int64_t size : sizes)
        shape.push_back(dimension(size));
    return shape;
}

bool sameSize(const ir::Expr &a, const ir::Expr &b)
{
    if (ir::asInt(a) && ir::asInt(b))
        return *ir::asInt(a) == *ir::asInt(b);
    return ir::isConstInt(arith::simplify(a - b), 0);
}

std::int64_t constantSize(const ir::Expr &size, std::string_view what)
{
    if (const std::int64_t *constant = ir::asInt(size))
        return *constant;
    typeError(std::format("{} must be known, but is symbolic", what));
}

std::vector<std::int64_t> constantSizes(const Shape &shape, std::string_view what)
{
    std::vector<std::int64_t> sizes;
    for (const ir::Expr &size : shape)
        sizes.push_back(constantSize(size, what));
    return sizes;
}

ir::Expr product(const Shape &shape, std::size_t from, std::size_t to)
{
    ir::Expr total = 1;
    for (std::size_t i = from; i < to; ++i)
        total = total * shape[i];
    return dimension(total);
}

std::size_t axisOf(std::int64_t axis, std::int64_t rank)
{
    if (axis < -rank || axis >= rank)
        typeError(std::format("there is no axis {} in a tensor of {} dimensions", axis, rank));
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<std::size_t> axesOf(std::span<const std::int64_t> axes, std::int64_t rank)
{
    std::vector<std::size_t> result;
    for (const std::int64_t axis : axes)
        result.push_back(axisOf(axis, rank));
    std::ranges::sort(result);
    if (std::ranges::adjacent_find(result) != result.end())
        typeError("an axis is named twice");
    return result;
}

Shape broadcast(const Shape &a, const Shape &b)
{
    const std::size_t rank = std::max(a.size(), b.size());
    Shape result;
    for (std::size_t i = 0; i < rank; ++i) {
        const ir::Expr x = i + a.size() < rank ? ir::Expr(1) : a[i + a.size() - rank];
        const ir::Expr y = i + b.size() < rank ? ir::Expr(1) : b[i + b.size() - rank];
        if (!ir::isConstInt(x, 1) && !ir::isConstInt(y, 1) && !sameSize(x, y)) {
            typeError(std::format("{} and {} cannot be broadcast to one shape", TensorType{a, {}}.str(),
                                  TensorType{b, {}}.str()));
        }
        result.push_back(ir::isConstInt(x, 1) ? y : x);
    }
    return result;
}

ir::Expr broadcastLoad(const te::Tensor &tensor, const std::vector<ir::Expr> &indices)
{
    const Shape &shape = tensor.shape();
    std::vector<ir::Expr> own;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const ir::Expr &index = indices[indices.size() - shape.size() + i];
        own.push_back(ir::isConstInt(shape[i], 1) ? ir::Expr(0) : index);
    }
    return tensor.at(std::move(own));
}

ir::Expr flatten(const std::vector<ir::Expr> &indices, const Shape &shape)
{
    ir::Expr flat = 0;
    for (std::size_t i = 0; i < indices.size(); ++i)
        flat = flat * shape[i] + indices[i];
    return flat;
}

std::vector<ir::Expr> unflatten(const ir::Expr &flat, const Shape &shape)
{
    std::vector<ir::Expr> indices(shape.size());
    ir::Expr rest = flat;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (ir::isConstInt(shape[i], 1)) {
            indices[i] = 0;
            continue;
        }
        const bool first = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(i),
                                       [](const ir::Expr &size) { return ir::isConstInt(size, 1); });
        indices[i] = first ? rest : ir::floorMod(rest, shape[i]);
        rest = ir::floorDiv(rest, shape[i]);
    }
    return indices;
}

std::vector<std::string> axisNames(std::size_t count, std::string_view prefix)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(std::format("{}{}", prefix, i));
    return names;
}

void requireSameType(const CallSite &site)
{
    for (const TensorType &input : site.inputs) {
        if (input.dtype != site.input().dtype) {
            typeError(std::format("the inputs have different element types, {} and {}",
                                  site.input().dtype.str(), input.dtype.str()));
        }
    }
}

void requireFloat(const CallSite &site)
{
    if (!site.input().dtype.isFloating())
        typeError(std::format("it needs floating-point numbers, not {}", site.input().dtype.str()));
}

void requireIntegers(const CallSite &site)
{
    for (const TensorType &input : site.inputs) {
        if (!input.dtype.isIntegral() || input.dtype.isBool())
            typeError(std::format("it needs integers, not {}", input.dtype.str()));
    }
}

void requireBool(const CallSite &site, std::size_t count)
{
    for (const TensorType &input : site.inputs.first(count)) {
        if (!input.dtype.isBool())
            typeError(std::format("it needs a condition of bool, not of {}", input.dtype.str()));
    }
}

void requireRank(const TensorType &type, std::int64_t rank, std::string_view what)
{
    if (type.rank() != rank)
        typeError(std::format("{} must have {} dimension{}, not {}", what, rank, rank == 1 ? "" : "s",
                              type.rank()));
}

ir::DataType resultType(const CallSite &site)
{
    return site.dtype("out_dtype").code == ir::TypeCode::Void ? site.input().dtype : site.dtype("out_dtype");
}

ir::DataType sumType(ir::DataType type)
{
    return type.isFloating() && type.bits == 16 ? ir::DataType::float32() : type;
}

ir::DataType sumType(ir::DataType type, const ir::Expr &terms, std::int64_t many)
{
    const std::int64_t *count = ir::asInt(terms);
    return type.isFloating() && count && *count >= many ? ir::DataType::float_(64) : sumType(type);
}

ir::Expr index(const ir::Expr &e) { return ir::cast(ir::DataType::int32(), e); }

ir::Expr real(double value, const ir::Expr &like) { return ir::constant(value, like.dtype()); }

} // namespace nestwright::ops
