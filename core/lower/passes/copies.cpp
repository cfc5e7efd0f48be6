// SPDX-License-Identifier: Apache-2.0
#include "core/lower/passes/copies.h"

#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <utility>

namespace nestwright::lower {

namespace {

class Copier : public ir::Rewriter {
public:
    explicit Copier(ir::VarMap<ir::Expr> values, bool isFresh)
        : m_values(std::move(values))
        , m_isFresh(isFresh)
    {
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        if (!e.as<ir::VarNode>())
            return children(e);
        const auto found = m_values.find(ir::Var::from(e));
        return found == m_values.end() ? e : found->second;
    }
    ir::Var definition(const ir::Var &v) override
    {
        if (!m_isFresh)
            return v;
        std::erase_if(m_buffers, [&](const auto &copy) { return dependsOn(copy.first, v); });
        ir::Var fresh = ir::Var::like(v, v.name());
        m_values.insert_or_assign(v, fresh);
        return fresh;
    }
    /// Renews a buffer whose size or pointer depends on a renewed variable.
    ir::Buffer buffer(const ir::Buffer &b) override
    {
        if (const auto found = m_buffers.find(b); found != m_buffers.end())
            return found->second;
        ir::BufferNode node = *b.get();
        node.data = ir::Var::from(expr(b->data));
        bool isSame = node.data == b->data;
        const auto map = [&](ir::Expr &e) {
            const ir::Expr before = e;
            e = expr(before);
            isSame = isSame && e.same(before);
        };
        std::ranges::for_each(node.shape, map);
        std::ranges::for_each(node.strides, map);
        if (node.elemOffset)
            map(node.elemOffset);
        return m_buffers[b] = isSame ? b : ir::Buffer(std::move(node));
    }

private:
    static bool dependsOn(const ir::Buffer &b, const ir::Var &v)
    {
        const auto uses = [&](const ir::Expr &e) { return ir::uses(e, v); };
        return b->data == v || std::ranges::any_of(b->shape, uses) || std::ranges::any_of(b->strides, uses)
               || (b->elemOffset && uses(b->elemOffset));
    }

    ir::VarMap<ir::Expr> m_values; ///< of variables: their own copies, or what stands for them
    bool m_isFresh;                ///< whether definitions are
    ir::BufferMap<ir::Buffer> m_buffers;
};

} // namespace

ir::Stmt freshCopy(const ir::Stmt &s) { return Copier({}, true).stmt(s); }

ir::Stmt copyWith(const ir::Stmt &s, const ir::Var &var, const ir::Expr &value)
{
    return Copier({{var, value}}, true).stmt(s);
}

ir::Stmt withValue(const ir::Stmt &s, const ir::Var &var, const ir::Expr &value)
{
    return Copier({{var, value}}, false).stmt(s);
}

} // namespace nestwright::lower
