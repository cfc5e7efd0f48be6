// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"

#include <utility>

namespace nestwright::ir {

Expr let(const Var &var, const Expr &value, const Expr &body)
{
    Let node;
    node.dtype = body.dtype();
    node.var = var;
    node.value = value;
    node.body = body;
    return make(std::move(node));
}

Expr load(const Buffer &buffer, std::vector<Expr> indices)
{
    BufferLoad node;
    int lanes = buffer.dtype().lanes;
    if (!indices.empty())
        lanes *= indices.back().dtype().lanes;
    node.dtype = buffer.dtype().withLanes(lanes);
    node.buffer = buffer;
    node.indices = std::move(indices);
    return make(std::move(node));
}

Expr ramp(const Expr &base, const Expr &stride, int lanes)
{
    Ramp node;
    node.dtype = base.dtype().withLanes(base.dtype().lanes * lanes);
    node.base = base;
    node.stride = cast(base.dtype(), stride);
    node.lanes = lanes;
    return make(std::move(node));
}

Expr broadcast(const Expr &value, int lanes)
{
    Broadcast node;
    node.dtype = value.dtype().withLanes(value.dtype().lanes * lanes);
    node.value = value;
    node.lanes = lanes;
    return make(std::move(node));
}

Expr call(DataType dtype, Callee callee, std::vector<Expr> args)
{
    Call node;
    node.dtype = dtype;
    node.callee = std::move(callee);
    node.args = std::move(args);
    return make(std::move(node));
}

Expr call(DataType dtype, std::string_view name, std::vector<Expr> args)
{
    return call(dtype, Callee(name), std::move(args));
}

Stmt store(const Buffer &buffer, const Expr &value, std::vector<Expr> indices)
{
    int lanes = buffer.dtype().lanes;
    if (!indices.empty())
        lanes *= indices.back().dtype().lanes;
    BufferStore node;
    node.buffer = buffer;
    node.value = converted(buffer.dtype().withLanes(lanes), value);
    node.indices = std::move(indices);
    return make(std::move(node));
}

Stmt allocated(const Buffer &buffer, Stmt body, Attrs annotations)
{
    DeclBuffer view;
    view.buffer = buffer;
    view.body = std::move(body);
    Allocate memory;
    memory.extents = buffer.shape();
    memory.dtype = buffer.dtype();
    memory.scope = buffer->scope;
    memory.data = buffer->data;
    memory.annotations = std::move(annotations);
    memory.body = make(std::move(view));
    return make(std::move(memory));
}

Stmt evaluate(const Expr &value)
{
    Evaluate node;
    node.value = value;
    return make(std::move(node));
}

bool isNoOp(const Stmt &s)
{
    const auto *node = s.as<Evaluate>();
    return node && (node->value.as<IntImm>() || node->value.as<FloatImm>());
}

Stmt seq(std::vector<Stmt> stmts)
{
    std::vector<Stmt> flat;
    for (Stmt &s : stmts) {
        if (const auto *inner = s.as<Seq>())
            flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
        else if (s && !isNoOp(s))
            flat.push_back(std::move(s));
    }
    if (flat.empty())
        return evaluate(0);
    if (flat.size() == 1)
        return flat.front();
    Seq node;
    node.stmts = std::move(flat);
    return make(std::move(node));
}

Stmt serialFor(const Var &var, const Expr &extent, Stmt body, StmtId id, Origin origin)
{
    For node;
    node.id = id;
    node.origin = std::move(origin);
    node.min = constant(0, var.dtype());
    node.extent = cast(var.dtype(), extent);
    node.var = var;
    node.body = std::move(body);
    return make(std::move(node));
}

Stmt ifThenElse(const Expr &condition, Stmt thenCase, Stmt elseCase)
{
    IfThenElse node;
    node.condition = condition;
    node.thenCase = std::move(thenCase);
    node.elseCase = std::move(elseCase);
    return make(std::move(node));
}

std::vector<Range> pointRegion(const std::vector<Expr> &indices)
{
    std::vector<Range> region;
    region.reserve(indices.size());
    for (const Expr &index : indices)
        region.push_back({index, constant(1, index.dtype())});
    return region;
}

BufferRegion fullRegion(const Buffer &buffer)
{
    BufferRegion region{buffer, {}};
    for (const Expr &extent : buffer.shape())
        region.region.push_back({constant(0, extent.dtype()), extent});
    return region;
}

} // namespace nestwright::ir
