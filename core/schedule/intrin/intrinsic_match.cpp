// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/intrin/intrinsic_match.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

/// Index expressions in normal form, as those of blocks that blockize makes are.
class Normalizer : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        return e.dtype().isIntegral() ? m_analyzer.simplify(e) : children(e);
    }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::IterVar &iter : block->iterVars)
                m_analyzer.bind(iter.var, iter.domain);
        }
        return children(s);
    }

private:
    arith::Analyzer m_analyzer;
};

/// The left side is the program's, the right side the description's.
class Matcher {
public:
    bool matchScope(const ir::Block &left, const ir::Block &right)
    {
        bind(left);
        return equal(left.predicate, right.predicate) && regions(left.writes, right.writes, "writes", true)
               && regions(left.reads, right.reads, "reads", true) && equal(left.body, right.body);
    }

    const std::string &difference() const { return m_difference; }
    IntrinsicMatch match() && { return std::move(m_match); }

private:
    bool differ(const std::string &what)
    {
        if (m_difference.empty())
            m_difference = what;
        return false;
    }
    bool differ(const ir::Expr &left, const ir::Expr &right)
    {
        return differ("it has " + script::printExpr(left) + " where the intrinsic has "
                      + script::printExpr(right));
    }

    void bind(const ir::Block &left)
    {
        for (const ir::IterVar &iter : left.iterVars)
            m_own.bind(iter.var, iter.domain);
    }

    bool define(const ir::Var &left, const ir::Var &right)
    {
        const auto [known, isNew] = m_vars.try_emplace(left, right);
        if (isNew)
            m_analyzer.bind(left, ir::cast(left->dtype, right));
        return known->second == right
               || differ("the variable '" + left.name() + "' stands for two of the intrinsic's");
    }

    bool buffer(const ir::Buffer &left, const ir::Buffer &right)
    {
        const auto known = m_match.buffers.find(right);
        if (known != m_match.buffers.end())
            return known->second == left
                   || differ("'" + left.name() + "' and '" + known->second.name()
                             + "' would both be the intrinsic's '" + right.name() + "'");
        if (std::ranges::any_of(m_match.buffers, [&](const auto &pair) { return pair.second == left; }))
            return differ("'" + left.name() + "' would be two buffers of the intrinsic");
        if (left.dtype() != right.dtype())
            return differ("'" + left.name() + "' is " + left.dtype().str() + ", the intrinsic's '"
                          + right.name() + "' " + right.dtype().str());
        if (left->scope != right->scope)
            return differ("'" + left.name() + "' lies in \"" + left->scope + "\", the intrinsic's '"
                          + right.name() + "' in \"" + right->scope + "\"");
        m_match.buffers[right] = left;
        return true;
    }

    /// Memory that a block allocates: of the description's shape, and used from its beginning on.
    bool memory(const ir::Buffer &left, const ir::Buffer &right)
    {
        if (!buffer(left, right))
            return false;
        if (!std::ranges::equal(left->shape, right->shape, [&](const ir::Expr &size, const ir::Expr &wanted) {
                return m_analyzer.canProveEqual(size, wanted);
            }))
            return differ("'" + left.name() + "' has another shape than the intrinsic's '" + right.name()
                          + "'");
        std::vector<ir::Expr> &beginning = m_match.beginning[left];
        for (const ir::Expr &size : left->shape)
            beginning.push_back(ir::constant(0, size.dtype()));
        return true;
    }

    bool regions(const std::vector<ir::BufferRegion> &left, const std::vector<ir::BufferRegion> &right,
                 const std::string &what, bool isScope)
    {
        if (left.size() != right.size())
            return differ("it " + what + " " + std::to_string(left.size()) + " buffers, the intrinsic "
                          + std::to_string(right.size()));
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (!region(left[i], right[i], isScope))
                return false;
        }
        return true;
    }

    bool region(const ir::BufferRegion &left, const ir::BufferRegion &right, bool isScope)
    {
        if (!buffer(left.buffer, right.buffer))
            return false;
        if (left.region.size() < right.region.size())
            return differ("'" + left.buffer.name() + "' has fewer dimensions than the intrinsic's '"
                          + right.buffer.name() + "'");
        const std::size_t surplus = left.region.size() - right.region.size();
        std::vector<ir::Expr> mins;
        for (const ir::Range &range : left.region)
            mins.push_back(range.min);
        const auto [known, isNew] = m_match.beginning.try_emplace(left.buffer, mins);
        for (std::size_t d = 0; d < left.region.size(); ++d) {
            const ir::Expr one = ir::constant(1, left.region[d].extent.dtype());
            const ir::Expr &extent = d < surplus ? one : right.region[d - surplus].extent;
            if (!m_analyzer.canProveEqual(left.region[d].extent, extent))
                return differ("of dimension " + std::to_string(d) + " of '" + left.buffer.name()
                              + "' it touches " + script::printExpr(left.region[d].extent)
                              + " elements, the intrinsic " + script::printExpr(extent));
            if (isNew && isScope)
                continue;
            const ir::Expr within = m_own.simplify(mins[d] - known->second[d]);
            const ir::Expr wanted =
                d < surplus ? ir::constant(0, within.dtype()) : right.region[d - surplus].min;
            if (!m_analyzer.canProveEqual(within, wanted))
                return differ(within, wanted);
        }
        return true;
    }

    template <class Access> bool access(const Access &left, const Access &right)
    {
        if (!buffer(left.buffer, right.buffer))
            return false;
        const auto known = m_match.beginning.find(left.buffer);
        if (known == m_match.beginning.end() || left.predicate || right.predicate
            || left.indices.size() < right.indices.size())
            return differ("it accesses '" + left.buffer.name() + "' in another way");
        const std::size_t surplus = left.indices.size() - right.indices.size();
        for (std::size_t d = 0; d < left.indices.size(); ++d) {
            const ir::Expr within = left.indices[d] - known->second[d];
            const ir::Expr wanted =
                d < surplus ? ir::constant(0, within.dtype()) : right.indices[d - surplus];
            if (!m_analyzer.canProveEqual(within, wanted))
                return differ(left.indices[d], wanted);
        }
        return true;
    }

    bool equal(const ir::Expr &left, const ir::Expr &right)
    {
        if (left.same(right))
            return true;
        // Widths may differ, as the intrinsic's indices are of 32 bits; those of casts and of data are
        // compared where they matter.
        if (left.kind() != right.kind() || left.dtype().code != right.dtype().code
            || left.dtype().lanes != right.dtype().lanes)
            return differ(left, right);
        return sameNode(left, right) || differ(left, right);
    }

    bool sameNode(const ir::Expr &left, const ir::Expr &right)
    {
        if (const auto *a = left.as<ir::IntImm>())
            return a->value == right.as<ir::IntImm>()->value;
        if (const auto *a = left.as<ir::FloatImm>())
            return a->value == right.as<ir::FloatImm>()->value && left.dtype() == right.dtype();
        if (left.as<ir::VarNode>()) {
            const auto known = m_vars.find(ir::Var::from(left));
            return known != m_vars.end() && known->second.same(right);
        }
        if (const auto *a = left.as<ir::BufferLoad>())
            return access(*a, *right.as<ir::BufferLoad>());
        if (const auto *a = left.as<ir::Cast>())
            return left.dtype() == right.dtype() && equal(a->value, right.as<ir::Cast>()->value);
        if (const auto *a = left.as<ir::Binary>()) {
            const auto *b = right.as<ir::Binary>();
            return a->op == b->op && equal(a->a, b->a) && equal(a->b, b->b);
        }
        if (const auto *a = left.as<ir::Not>())
            return equal(a->a, right.as<ir::Not>()->a);
        if (const auto *a = left.as<ir::Select>()) {
            const auto *b = right.as<ir::Select>();
            return equal(a->condition, b->condition) && equal(a->trueValue, b->trueValue)
                   && equal(a->falseValue, b->falseValue);
        }
        if (const auto *a = left.as<ir::Call>()) {
            const auto *b = right.as<ir::Call>();
            return a->callee == b->callee && left.dtype() == right.dtype()
                   && std::ranges::equal(a->args, b->args,
                                         [&](const ir::Expr &x, const ir::Expr &y) { return equal(x, y); });
        }
        return ir::structurallyEqual(left, right);
    }

    bool equal(const ir::Stmt &left, const ir::Stmt &right)
    {
        if (left.kind() != right.kind())
            return differ("its statements are of other kinds than the intrinsic's");
        if (const auto *a = left.as<ir::For>())
            return loop(*a, *right.as<ir::For>());
        if (const auto *a = left.as<ir::Block>())
            return block(*a, *right.as<ir::Block>());
        if (const auto *a = left.as<ir::BufferStore>()) {
            const auto *b = right.as<ir::BufferStore>();
            return access(*a, *b) && equal(a->value, b->value);
        }
        if (const auto *a = left.as<ir::Seq>()) {
            const auto *b = right.as<ir::Seq>();
            return std::ranges::equal(a->stmts, b->stmts,
                                      [&](const ir::Stmt &x, const ir::Stmt &y) { return equal(x, y); })
                   || differ("it has other statements than the intrinsic");
        }
        return differ("it holds a statement that no description has");
    }

    bool loop(const ir::For &left, const ir::For &right)
    {
        if (left.forKind != right.forKind || left.thread != right.thread)
            return differ("loop '" + left.var.name() + "' runs in another way than the intrinsic's '"
                          + right.var.name() + "'");
        if (left.annotations.size() != right.annotations.size())
            return differ("loop '" + left.var.name() + "' carries other annotations");
        return define(left.var, right.var) && equal(left.min, right.min)
               && (m_analyzer.canProveEqual(left.extent, right.extent)
                   || differ("loop '" + left.var.name() + "' has " + script::printExpr(left.extent)
                             + " iterations, the intrinsic's '" + right.var.name() + "' "
                             + script::printExpr(right.extent)))
               && equal(left.body, right.body);
    }

    bool block(const ir::Block &left, const ir::Block &right)
    {
        bind(left);
        if (left.iterVars.size() != right.iterVars.size() || !left.init != !right.init
            || left.allocBuffers.size() != right.allocBuffers.size() || !left.matchBuffers.empty()
            || !right.matchBuffers.empty())
            return differ("block " + named(left) + " is of another form than the intrinsic's "
                          + named(right));
        for (std::size_t i = 0; i < left.iterVars.size(); ++i) {
            if (!equal(left.iterValues[i], right.iterValues[i]))
                return false;
            if (left.iterVars[i].kind != right.iterVars[i].kind)
                return differ("the variable '" + left.iterVars[i].var.name()
                              + "' is of another kind than the intrinsic's '" + right.iterVars[i].var.name()
                              + "'");
            if (!define(left.iterVars[i].var, right.iterVars[i].var))
                return false;
        }
        if (!equal(left.predicate, right.predicate))
            return false;
        for (std::size_t i = 0; i < left.allocBuffers.size(); ++i) {
            if (!memory(left.allocBuffers[i], right.allocBuffers[i]))
                return false;
        }
        return regions(left.writes, right.writes, "writes", false)
               && regions(left.reads, right.reads, "reads", false)
               && (!left.init || equal(left.init, right.init)) && equal(left.body, right.body);
    }

    IntrinsicMatch m_match;
    ir::VarMap<ir::Var> m_vars;
    arith::Analyzer m_analyzer; ///< knows the program's variables as those of the description
    arith::Analyzer m_own;      ///< knows the ranges of the program's variables
    std::string m_difference;
};

} // namespace

IntrinsicMatch matchIntrinsic(const ir::Block &block, const ir::PrimFunc &description,
                              const std::string &name)
{
    const ir::Stmt wanted = Normalizer().stmt(description.body);
    Matcher matcher;
    if (!matcher.matchScope(block, *wanted.as<ir::Block>()))
        refuse(
            diagnostic("schedule.intrinsic-mismatch", "block " + named(block) + " is not what \"" + name
                                                          + "\" computes: " + matcher.difference())
                .at(block.origin.parent ? block.origin.parent : block.id)
                .withHint("split, reorder and decompose until the inner loops are those of its description"));
    return std::move(matcher).match();
}

} // namespace nestwright::schedule
