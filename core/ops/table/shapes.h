// SPDX-License-Identifier: Apache-2.0
/// Arithmetic on shapes and axes that operators share. Shapes that do not fit throw support::UserError
/// "ops.type".
#pragma once

#include "core/ops/table/tensor_op.h"

namespace nestwright::ops {

[[noreturn]] void typeError(std::string message);

/// The dimension simplified; constants are int32, and larger ones are refused.
ir::Expr dimension(const ir::Expr &size);
ir::Expr dimension(std::int64_t size);
/// The sum and the product as dimensions; of constants without overflow.
ir::Expr added(const ir::Expr &a, const ir::Expr &b);
ir::Expr multiplied(const ir::Expr &a, const ir::Expr &b);
Shape shapeOf(std::span<const std::int64_t> sizes);
bool sameSize(const ir::Expr &a, const ir::Expr &b);
/// The dimension, which must be constant; `what` is for the message.
std::int64_t constantSize(const ir::Expr &size, std::string_view what);
/// All dimensions, which must be constant.
std::vector<std::int64_t> constantSizes(const Shape &shape, std::string_view what);
/// The product of dimensions [from, to).
ir::Expr product(const Shape &shape, std::size_t from, std::size_t to);
inline ir::Expr product(const Shape &shape) { return product(shape, 0, shape.size()); }

/// `axis` counted from the front, which must lie in [-rank, rank).
std::size_t axisOf(std::int64_t axis, std::int64_t rank);
/// Several axes, sorted; two of the same are refused.
std::vector<std::size_t> axesOf(std::span<const std::int64_t> axes, std::int64_t rank);

/// The shape that NumPy's broadcasting gives.
Shape broadcast(const Shape &a, const Shape &b);
/// The element of `tensor` that the element at `indices` of a broadcast result needs.
ir::Expr broadcastLoad(const te::Tensor &tensor, const std::vector<ir::Expr> &indices);

/// The elements' number of a multi-index, row-major, and back.
ir::Expr flatten(const std::vector<ir::Expr> &indices, const Shape &shape);
std::vector<ir::Expr> unflatten(const ir::Expr &flat, const Shape &shape);

/// Names of axes: prefix0, prefix1, ….
std::vector<std::string> axisNames(std::size_t count, std::string_view prefix = "i");

/// Whether two inputs have one element type; otherwise "ops.type".
void requireSameType(const CallSite &site);
void requireFloat(const CallSite &site);
/// Requires integers in all inputs; bool is none.
void requireIntegers(const CallSite &site);
/// Requires bool in the first `count` inputs.
void requireBool(const CallSite &site, std::size_t count);
void requireRank(const TensorType &type, std::int64_t rank, std::string_view what);

/// The attribute out_dtype, or the type of the first input where it is void.
ir::DataType resultType(const CallSite &site);
/// The type of sums: 32 bits for floating-point numbers of 16.
ir::DataType sumType(ir::DataType type);
/// The type of sums of so many terms: float64 for floating-point numbers from `many` terms on, since one
/// after the other loses its last bits in a sum of 32 bits, which ones bring to 2^24 at most. A number of
/// terms that is not known counts as few.
constexpr std::int64_t manyTerms = 1 << 13, manyProducts = 1 << 16;
ir::DataType sumType(ir::DataType type, const ir::Expr &terms, std::int64_t many = manyTerms);

/// `e` as an index of 32 bits.
ir::Expr index(const ir::Expr &e);
/// The number in the type of `like`.
ir::Expr real(double value, const ir::Expr &like);

} // namespace nestwright::ops
