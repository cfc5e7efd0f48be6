// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/common_expressions.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

/// An expression and its simplified form.
struct Term {
    ir::Expr e, normal;
    std::size_t complexity = 0;

    explicit Term(const ir::Expr &expr)
        : e(expr)
        , normal(arith::simplify(expr))
        , complexity(complexityOf(expr))
    {
    }
    bool isLike(const Term &other) const { return ir::structurallyEqual(normal, other.normal); }
};

bool isCandidate(const ir::Expr &e)
{
    return !e.as<ir::Ramp>() && !e.as<ir::Broadcast>() && ir::isPure(e) && complexityOf(e) > 1;
}

/// The outermost candidates, in the order in which they are computed.
class CandidateFinder : public ir::Visitor {
public:
    std::vector<ir::Expr> found;

    void expr(const ir::Expr &e) override
    {
        if (isCandidate(e))
            found.push_back(e);
        else
            children(e);
    }
    /// Visits the expressions strictly within `e`.
    void within(const ir::Expr &e) { children(e); }
};

/// Candidates with how often they are computed, at first in the order in which they are met.
class Counts {
public:
    struct Entry {
        Term term;
        std::size_t count = 0;
    };

    void add(const ir::Expr &e, std::size_t count)
    {
        const Term term(e);
        if (Entry *known = find(term))
            known->count += count;
        else
            m_entries.push_back({term, count});
    }

    /// Counts the parts of expressions that are computed less often. New ones go where a search in falling
    /// order of complexity ends.
    void expand(std::size_t threshold)
    {
        // It grows meanwhile. NOLINTNEXTLINE(modernize-loop-convert)
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            if (m_entries[i].count >= threshold)
                continue;
            const std::size_t count = m_entries[i].count;
            CandidateFinder parts;
            parts.within(m_entries[i].term.e);
            for (const ir::Expr &part : parts.found)
                insert(Term(part), count);
        }
    }

    const std::vector<Entry> &entries() const { return m_entries; }

private:
    Entry *find(const Term &term)
    {
        const auto known =
            std::ranges::find_if(m_entries, [&](const Entry &entry) { return entry.term.isLike(term); });
        return known == m_entries.end() ? nullptr : &*known;
    }

    void insert(const Term &term, std::size_t count)
    {
        if (Entry *known = find(term)) {
            known->count += count;
            return;
        }
        const auto place = std::ranges::partition_point(
            m_entries, [&](const Entry &entry) { return entry.term.complexity >= term.complexity; });
        m_entries.insert(place, {term, count});
    }

    std::vector<Entry> m_entries;
};

/// Every node below the root, children before their parents.
class PostOrder : public ir::Visitor {
public:
    explicit PostOrder(const std::function<void(const ir::Expr &)> &visit) : m_visit(visit) {}
    void expr(const ir::Expr &e) override
    {
        children(e);
        m_visit(e);
    }

private:
    const std::function<void(const ir::Expr &)> &m_visit;
};

class EquivalentReplacer : public ir::Rewriter {
public:
    EquivalentReplacer(const ir::Expr &e, const ir::Expr &with) : m_term(e), m_with(with) {}

    ir::Expr expr(const ir::Expr &e) override
    {
        return e.dtype() == m_with.dtype() && Term(e).isLike(m_term) ? m_with : children(e);
    }

private:
    Term m_term;
    const ir::Expr &m_with;
};

} // namespace

std::size_t complexityOf(const ir::Expr &e)
{
    std::size_t nodes = 0;
    ir::forEachExpr(e, [&](const ir::Expr &) {
        ++nodes;
        return true;
    });
    return nodes;
}

std::vector<ir::Expr> commonExpressions(const ir::BufferStore &store, std::size_t threshold)
{
    CandidateFinder candidates;
    candidates.expr(store.value);
    for (const ir::Expr &index : store.indices)
        candidates.expr(index);
    Counts counts;
    for (const ir::Expr &e : candidates.found)
        counts.add(e, 1);
    counts.expand(threshold);

    std::vector<const Counts::Entry *> chosen;
    const std::function<void(const ir::Expr &)> choose = [&](const ir::Expr &e) {
        const Term term(e);
        for (const Counts::Entry &entry : counts.entries()) {
            if (entry.count >= threshold && entry.term.isLike(term) && !std::ranges::contains(chosen, &entry))
                chosen.push_back(&entry);
        }
    };
    PostOrder(choose).expr(store.value);
    std::ranges::stable_sort(chosen, std::ranges::greater(),
                             [](const Counts::Entry *entry) { return entry->term.complexity; });
    std::vector<ir::Expr> common;
    for (const Counts::Entry *entry : chosen)
        common.push_back(entry->term.e);
    return common;
}

ir::Stmt replaceEquivalent(const ir::Stmt &s, const ir::Expr &e, const ir::Expr &with)
{
    return EquivalentReplacer(e, with).stmt(s);
}

} // namespace nestwright::schedule
