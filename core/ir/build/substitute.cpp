// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/substitute.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/fresh_variables.h"
#include "core/ir/build/rewriter.h"

namespace nestwright::ir {

namespace {

class Substitution : public Rewriter {
public:
    const VarMap<Expr> *values = nullptr;
    const BufferMap<Buffer> *buffers = nullptr;

    Expr expr(const Expr &e) override
    {
        if (values && e.as<VarNode>()) {
            const auto found = values->find(Var::from(e));
            return found == values->end() ? e : found->second;
        }
        return children(e);
    }
    Buffer buffer(const Buffer &b) override
    {
        if (!buffers)
            return b;
        const auto found = buffers->find(b);
        return found == buffers->end() ? b : found->second;
    }
};

class Freshener : public Rewriter {
public:
    Expr expr(const Expr &e) override
    {
        if (!e.as<VarNode>())
            return children(e);
        const auto found = m_fresh.find(Var::from(e));
        return found == m_fresh.end() ? e : Expr(found->second);
    }
    Var definition(const Var &v) override { return m_fresh[v] = Var::like(v, v.name()); }
    /// A view of memory that is allocated here moves with the allocation.
    Buffer buffer(const Buffer &b) override
    {
        const auto data = m_fresh.find(b->data);
        if (data == m_fresh.end())
            return b;
        Buffer &moved = m_moved[b];
        if (!moved || !(moved->data == data->second)) {
            BufferNode node = *b.get();
            node.data = data->second;
            moved = Buffer(std::move(node));
        }
        return moved;
    }
    Stmt stmt(const Stmt &s) override
    {
        if (const auto *block = s.as<Block>()) {
            for (const Buffer &own : block->allocBuffers)
                definition(own->data);
            for (const MatchBuffer &match : block->matchBuffers)
                definition(match.buffer->data);
        }
        Stmt fresh = children(s);
        if (const auto *loop = fresh.as<For>()) {
            For copy = *loop;
            copy.id = {};
            return make(std::move(copy));
        }
        if (const auto *block = fresh.as<Block>()) {
            Block copy = *block;
            copy.id = {};
            return make(std::move(copy));
        }
        return fresh;
    }

private:
    VarMap<Var> m_fresh;
    BufferMap<Buffer> m_moved;
};

} // namespace

Expr substitute(const Expr &e, const VarMap<Expr> &values)
{
    if (values.empty())
        return e;
    Substitution rewriter;
    rewriter.values = &values;
    return rewriter.expr(e);
}

Stmt substitute(const Stmt &s, const VarMap<Expr> &values)
{
    if (values.empty())
        return s;
    Substitution rewriter;
    rewriter.values = &values;
    return rewriter.stmt(s);
}

Range substitute(const Range &range, const VarMap<Expr> &values)
{
    return {substitute(range.min, values), substitute(range.extent, values)};
}

BufferRegion substitute(const BufferRegion &region, const VarMap<Expr> &values)
{
    BufferRegion result{region.buffer, {}};
    for (const Range &range : region.region)
        result.region.push_back(substitute(range, values));
    return result;
}

Stmt substituteBuffers(const Stmt &s, const BufferMap<Buffer> &buffers)
{
    Substitution rewriter;
    rewriter.buffers = &buffers;
    return rewriter.stmt(s);
}

Expr substituteBuffers(const Expr &e, const BufferMap<Buffer> &buffers)
{
    Substitution rewriter;
    rewriter.buffers = &buffers;
    return rewriter.expr(e);
}

Stmt withFreshVariables(const Stmt &s) { return Freshener().stmt(s); }

Expr withFreshVariables(const Expr &e) { return Freshener().expr(e); }

} // namespace nestwright::ir
