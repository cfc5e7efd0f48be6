// SPDX-License-Identifier: Apache-2.0
#include "core/te/empty_tensors.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"

#include <algorithm>

namespace nestwright::te {

namespace {

Expr zero(DataType dtype) { return ir::constant(0, dtype); }

class EmptyReads : public ir::Rewriter {
public:
    Expr expr(const Expr &e) override
    {
        const auto *load = e.as<ir::BufferLoad>();
        return load && isEmpty(load->buffer.shape()) ? zero(e.dtype()) : children(e);
    }
};

} // namespace

bool isEmpty(const std::vector<Expr> &shape)
{
    return std::ranges::any_of(shape, [](const Expr &size) { return ir::isConstInt(size, 0); });
}

void withoutEmptyReads(Operation &operation)
{
    const bool writesNothing = !operation.outputs.empty() && isEmpty(operation.outputs[0].shape());
    if (operation.reduction) {
        Reduction &reduction = *operation.reduction;
        const bool combinesNothing = std::ranges::any_of(
            reduction.axes, [](const IterVar &axis) { return ir::isConstInt(axis.domain.extent, 0); });
        if (combinesNothing || writesNothing) {
            operation.values = reduction.init.empty() ? reduction.combiner->identity : reduction.init;
            operation.reduction.reset();
        }
    }
    if (writesNothing) {
        for (Expr &value : operation.values)
            value = zero(value.dtype());
        return;
    }
    EmptyReads reads;
    for (Expr &value : operation.values)
        value = reads.expr(value);
    if (operation.reduction) {
        for (Expr &source : operation.reduction->sources)
            source = reads.expr(source);
        if (operation.reduction->condition)
            operation.reduction->condition = reads.expr(operation.reduction->condition);
    }
}

} // namespace nestwright::te
