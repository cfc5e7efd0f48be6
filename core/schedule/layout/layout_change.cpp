// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/layout/layout_change.h"

#include "core/analysis/access/complete_regions.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/edit.h"
#include "core/schedule/layout/layout_map.h"
#include "core/schedule/rules/bindings.h"

#include <algorithm>
#include <optional>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

/// Knows the facts about variables from the loops, blocks and conditions around an access.
class AccessRewriter : public ir::Rewriter {
    // Declared before their uses, which need their result type.
    template <class F> auto within(const arith::Domains &domains, F visit)
    {
        const std::size_t outside = m_domains.size();
        bindAll(m_analyzer, domains);
        m_domains.insert(m_domains.end(), domains.begin(), domains.end());
        auto result = visit();
        m_domains.resize(outside);
        return result;
    }
    template <class F> auto under(const ir::Expr &condition, F visit)
    {
        const arith::Assumption assumption = m_analyzer.assume(condition);
        const ir::Expr outside = m_condition;
        m_condition = ir::logicalAnd(m_condition, condition);
        auto result = visit();
        m_condition = outside;
        return result;
    }

public:
    ir::Expr expr(const ir::Expr &e) override
    {
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse) {
            ir::Call copy = *call;
            copy.args[0] = expr(call->args[0]);
            copy.args[1] = under(copy.args[0], [&] { return expr(call->args[1]); });
            copy.args[2] = under(ir::logicalNot(copy.args[0]), [&] { return expr(call->args[2]); });
            const bool changed = !std::ranges::equal(
                copy.args, call->args, [](const ir::Expr &a, const ir::Expr &b) { return a.same(b); });
            return changed ? ir::make(std::move(copy)) : e;
        }
        const ir::Expr inside = children(e);
        const auto *old = e.as<ir::BufferLoad>();
        return old ? rewritten(*inside.as<ir::BufferLoad>(), old->buffer, inside) : inside;
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            return within({domainOf(*loop)}, [&] { return children(s); });
        if (const auto *block = s.as<ir::Block>()) {
            return within(domainsOf(*block), [&] {
                return under(block->predicate, [&] { return blockDone(*block, children(s)); });
            });
        }
        if (const auto *branch = s.as<ir::IfThenElse>(); branch && !branch->elseCase)
            return under(branch->condition, [&] { return children(s); });
        const ir::Stmt inside = children(s);
        const auto *old = s.as<ir::BufferStore>();
        return old ? rewritten(*inside.as<ir::BufferStore>(), old->buffer, inside) : inside;
    }

protected:
    /// The indices that take the place of `indices`, given those of an access to `buffer`; none to keep them.
    virtual std::optional<std::vector<ir::Expr>> indices(const ir::Buffer &buffer,
                                                         const std::vector<ir::Expr> &indices) = 0;
    /// `inside` is the block with the statements below it changed already.
    virtual ir::Stmt blockDone(const ir::Block &block, const ir::Stmt &inside) = 0;

    /// Simplified together. The variable of a loop of one iteration stays, so that the access still follows
    /// it.
    std::vector<ir::Expr> simplified(std::vector<ir::Expr> indices)
    {
        const std::vector<ir::Expr> simple = arith::iterMapSimplify(
            indices, m_domains, m_condition, arith::IterMapLevel::Surjective, m_analyzer);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (!simple[i].as<ir::IntImm>() || !ir::Var::from(indices[i]))
                indices[i] = simple[i];
        }
        return indices;
    }

private:
    template <class Access, class Node>
    Node rewritten(const Access &access, const ir::Buffer &buffer, const Node &inside)
    {
        auto changed = indices(buffer, access.indices);
        if (!changed)
            return inside;
        Access copy = access;
        copy.indices = *std::move(changed);
        return ir::make(std::move(copy));
    }

    arith::Analyzer m_analyzer;
    arith::Domains m_domains;
    ir::Expr m_condition = ir::boolImm(true);
};

class LayoutChanger : public AccessRewriter {
public:
    LayoutChanger(const ir::Buffer &before, const ir::Buffer &after, const IndexMap &map)
        : m_before(before)
        , m_after(after)
        , m_map(map)
    {
    }

    ir::Buffer buffer(const ir::Buffer &b) override { return b == m_before ? m_after : b; }

protected:
    std::optional<std::vector<ir::Expr>> indices(const ir::Buffer &buffer,
                                                 const std::vector<ir::Expr> &old) override
    {
        if (!(buffer == m_before))
            return std::nullopt;
        std::vector<ir::Expr> result = mapped(m_map, old);
        for (ir::Expr &index : result)
            index = arith::simplify(index);
        return simplified(std::move(result));
    }

    ir::Stmt blockDone(const ir::Block &block, const ir::Stmt &inside) override
    {
        for (const ir::MatchBuffer &match : block.matchBuffers) {
            if (match.source.buffer == m_before && !isIdentity())
                refuse(diagnostic("schedule.opaque-access", "block " + named(block) + " matches a part of '"
                                                                + m_before.name()
                                                                + "', whose layout must stay")
                           .at(block.id));
        }
        if (!ir::hasRegion(block.reads, m_before) && !ir::hasRegion(block.writes, m_before))
            return inside;
        ir::Block copy = *inside.as<ir::Block>();
        const analysis::AccessRegions found = analysis::accessRegions(copy, {{m_after->data, m_after}});
        replace(copy.writes, found.writes, found.reads);
        replace(copy.reads, found.reads, found.writes);
        return ir::make(std::move(copy));
    }

private:
    bool isIdentity() const
    {
        return std::ranges::equal(m_map.outputs, m_map.inputs,
                                  [](const ir::Expr &e, const ir::Var &v) { return e.same(v); });
    }

    /// The regions of the buffer as found anew; a block with an init reads what it writes.
    void replace(std::vector<ir::BufferRegion> &regions, const std::vector<ir::BufferRegion> &found,
                 const std::vector<ir::BufferRegion> &others) const
    {
        ir::BufferRegion *region = ir::findRegion(regions, m_after);
        if (!region)
            return;
        for (const std::vector<ir::BufferRegion> *list : {&found, &others}) {
            if (const ir::BufferRegion *now = ir::findRegion(*list, m_after)) {
                region->region = now->region;
                return;
            }
        }
        *region = ir::fullRegion(m_after);
    }

    const ir::Buffer &m_before, &m_after;
    const IndexMap &m_map;
};

class AccessSimplifier : public AccessRewriter {
protected:
    std::optional<std::vector<ir::Expr>> indices(const ir::Buffer &,
                                                 const std::vector<ir::Expr> &old) override
    {
        return simplified(old);
    }

    ir::Stmt blockDone(const ir::Block &, const ir::Stmt &inside) override
    {
        ir::Block copy = *inside.as<ir::Block>();
        for (std::vector<ir::BufferRegion> *regions : {&copy.reads, &copy.writes}) {
            for (ir::BufferRegion &region : *regions) {
                std::vector<ir::Expr> mins;
                for (const ir::Range &range : region.region)
                    mins.push_back(range.min);
                mins = simplified(std::move(mins));
                for (std::size_t d = 0; d < mins.size(); ++d)
                    region.region[d].min = mins[d];
            }
        }
        return ir::make(std::move(copy));
    }
};

} // namespace

ir::Stmt withLayout(const ir::Stmt &s, const ir::Buffer &before, const ir::Buffer &after, const IndexMap &map)
{
    return LayoutChanger(before, after, map).stmt(s);
}

ir::Stmt withSeparatedParts(const ir::Stmt &s, const ir::Buffer &buffer)
{
    ir::BufferMap<ir::Buffer> separated;
    ir::forEachStmt(s, [&](const ir::Stmt &part) {
        const auto *block = part.as<ir::Block>();
        for (std::size_t i = 0; block && i < block->matchBuffers.size(); ++i) {
            const ir::MatchBuffer &match = block->matchBuffers[i];
            if (!(match.source.buffer == buffer))
                continue;
            ir::BufferNode node = *match.buffer.get();
            node.axisSeparators = buffer->axisSeparators;
            if (node.shape.size() != buffer.shape().size())
                std::ranges::fill(node.axisSeparators, 0);
            separated[match.buffer] = ir::Buffer(std::move(node));
        }
        return true;
    });
    return separated.empty() ? s : ir::substituteBuffers(s, separated);
}

ir::Stmt withSimpleAccesses(const ir::Stmt &s) { return AccessSimplifier().stmt(s); }

} // namespace nestwright::schedule
