// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/inexact_memory.h"

namespace nestwright::measure {

InexactMemory::InexactMemory(const ir::PrimFunc &function)
{
    // Integers may go through several buffers, and regions through several names.
    for (std::size_t before = 0, now = 1; before != now;) {
        before = m_inexact.size() + m_written.size();
        stmt(function.body);
        now = m_inexact.size() + m_written.size();
    }
}

bool InexactMemory::hasErrors(const ir::Buffer &b) const
{
    return m_written.contains(b->data) && (b.dtype().isFloating() || m_inexact.contains(b->data));
}

bool InexactMemory::comesFromFloats(const ir::Expr &value) const
{
    bool found = false;
    ir::forEachExpr(value, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        const ir::Var var = ir::Var::from(e);
        found = found || e.dtype().isFloating() || (load && m_inexact.contains(load->buffer->data))
                || (var && m_inexact.contains(var));
        return !found;
    });
    return found;
}

void InexactMemory::stmt(const ir::Stmt &s)
{
    if (const auto *store = s.as<ir::BufferStore>())
        noteStore(*store);
    else if (const auto *block = s.as<ir::Block>())
        noteBlock(*block);
    else if (const auto *let = s.as<ir::LetStmt>(); let && comesFromFloats(let->value))
        m_inexact.insert(let->var);
    children(s);
}

void InexactMemory::noteStore(const ir::BufferStore &store)
{
    write(store.buffer);
    if (!store.buffer.dtype().isFloating() && comesFromFloats(store.value))
        m_inexact.insert(store.buffer->data);
}

void InexactMemory::noteBlock(const ir::Block &block)
{
    for (const ir::BufferRegion &region : block.writes)
        write(region.buffer);
    for (const ir::MatchBuffer &match : block.matchBuffers) {
        const ir::Buffer &source = match.source.buffer;
        if (m_written.contains(source->data) || m_written.contains(match.buffer->data)) {
            write(source);
            write(match.buffer);
        }
        if (m_inexact.contains(source->data) || m_inexact.contains(match.buffer->data))
            m_inexact.insert({source->data, match.buffer->data});
    }
}

void InexactMemory::write(const ir::Buffer &b)
{
    const auto [known, isNew] = m_written.try_emplace(b->data, b.dtype());
    if (!isNew && known->second != b.dtype())
        throw NoBounds();
}

} // namespace nestwright::measure
