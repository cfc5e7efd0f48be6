// SPDX-License-Identifier: Apache-2.0
/// An expression with a division or a function of mathematics that occurs twice in a statement, or in several
/// of a sequence, is computed once, before the first of them. It must be computed in one of them whatever
/// happens, so that nothing is computed that was not before, and what it loads must not be stored to in
/// between. Larger expressions come first, then what is left of their parts.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// A part of a sequence: a statement, or a variable for all parts behind it.
struct Item {
    Stmt stmt; ///< null: a variable
    Var var;
    Expr value;

    /// A statement without statements in it.
    bool isLeaf() const { return !stmt || stmt.as<ir::BufferStore>() || stmt.as<ir::Evaluate>(); }
};

struct Occurrences {
    Expr e;
    std::size_t first = 0, last = 0; ///< items that it is in
    int count = 0;
    int ofItems = 0;     ///< of these in items themselves, not in statements within them
    bool isSure = false; ///< one is computed whenever the sequence runs
};

bool isCostly(const Expr &e)
{
    if (const auto *node = e.as<ir::Binary>())
        return ir::isDivision(node->op);
    const auto *call = e.as<ir::Call>();
    const ir::Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
    return intrinsic && (intrinsic->transcendental || call->callee == ir::intrinsics::callPureExtern);
}

/// Writes of items, as far as they may change the value of an expression.
struct Writes {
    ir::VarSet memories;
    bool mayBeAny = false; ///< it calls functions that may do anything
};

Writes writesIn(const Item &item)
{
    Writes writes;
    const auto look = [&](const Expr &e) {
        const auto *call = e.as<ir::Call>();
        const ir::Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
        if (call && (!intrinsic || intrinsic->purity == ir::Purity::Opaque))
            writes.mayBeAny = true;
        return true;
    };
    if (!item.stmt)
        return writes; // the value of a variable is computed anywhere
    ir::forEachExpr(item.stmt, look);
    ir::forEachStmt(item.stmt, [&](const Stmt &s) {
        if (const auto *store = s.as<ir::BufferStore>())
            writes.memories.insert(store->buffer->data);
        return true;
    });
    return writes;
}

/// Expressions by their structure.
template <class T> class ExprIndex {
public:
    T *find(const Expr &e)
    {
        const auto [begin, end] = m_found.equal_range(ir::structuralHash(e));
        const auto same = std::find_if(
            begin, end, [&](const auto &entry) { return ir::structurallyEqual(entry.second.first, e); });
        return same == end ? nullptr : &same->second.second;
    }
    void insert(const Expr &e, T value)
    {
        m_found.emplace(ir::structuralHash(e), std::pair{e, std::move(value)});
    }

private:
    std::unordered_multimap<std::size_t, std::pair<Expr, T>> m_found;
};

/// The expressions of a sequence that could stand before it.
class OccurrenceFinder : public ir::Visitor {
public:
    std::vector<Occurrences> found;

    void look(const std::vector<Item> &items)
    {
        for (m_item = 0; m_item < items.size(); ++m_item) {
            const Item &item = items[m_item];
            m_isSure = true;
            m_depth = 0;
            if (item.stmt)
                stmt(item.stmt);
            else
                expr(item.value);
        }
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            expr(loop->min);
            expr(loop->extent);
            m_inside.insert(loop->var);
            const std::int64_t *count = ir::asInt(loop->extent);
            within(loop->body, count && *count > 0);
        } else if (const auto *branch = s.as<ir::IfThenElse>()) {
            expr(branch->condition);
            within(branch->thenCase, false);
            if (branch->elseCase)
                within(branch->elseCase, false);
        } else if (const auto *bound = s.as<ir::LetStmt>()) {
            expr(bound->value);
            m_inside.insert(bound->var);
            within(bound->body, true);
        } else if (const auto *loop = s.as<ir::While>()) {
            ++m_depth; // the condition is one of each round
            expr(loop->condition);
            --m_depth;
            within(loop->body, false);
        } else if (const auto *check = s.as<ir::AssertStmt>()) {
            expr(check->condition);
            within(check->body, false);
        } else if (const auto *memory = s.as<ir::Allocate>()) {
            m_inside.insert(memory->data);
            within(memory->body, true);
        } else if (const auto *view = s.as<ir::DeclBuffer>()) {
            m_views.insert(view->buffer.get());
            within(view->body, true);
        } else if (const auto *mark = s.as<ir::AttrStmt>()) {
            within(mark->body, true);
        } else if (const auto *sequence = s.as<ir::Seq>()) {
            for (const Stmt &part : sequence->stmts)
                within(part, true);
        } else {
            children(s);
        }
    }

    void expr(const Expr &e) override
    {
        if (const auto *bound = e.as<ir::Let>())
            m_inside.insert(bound->var);
        if (mayMove(e))
            note(e);
        const auto *node = e.as<ir::Binary>();
        const auto *call = e.as<ir::Call>();
        if (node && ir::isLogical(node->op)) {
            expr(node->a);
            unsure(node->b);
        } else if (call && call->callee == ir::intrinsics::ifThenElse) {
            expr(call->args[0]);
            unsure(call->args[1]);
            unsure(call->args[2]);
        } else {
            children(e);
        }
    }

private:
    void within(const Stmt &s, bool runs)
    {
        const bool outer = std::exchange(m_isSure, m_isSure && runs);
        ++m_depth;
        stmt(s);
        --m_depth;
        m_isSure = outer;
    }

    void unsure(const Expr &e)
    {
        const bool outer = std::exchange(m_isSure, false);
        expr(e);
        m_isSure = outer;
    }

    bool mayMove(const Expr &e) const
    {
        if (e.dtype().isVector() || e.dtype().isBool() || e.dtype().isHandle())
            return false;
        bool isCostlyThere = false, isFree = true;
        ir::forEachExpr(e, [&](const Expr &part) {
            isCostlyThere = isCostlyThere || isCostly(part);
            const auto *call = part.as<ir::Call>();
            const ir::Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
            const auto *load = part.as<ir::BufferLoad>();
            if (part.as<ir::Let>() || (call && (!intrinsic || intrinsic->purity != ir::Purity::Pure))
                || (part.as<ir::VarNode>() && m_inside.contains(Var::from(part)))
                || (load && (m_inside.contains(load->buffer->data) || m_views.contains(load->buffer.get()))))
                isFree = false;
            return isFree;
        });
        return isFree && isCostlyThere;
    }

    void note(const Expr &e)
    {
        std::size_t *number = m_numbers.find(e);
        if (!number) {
            m_numbers.insert(e, found.size());
            found.push_back({e, m_item});
            number = m_numbers.find(e);
        }
        Occurrences &all = found[*number];
        all.last = m_item;
        ++all.count;
        all.ofItems += m_depth == 0 ? 1 : 0;
        all.isSure = all.isSure || m_isSure;
    }

    ExprIndex<std::size_t> m_numbers;
    ir::VarSet m_inside; ///< defined within the items
    std::unordered_set<const ir::BufferNode *> m_views;
    std::size_t m_item = 0;
    int m_depth = 0; ///< of statements within the item
    bool m_isSure = true;
};

/// Puts variables in the place of expressions.
class Replacing : public ir::Rewriter {
public:
    ExprIndex<Var> variables;

    Expr expr(const Expr &e) override
    {
        const Var *var = variables.find(e);
        return var ? Expr(*var) : children(e);
    }
};

class CommonSubexprElim : public ir::Rewriter {
public:
    /// Each statement that is no part of a sequence begins one.
    Stmt stmt(const Stmt &s) override
    {
        std::vector<Item> items;
        if (const auto *sequence = s.as<ir::Seq>()) {
            for (const Stmt &part : sequence->stmts)
                items.push_back({part, {}, {}});
        } else {
            items.push_back({s, {}, {}});
        }
        const std::size_t count = items.size();
        while (replaceSome(items)) {
        }
        bool isSame = items.size() == count;
        for (Item &item : items) {
            if (!item.stmt)
                continue;
            Stmt changed = item.isLeaf() ? item.stmt : children(item.stmt);
            isSame = isSame && changed.same(item.stmt);
            item.stmt = std::move(changed);
        }
        return isSame ? s : joined(items);
    }

    Expr expr(const Expr &e) override { return e; }

private:
    static Stmt joined(const std::vector<Item> &items)
    {
        std::vector<Stmt> parts; // from the last one
        for (std::size_t i = items.size(); i-- > 0;) {
            if (items[i].stmt) {
                parts.push_back(items[i].stmt);
                continue;
            }
            ir::LetStmt bound;
            bound.var = items[i].var;
            bound.value = items[i].value;
            bound.body = ir::seq({parts.rbegin(), parts.rend()});
            parts = {ir::make(std::move(bound))};
        }
        return ir::seq({parts.rbegin(), parts.rend()});
    }

    /// The largest expressions that occur more than once become variables. Whether there are any.
    static bool replaceSome(std::vector<Item> &items)
    {
        OccurrenceFinder finder;
        finder.look(items);
        std::vector<const Occurrences *> several;
        ExprIndex<bool> parts;
        std::vector<std::optional<Writes>> writes(items.size());
        for (const Occurrences &each : finder.found) {
            if (!isWorthwhile(each) || !keepsItsValue(each, items, writes))
                continue;
            several.push_back(&each);
            ir::forEachExpr(each.e, [&](const Expr &part) {
                if (!part.same(each.e) && !parts.find(part))
                    parts.insert(part, true);
                return true;
            });
        }
        std::erase_if(several, [&](const Occurrences *each) { return parts.find(each->e); });
        if (several.empty())
            return false;
        Replacing replacing;
        std::vector<Item> result;
        for (const Occurrences *each : several)
            replacing.variables.insert(each->e, Var("cse", each->e.dtype()));
        for (std::size_t i = 0; i < items.size(); ++i) {
            for (const Occurrences *each : several) {
                if (each->first == i)
                    result.push_back({{}, *replacing.variables.find(each->e), each->e});
            }
            Item item = items[i];
            if (item.stmt)
                item.stmt = replacing.stmt(item.stmt);
            else
                item.value = replacing.expr(item.value);
            result.push_back(std::move(item));
        }
        items = std::move(result);
        return true;
    }

    /// Whether it is computed more than once, and not by one statement within an item alone.
    static bool isWorthwhile(const Occurrences &all)
    {
        return all.count > 1 && all.isSure && (all.first != all.last || all.ofItems > 0);
    }

    static bool keepsItsValue(const Occurrences &all, const std::vector<Item> &items,
                              std::vector<std::optional<Writes>> &writes)
    {
        if (!ir::mayFault(all.e))
            return true;
        ir::VarSet loaded;
        ir::forEachExpr(all.e, [&](const Expr &part) {
            if (const auto *load = part.as<ir::BufferLoad>())
                loaded.insert(load->buffer->data);
            return true;
        });
        for (std::size_t i = all.first; i <= all.last; ++i) {
            if (!writes[i])
                writes[i] = writesIn(items[i]);
            if (writes[i]->mayBeAny)
                return false;
            if (i == all.last && items[i].isLeaf())
                break; // the last one stores after it has computed
            if (std::ranges::any_of(writes[i]->memories, [&](const Var &v) { return loaded.contains(v); }))
                return false;
        }
        return true;
    }
};

} // namespace

ir::Module commonSubexprElim(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<CommonSubexprElim>(module);
}

} // namespace nestwright::lower
