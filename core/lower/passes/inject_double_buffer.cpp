// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <utility>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

bool isDoubled(const ir::Allocate &memory)
{
    return ir::attribute(memory.annotations, ir::doubleBufferKey) != nullptr;
}

bool isSequential(const ir::For &loop)
{
    return loop.forKind == ir::ForKind::Serial || loop.forKind == ir::ForKind::Unrolled;
}

/// The statements that a loop runs one after the other, and what declares memory around them.
struct Round {
    std::vector<Stmt> around; ///< from outside in
    std::vector<Stmt> parts;

    explicit Round(Stmt body)
    {
        while (const Stmt *inner = bodyOf(body)) {
            const Stmt next = *inner;
            around.push_back(std::exchange(body, next));
        }
        const auto *seq = body.as<ir::Seq>();
        parts = seq ? seq->stmts : std::vector<Stmt>{body};
    }

    Stmt whole() const
    {
        Stmt result = ir::seq(parts);
        for (std::size_t i = around.size(); i-- > 0;)
            result = withBody(around[i], result);
        return result;
    }

    static const Stmt *bodyOf(const Stmt &s)
    {
        if (const auto *memory = s.as<ir::Allocate>())
            return &memory->body;
        if (const auto *view = s.as<ir::DeclBuffer>())
            return &view->body;
        if (const auto *mark = s.as<ir::AttrStmt>())
            return &mark->body;
        return nullptr;
    }

    static Stmt withBody(const Stmt &s, const Stmt &body)
    {
        const auto changed = [&](auto node) {
            node.body = body;
            return ir::make(std::move(node));
        };
        if (const auto *memory = s.as<ir::Allocate>())
            return changed(*memory);
        if (const auto *view = s.as<ir::DeclBuffer>())
            return changed(*view);
        return changed(*s.as<ir::AttrStmt>());
    }
};

/// Takes memory that is to be doubled, with its views, out of the loop that makes it anew in each round.
class OutOfLoops : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        const auto *loop = changed.as<ir::For>();
        if (!loop || !isSequential(*loop))
            return changed;
        Round round(loop->body);
        std::vector<Stmt> taken;
        ir::VarSet memories;
        std::erase_if(round.around, [&](const Stmt &each) {
            const auto *memory = each.as<ir::Allocate>();
            const auto *view = each.as<ir::DeclBuffer>();
            if (memory && isDoubled(*memory) && isFixed(*memory) && m_taken.insert(memory->data).second)
                memories.insert(memory->data);
            const bool isTaken = (memory && memories.contains(memory->data))
                                 || (view && memories.contains(view->buffer->data));
            if (isTaken)
                taken.push_back(each);
            return isTaken;
        });
        if (taken.empty())
            return changed;
        ir::For result = *loop;
        result.body = round.whole();
        round.around = std::move(taken);
        round.parts = {ir::make(std::move(result))};
        return round.whole();
    }

private:
    static bool isFixed(const ir::Allocate &memory)
    {
        return std::ranges::all_of(memory.extents, [](const Expr &extent) { return ir::asInt(extent); });
    }

    ir::VarSet m_taken; ///< out of one loop, not of those around it
};

/// Memory that a statement reads, writes and points to.
struct Uses {
    ir::VarSet read, written, pointers;

    Uses() = default;
    explicit Uses(const Stmt &s)
    {
        ir::forEachStmt(s, [&](const Stmt &part) {
            if (const auto *store = part.as<ir::BufferStore>())
                written.insert(store->buffer->data);
            return true;
        });
        ir::forEachExpr(s, [&](const Expr &part) {
            if (const auto *load = part.as<ir::BufferLoad>())
                read.insert(load->buffer->data);
            if (const Var var = Var::from(part); var && var.dtype().isHandle())
                pointers.insert(var);
            return true;
        });
    }

    bool touches(const Var &memory) const
    {
        return read.contains(memory) || written.contains(memory) || pointers.contains(memory);
    }
};

bool meet(const ir::VarSet &a, const ir::VarSet &b)
{
    return std::ranges::any_of(a, [&](const Var &each) { return b.contains(each); });
}

/// Puts accesses to a memory into one of its halves.
class HalfOf : public ir::Rewriter {
public:
    /// `half`: 0 or 1, each of `size` elements.
    HalfOf(Var memory, Expr half, Expr size)
        : m_memory(std::move(memory))
        , m_half(std::move(half))
        , m_size(std::move(size))
    {
    }

    Expr expr(const Expr &e) override
    {
        Expr changed = children(e);
        const auto *load = changed.as<ir::BufferLoad>();
        if (!load || load->buffer->data != m_memory)
            return changed;
        ir::BufferLoad result = *load;
        result.indices = {moved(load->indices.front())};
        return ir::make(std::move(result));
    }

    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        const auto *store = changed.as<ir::BufferStore>();
        if (!store || store->buffer->data != m_memory)
            return changed;
        ir::BufferStore result = *store;
        result.indices = {moved(store->indices.front())};
        return ir::make(std::move(result));
    }

private:
    Expr moved(const Expr &index) const
    {
        const ir::DataType type = index.dtype().element();
        return index + ir::cast(type, m_half) * ir::cast(type, m_size);
    }

    Var m_memory;
    Expr m_half, m_size;
};

/// One memory with all that uses it.
class Doubling {
public:
    explicit Doubling(const ir::Allocate &memory) : m_memory(memory) {}

    /// Throws support::UserError "lower.double-buffer" where no loop fills the memory and then reads it.
    Stmt doubled()
    {
        ir::Allocate result = m_memory;
        result.annotations.erase(std::string(ir::doubleBufferKey));
        result.body = in(m_memory.body);
        if (!m_isDone)
            return ir::make(std::move(result));
        result.extents.front() = result.extents.front() * 2;
        ir::BufferMap<ir::Buffer> grown;
        ir::forEachStmt(m_memory.body, [&](const Stmt &s) {
            if (const auto *view = s.as<ir::DeclBuffer>(); view && view->buffer->data == m_memory.data) {
                checkView(*view->buffer.get());
                ir::BufferNode node = *view->buffer.get();
                node.shape = {m_memory.extents.front() + node.shape.front()};
                grown[view->buffer] = ir::Buffer(std::move(node));
            }
            return true;
        });
        result.body = ir::substituteBuffers(result.body, grown);
        return ir::make(std::move(result));
    }

private:
    [[noreturn]] void refuse(const std::string &reason, const std::string &hint,
                             support::StmtId place = {}) const
    {
        throw support::UserError(
            support::diagnostic("lower.double-buffer",
                                "'" + m_memory.data.name() + "' cannot have two halves: " + reason)
                .withHint(hint)
                .at(place));
    }

    /// Elements of a view are those of the memory.
    void checkView(const ir::BufferNode &view) const
    {
        const bool isAlike = view.shape.size() == 1 && m_memory.extents.size() == 1
                             && view.dtype == m_memory.dtype
                             && (!view.elemOffset || ir::isConstInt(view.elemOffset, 0));
        if (!isAlike)
            refuse("a part of it, or its bytes, are used as an array of their own", "use it as it was made");
    }

    /// Descends to the loop whose iterations fill the memory and read it.
    Stmt in(const Stmt &s)
    {
        const auto *loop = s.as<ir::For>();
        Round round(loop ? loop->body : s);
        const std::vector<Uses> uses(round.parts.begin(), round.parts.end());
        const auto touches = [&](const Uses &part) { return part.touches(m_memory.data); };
        const auto first = std::ranges::find_if(uses, touches) - uses.begin();
        const auto users = std::ranges::count_if(uses, touches);
        if (loop && users > 1)
            return filledAhead(*loop, std::move(round), static_cast<std::size_t>(first), uses);
        const bool goesOn = loop || round.parts.size() > 1 || !round.around.empty();
        if (users != 1 || !goesOn)
            refuse("it is not filled and then read in one loop",
                   "place the copy in the loop whose rounds it is for, by compute_at");
        Stmt &part = round.parts[static_cast<std::size_t>(first)];
        part = in(part);
        if (!loop)
            return round.whole();
        ir::For result = *loop;
        result.body = round.whole();
        return ir::make(std::move(result));
    }

    /// `uses`: the accesses of each part of the iteration; part number `first` is to fill the memory.
    void check(const ir::For &loop, const Round &round, std::size_t first,
               const std::vector<Uses> &uses) const
    {
        const Uses &filling = uses[first];
        if (!isSequential(loop))
            refuse("the rounds of '" + loop.var.name() + "' do not follow one another",
                   "place the copy in a loop that is neither bound to threads nor vectorized", loop.id);
        if (filling.read.contains(m_memory.data) || !filling.written.contains(m_memory.data))
            refuse("it is read before it is filled", "annotate the block that copies into it", loop.id);
        Uses others;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const Uses &part = uses[i];
            if (part.pointers.contains(m_memory.data))
                refuse("its address is taken", "let it be read by its indices", loop.id);
            if (i == first)
                continue;
            if (part.written.contains(m_memory.data))
                refuse("more than one statement of the loop fills it", "copy it by one block", loop.id);
            others.read.insert(part.read.begin(), part.read.end());
            others.written.insert(part.written.begin(), part.written.end());
        }
        ir::VarSet made;
        for (const Stmt &each : round.around) {
            if (const auto *memory = each.as<ir::Allocate>())
                made.insert(memory->data);
        }
        ir::VarSet written = filling.written;
        written.erase(m_memory.data);
        if (meet(filling.read, others.written) || meet(written, others.read) || meet(written, others.written)
            || meet(filling.read, made) || meet(written, made))
            refuse("what fills it works on what the rest of the loop works on, so that it cannot be a round "
                   "ahead",
                   "copy from memory that the loop only reads", loop.id);
    }

    /// The first round's values come before the loop; each round fetches those of the next and works on its
    /// own.
    Stmt filledAhead(const ir::For &loop, Round round, std::size_t first, const std::vector<Uses> &uses)
    {
        check(loop, round, first, uses);
        const std::int64_t *count = ir::asInt(loop.extent);
        if (count && *count < 2)
            return ir::make(ir::For(loop)); // there is no next round
        m_isDone = true;
        const Expr now = Expr(loop.var), end = loop.min + loop.extent;
        HalfOf half(m_memory.data, ir::floorMod(now - loop.min, ir::intImm(2, loop.var.dtype())),
                    m_memory.extents.front());
        const Stmt filling = round.parts[first];
        for (Stmt &part : round.parts)
            part = half.stmt(part);
        Stmt &ahead = round.parts[first];
        const Expr next = now + ir::intImm(1, loop.var.dtype());
        ahead = ir::ifThenElse(ir::lt(next, end), copyWith(ahead, loop.var, next));
        Stmt before = copyWith(filling, loop.var, loop.min);
        if (!count)
            before = ir::ifThenElse(ir::lt(loop.min, end), before);
        ir::For result = loop;
        result.body = round.whole();
        return ir::seq({before, ir::make(std::move(result))});
    }

    const ir::Allocate &m_memory;
    bool m_isDone = false;
};

class DoubleBuffers : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        const auto *memory = s.as<ir::Allocate>();
        if (!memory || !isDoubled(*memory))
            return children(s);
        return children(Doubling(*memory).doubled());
    }
};

} // namespace

ir::Module injectDoubleBuffer(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<DoubleBuffers>(ir::rewriteModule<OutOfLoops>(module));
}

} // namespace nestwright::lower
