// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/function.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::ir {

Module::Module() : Module(std::vector<Entry>{}) {}

Module::Module(std::vector<Entry> functions, Attrs attrs)
    : m_data(std::make_shared<const Data>(Data{std::move(functions), std::move(attrs)}))
{
}

Function Module::find(std::string_view name) const
{
    const auto found = std::ranges::find(functions(), name, &Entry::name);
    return found == functions().end() ? nullptr : found->function;
}

const Module::Entry *Module::mainEntry() const
{
    const auto found = std::ranges::find(functions(), "main", &Entry::name);
    if (found != functions().end())
        return &*found;
    return functions().size() == 1 ? &functions().front() : nullptr;
}

Module Module::with(std::string_view name, Function function) const
{
    std::vector<Entry> changed = functions();
    const auto found = std::ranges::find(changed, name, &Entry::name);
    if (found == changed.end())
        changed.push_back({std::string(name), std::move(function)});
    else
        found->function = std::move(function);
    return Module(std::move(changed), attrs());
}

StmtId lastId(const Module &module)
{
    StmtId last;
    for (const Module::Entry &entry : module.functions()) {
        forEachStmt(entry.function->body, [&](const Stmt &s) {
            if (const auto *loop = s.as<For>())
                last = std::max(last, loop->id);
            else if (const auto *block = s.as<Block>())
                last = std::max(last, block->id);
            return true;
        });
    }
    return last;
}

namespace {

class IdGiver : public Rewriter {
public:
    explicit IdGiver(IdCounter &ids) : m_ids(ids) {}

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<For>(); loop && !loop->id)
            return withId(*loop);
        if (const auto *block = s.as<Block>(); block && !block->id)
            return withId(*block);
        return children(s);
    }

private:
    template <class Node> Stmt withId(Node copy)
    {
        copy.id = m_ids.next();
        return children(make(std::move(copy)));
    }

    IdCounter &m_ids;
};

} // namespace

Module assignIds(const Module &module, IdCounter &ids)
{
    ids.reserve(lastId(module));
    Module result = module;
    for (const Module::Entry &entry : module.functions()) {
        Function changed = IdGiver(ids).function(entry.function);
        if (changed != entry.function)
            result = result.with(entry.name, std::move(changed));
    }
    return result;
}

} // namespace nestwright::ir
