// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/unwritten.h"

#include "core/analysis/codes.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"

#include <format>
#include <tuple>
#include <utility>
#include <vector>

namespace nestwright::analysis {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// Follows views to the memory below them.
class Finder : public ir::Visitor {
public:
    void stmt(const Stmt &s) override
    {
        const auto outer = std::pair(m_place, m_name);
        if (const auto *loop = s.as<ir::For>(); loop && m_name.empty())
            m_place = loop->id;
        if (const auto *block = s.as<ir::Block>()) {
            std::tie(m_place, m_name) = std::pair(block->id, block->name);
            for (const ir::Buffer &buffer : block->allocBuffers)
                m_made.insert(buffer->data);
            for (const ir::MatchBuffer &match : block->matchBuffers)
                m_below[match.buffer->data] = memoryOf(match.source.buffer->data);
        }
        if (const auto *memory = s.as<ir::Allocate>(); memory && memory->values.empty())
            m_made.insert(memory->data);
        if (const auto *store = s.as<ir::BufferStore>())
            m_written.insert(memoryOf(store->buffer->data));
        if (const auto *let = s.as<ir::LetStmt>(); let && let->var.dtype().isHandle()) {
            if (const Var from = Var::from(let->value))
                m_below[let->var] = memoryOf(from);
        }
        children(s);
        std::tie(m_place, m_name) = outer;
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            m_loads.push_back({e, load->buffer, m_place, m_name});
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::addressOf) {
            for (const Expr &arg : call->args) {
                if (const auto *load = arg.as<ir::BufferLoad>())
                    m_written.insert(memoryOf(load->buffer->data));
            }
        }
        if (const Var var = Var::from(e); var && var.dtype().isHandle())
            m_written.insert(memoryOf(var)); // a pointer may be written through
        children(e);
    }

    std::optional<support::Diagnostic> found() const
    {
        for (const Load &load : m_loads) {
            const Var memory = memoryOf(load.buffer->data);
            if (!m_made.contains(memory) || m_written.contains(memory))
                continue;
            const std::string place = load.name.empty() ? "the function" : "block '" + load.name + '\'';
            return support::diagnostic(codes::unwritten,
                                       std::format("{} reads {}, but nobody writes '{}'", place,
                                                   script::printExpr(load.whole), load.buffer.name()))
                .at(load.place, place)
                .withHint("write the buffer before it is read, or make it a parameter");
        }
        return std::nullopt;
    }

private:
    struct Load {
        Expr whole;
        ir::Buffer buffer;
        support::StmtId place;
        std::string name; ///< of the block; empty where there is none
    };

    /// Views are met before what is done by them.
    Var memoryOf(const Var &pointer) const
    {
        const auto view = m_below.find(pointer);
        return view == m_below.end() ? pointer : view->second;
    }

    std::vector<Load> m_loads;
    ir::VarMap<Var> m_below;
    ir::VarSet m_made, m_written;
    support::StmtId m_place;
    std::string m_name;
};

/// How a function uses the memories of its parameters.
class OutputFinder : public ir::Visitor {
public:
    ir::VarSet stored, needed; ///< needed: as it was before

    void stmt(const Stmt &s) override
    {
        const Var outer = m_initialized;
        if (const auto *block = s.as<ir::Block>()) {
            const auto *first = block->init ? block->init.as<ir::BufferStore>() : nullptr;
            m_initialized = first ? first->buffer->data : Var();
        }
        if (const auto *store = s.as<ir::BufferStore>())
            stored.insert(store->buffer->data);
        children(s);
        m_initialized = outer;
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer->data != m_initialized)
            needed.insert(load->buffer->data);
        if (const Var var = Var::from(e); var && var.dtype().isHandle())
            needed.insert(var);
        children(e);
    }

    void buffer(const ir::Buffer &b) override
    {
        const auto [first, isNew] = m_buffers.try_emplace(b->data, b);
        if (!isNew && !(first->second == b))
            needed.insert(b->data);
    }

private:
    ir::VarMap<ir::Buffer> m_buffers;
    Var m_initialized;
};

} // namespace

std::vector<std::size_t> pureOutputs(const ir::PrimFunc &function)
{
    OutputFinder finder;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            finder.buffer(param.buffer);
    }
    finder.stmt(function.body);
    ir::forEachStmt(function.body, [&](const Stmt &s) {
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::MatchBuffer &match : block->matchBuffers)
                finder.needed.insert(match.source.buffer->data);
        }
        return true;
    });
    std::vector<std::size_t> outputs;
    std::size_t number = 0;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        const Var &memory = param.buffer->data;
        if (finder.stored.contains(memory) && !finder.needed.contains(memory))
            outputs.push_back(number);
        ++number;
    }
    return outputs;
}

std::optional<support::Diagnostic> unwrittenRead(const ir::PrimFunc &function)
{
    Finder finder;
    finder.stmt(function.body);
    return finder.found();
}

} // namespace nestwright::analysis
