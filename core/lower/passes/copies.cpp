// SPDX-License-Identifier: Apache-2.0
#include "core/lower/passes/copies.h"

#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"

namespace nestwright::lower {

namespace {

class Copier : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        if (!e.as<ir::VarNode>())
            return children(e);
        const auto found = m_vars.find(ir::Var::from(e));
        return found == m_vars.end() ? e : ir::Expr(found->second);
    }
    ir::Var definition(const ir::Var &v) override { return m_vars[v] = ir::Var::like(v, v.name()); }
    ir::Buffer buffer(const ir::Buffer &b) override
    {
        const auto data = m_vars.find(b->data);
        if (data == m_vars.end())
            return b;
        ir::Buffer &copy = m_buffers[b];
        if (!copy) {
            ir::BufferNode node = *b.get();
            node.data = data->second;
            copy = ir::Buffer(std::move(node));
        }
        return copy;
    }

private:
    ir::VarMap<ir::Var> m_vars;
    ir::BufferMap<ir::Buffer> m_buffers;
};

} // namespace

ir::Stmt freshCopy(const ir::Stmt &s) { return Copier().stmt(s); }

ir::Stmt copyWith(const ir::Stmt &s, const ir::Var &var, const ir::Expr &value)
{
    return ir::substitute(freshCopy(s), {{var, value}});
}

} // namespace nestwright::lower
