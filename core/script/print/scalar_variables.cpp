// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/scalar_variables.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <utility>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

const ir::DeclBuffer *ownBuffer(const ir::Allocate &node)
{
    const auto *declaration = node.body.as<ir::DeclBuffer>();
    if (!declaration || !(declaration->buffer->data == node.data) || declaration->buffer.dtype() != node.dtype
        || declaration->buffer->scope != node.scope || !node.values.empty()
        || declaration->buffer.shape().size() != node.extents.size())
        return nullptr;
    for (std::size_t i = 0; i < node.extents.size(); ++i) {
        if (!ir::structurallyEqual(node.extents[i], declaration->buffer.shape()[i]))
            return nullptr;
    }
    return declaration;
}

namespace {

bool isOneElement(const ir::Allocate &node, const ir::Buffer &buffer)
{
    return node.annotations.empty() && buffer->scope == "local" && buffer.shape().size() == 1
           && ir::isConstInt(buffer.shape().front(), 1)
           && buffer.shape().front().dtype() == ir::DataType::int32() && buffer->strides.empty()
           && buffer.hasDefaultOffset() && buffer->alignment == 64 && buffer->offsetFactor == 1
           && buffer->axisSeparators.empty() && !buffer.dtype().isVector() && !buffer.dtype().isHandle();
}

bool isFirst(const std::vector<Expr> &indices)
{
    return indices.size() == 1 && ir::isConstInt(indices.front(), 0)
           && indices.front().dtype() == ir::DataType::int32();
}

class Finder : public ir::Visitor {
public:
    BufferSet candidates;

    void stmt(const Stmt &s) override
    {
        if (const auto *seq = s.as<ir::Seq>()) {
            for (const Stmt &each : seq->stmts) {
                m_endsBody = &each == &seq->stmts.back();
                stmt(each);
            }
            m_endsBody = true;
            return;
        }
        const bool endsBody = std::exchange(m_endsBody, true);
        const auto *memory = s.as<ir::Allocate>();
        const ir::DeclBuffer *own = memory && endsBody ? ownBuffer(*memory) : nullptr;
        if (own && isOneElement(*memory, own->buffer) && !m_rejected.contains(own->buffer)) {
            candidates.insert(own->buffer);
            m_pointers.emplace(own->buffer->data, own->buffer);
            return stmt(own->body);
        }
        if (const auto *store = s.as<ir::BufferStore>();
            store && candidates.contains(store->buffer) && !store->predicate && isFirst(store->indices))
            return expr(store->value);
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>();
            load && candidates.contains(load->buffer) && !load->predicate && isFirst(load->indices))
            return;
        if (e.as<ir::VarNode>()) {
            if (const auto found = m_pointers.find(ir::Var::from(e)); found != m_pointers.end())
                reject(found->second);
        }
        children(e);
    }

    void buffer(const ir::Buffer &b) override
    {
        reject(b);
        if (const auto found = m_pointers.find(b->data); found != m_pointers.end())
            reject(found->second);
    }

private:
    /// For good: copies of a statement allocate the same buffer several times.
    void reject(const ir::Buffer &b)
    {
        candidates.erase(b);
        m_rejected.insert(b);
    }

    BufferSet m_rejected;
    bool m_endsBody = true;
    ir::VarMap<ir::Buffer> m_pointers;
};

} // namespace

BufferSet scalarVariables(const Stmt &body)
{
    Finder finder;
    finder.stmt(body);
    return std::move(finder.candidates);
}

} // namespace nestwright::script
