// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/matrix_product.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <vector>

namespace nestwright::analysis {

namespace {

constexpr ir::DataType float64 = ir::DataType::float_(64);

/// The one block below the root; null where there are more or none.
const ir::Block *onlyBlock(const ir::PrimFunc &function)
{
    const ir::Block *only = nullptr;
    int count = 0;
    ir::forEachStmt(function.body, [&](const ir::Stmt &stmt) {
        const auto *block = stmt.as<ir::Block>();
        if (block && !block->iterVars.empty()) {
            only = block;
            ++count;
        }
        return true;
    });
    return count == 1 ? only : nullptr;
}

/// Whether the load is of two indices, these variables in this order.
bool isAt(const ir::BufferLoad *load, const ir::Var &first, const ir::Var &second)
{
    return load && load->indices.size() == 2 && ir::Var::from(load->indices[0]) == first
           && ir::Var::from(load->indices[1]) == second;
}

/// The extent of the variable where it begins at 0 and is as wide as the loop or buffer says; -1 otherwise.
std::int64_t extentOf(const ir::IterVar &iter)
{
    const std::int64_t *begin = ir::asInt(iter.domain.min), *extent = ir::asInt(iter.domain.extent);
    return begin && extent && *begin == 0 ? *extent : -1;
}

bool hasShape(const ir::Buffer &buffer, std::int64_t rows, std::int64_t columns, ir::DataType dtype)
{
    if (buffer->dtype != dtype || buffer->shape.size() != 2 || !buffer->strides.empty())
        return false;
    const std::int64_t *first = ir::asInt(buffer->shape[0]), *second = ir::asInt(buffer->shape[1]);
    return first && second && *first == rows && *second == columns;
}

} // namespace

std::optional<MatrixProduct> matrixProductOf(const ir::PrimFunc &function)
{
    const ir::Block *block = onlyBlock(function);
    if (!block || block->iterVars.size() != 3 || !block->init || !ir::isConstInt(block->predicate, 1))
        return {};
    const auto *zero = block->init.as<ir::BufferStore>();
    const auto *store = block->body.as<ir::BufferStore>();
    const auto *sum = store ? store->value.as<ir::Binary>() : nullptr;
    const auto *product = sum && sum->op == ir::BinaryOp::Add ? sum->b.as<ir::Binary>() : nullptr;
    const auto *begin = zero ? zero->value.as<ir::FloatImm>() : nullptr;
    if (!product || product->op != ir::BinaryOp::Mul || !begin || begin->value != 0)
        return {};
    const auto &iters = block->iterVars;
    const ir::Var &i = iters[0].var, &j = iters[1].var, &k = iters[2].var;
    if (iters[0].kind != ir::IterKind::Spatial || iters[1].kind != ir::IterKind::Spatial
        || iters[2].kind != ir::IterKind::Reduce)
        return {};
    const auto *old = sum->a.as<ir::BufferLoad>();
    const auto *a = product->a.as<ir::BufferLoad>(), *b = product->b.as<ir::BufferLoad>();
    if (!a || !b || !isAt(old, i, j) || old->buffer != store->buffer || a->buffer == b->buffer)
        return {};
    if (isAt(b, i, k) || isAt(b, k, i)) // written the other way round
        std::swap(a, b);
    MatrixProduct found{extentOf(iters[0]), extentOf(iters[1]), extentOf(iters[2]),
                        isAt(a, k, i),      isAt(b, j, k),      store->buffer->dtype == float64};
    if ((!found.transposedA && !isAt(a, i, k)) || (!found.transposedB && !isAt(b, k, j)))
        return {};
    const ir::DataType dtype = found.isDouble ? float64 : ir::DataType::float32();
    const auto fits = [&](const ir::Buffer &buffer, std::int64_t rows, std::int64_t columns,
                          bool transposed) {
        return transposed ? hasShape(buffer, columns, rows, dtype) : hasShape(buffer, rows, columns, dtype);
    };
    const bool isWhole = found.m > 0 && found.n > 0 && found.k > 0
                         && fits(store->buffer, found.m, found.n, false)
                         && fits(a->buffer, found.m, found.k, found.transposedA)
                         && fits(b->buffer, found.k, found.n, found.transposedB);
    return isWhole ? std::optional(found) : std::nullopt;
}

} // namespace nestwright::analysis
