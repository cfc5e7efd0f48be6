// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/function_facts.h"

#include "core/script/tvmscript/objects.h"

#include <unordered_set>

namespace nestwright::script {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

bool definesInline(const Buffer &buffer, const Expr &e)
{
    // A declaration that does not name them makes them of the type of the shape.
    const ir::DataType type = buffer.shape().empty() ? ir::DataType::int32() : buffer.shape().front().dtype();
    if (!e || !e.as<ir::VarNode>() || e.dtype() != type)
        return false;
    int count = 0;
    const auto countUses = [&](const Expr &part) {
        if (part)
            ir::forEachExpr(part, [&](const Expr &inner) {
                count += inner.same(e) ? 1 : 0;
                return true;
            });
    };
    countUses(buffer->elemOffset);
    countUses(buffer->data);
    for (const Expr &stride : buffer->strides)
        countUses(stride);
    for (const Expr &extent : buffer.shape())
        countUses(extent);
    return count == 1;
}

namespace {

/// Walks a function in the order of its text and notes names with and without a definition.
class Collector : public ir::Visitor {
public:
    FunctionFacts facts;

    void params(const ir::PrimFunc &function)
    {
        for (const ir::Param &param : function.params) {
            definition(param.var);
            if (param.buffer)
                m_handles.insert(param.var);
        }
        for (const ir::Param &param : function.params) {
            if (param.buffer)
                declare(param.buffer);
        }
    }

    /// Sorts the undeclared buffers by whether something defines their pointers.
    void finish()
    {
        for (const Buffer &buffer : m_order) { // the map's own order is none
            if (!m_pointers.contains(buffer->data))
                facts.orphans.push_back(buffer);
        }
        for (auto entry = facts.undeclared.begin(); entry != facts.undeclared.end();) {
            if (m_pointers.contains(entry->first)) {
                ++entry;
                continue;
            }
            entry = facts.undeclared.erase(entry);
        }
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>())
            return blockStatement(*block);
        if (const auto *declaration = s.as<ir::DeclBuffer>()) {
            use(declaration->buffer->data);
            declare(declaration->buffer);
        }
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (e.as<ir::VarNode>())
            return use(Var::from(e));
        if (const auto *let = e.as<ir::Let>())
            addFree(let->var);
        for (const Expr &own : ownVariables(e))
            m_defined.insert(Var::from(own));
        children(e);
    }

    void buffer(const Buffer &b) override
    {
        if (m_declared.contains(b))
            return;
        facts.undeclared[b->data].push_back(b);
        m_order.push_back(b);
        declare(b, false);
    }

    void definition(const Var &v) override
    {
        m_defined.insert(v);
        m_pointers.insert(v);
    }

private:
    /// Visits a block in the order in which it is printed, which is not that of its fields.
    void blockStatement(const ir::Block &block)
    {
        for (const Expr &value : block.iterValues)
            expr(value);
        expr(block.predicate);
        for (const ir::IterVar &iter : block.iterVars) {
            expr(iter.domain.min);
            expr(iter.domain.extent);
            definition(iter.var);
        }
        for (const Buffer &allocated : block.allocBuffers)
            declare(allocated);
        for (const auto *regions : {&block.reads, &block.writes}) {
            for (const ir::BufferRegion &region : *regions)
                regionUse(region);
        }
        for (const ir::MatchBuffer &match : block.matchBuffers) {
            regionUse(match.source);
            declare(match.buffer);
        }
        if (block.init)
            stmt(block.init);
        stmt(block.body);
    }

    void regionUse(const ir::BufferRegion &region)
    {
        buffer(region.buffer);
        for (const ir::Range &range : region.region) {
            expr(range.min);
            expr(range.extent);
        }
    }

    void declare(const Buffer &b, bool definesPointer = true)
    {
        m_declared.insert(b);
        if (definesPointer)
            m_pointers.insert(b->data);
        const auto part = [&](const Expr &e, bool mayDefine) {
            if (!e)
                return;
            if (mayDefine && e.as<ir::VarNode>() && !m_defined.contains(Var::from(e)) && definesInline(b, e))
                m_defined.insert(Var::from(e));
            else
                expr(e);
        };
        for (const Expr &extent : b.shape())
            part(extent, false);
        for (const Expr &stride : b->strides)
            part(stride, true);
        part(b->elemOffset, true);
        m_defined.insert(b->data);
    }

    void use(const Var &var)
    {
        if (m_handles.contains(var))
            facts.usedHandles.insert(var);
        if (!m_defined.contains(var)) {
            addFree(var);
            m_pointers.insert(var);
        }
    }

    void addFree(const Var &var)
    {
        if (m_defined.insert(var).second)
            facts.freeVars.push_back(var);
    }

    ir::VarSet m_defined, m_handles;
    ir::VarSet m_pointers; ///< those that a parameter, an allocation or a let defines
    std::unordered_set<Buffer, ir::BufferHash> m_declared;
    std::vector<Buffer> m_order; ///< undeclared ones as they are met
};

} // namespace

FunctionFacts factsOf(const ir::PrimFunc &function)
{
    Collector collector;
    collector.params(function);
    collector.stmt(function.body);
    collector.finish();
    return std::move(collector.facts);
}

} // namespace nestwright::script
