// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/aliases.h"

#include "core/ir/build/walk.h"

namespace nestwright::analysis {

namespace {

class AliasFinder : public ir::Visitor {
public:
    std::optional<std::pair<ir::Buffer, ir::Buffer>> found;

    void stmt(const ir::Stmt &s) override
    {
        if (!found)
            children(s);
    }
    void buffer(const ir::Buffer &b) override
    {
        const auto [first, isNew] = m_first.try_emplace(b->data, b);
        if (!isNew && !(first->second == b) && !found)
            found.emplace(first->second, b);
    }

private:
    ir::VarMap<ir::Buffer> m_first;
};

template <class Root> bool findsLoadFrom(const Root &root, const ir::Var &memory)
{
    bool found = false;
    ir::forEachExpr(root, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        found = found || (load && load->buffer->data == memory);
        return !found;
    });
    return found;
}

} // namespace

bool loadsFrom(const ir::Stmt &s, const ir::Var &memory) { return findsLoadFrom(s, memory); }
bool loadsFrom(const ir::Expr &e, const ir::Var &memory) { return findsLoadFrom(e, memory); }

std::optional<std::pair<ir::Buffer, ir::Buffer>> aliasesIn(const ir::PrimFunc &function)
{
    AliasFinder finder;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            finder.buffer(param.buffer);
    }
    finder.stmt(function.body);
    return finder.found;
}

} // namespace nestwright::analysis
