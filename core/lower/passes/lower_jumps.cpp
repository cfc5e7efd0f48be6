// SPDX-License-Identifier: Apache-2.0
// T.break_loop and T.continue_loop: a flag in memory of its own tells that the rest of the iteration, or of
// the loop, is left out. Loops with fixed numbers of iterations stay such loops, for all passes that follow.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;

namespace {

bool isJump(const Stmt &s, const ir::Intrinsic &kind)
{
    const auto *evaluated = s.as<ir::Evaluate>();
    const auto *call = evaluated ? evaluated->value.as<ir::Call>() : nullptr;
    return call && call->callee == kind;
}

bool isLoop(const Stmt &s) { return s.as<ir::For>() || s.as<ir::While>(); }

/// Whether the statement leaves the loop around it, or its iteration; loops in it have jumps of their own.
bool jumps(const Stmt &s, const ir::Intrinsic &kind)
{
    struct Finder : ir::Visitor {
        explicit Finder(const ir::Intrinsic &wanted) : kind(wanted) {}
        void stmt(const Stmt &s) override
        {
            found = found || isJump(s, kind);
            if (!found && !isLoop(s))
                children(s);
        }
        const ir::Intrinsic &kind;
        bool found = false;
    };
    Finder finder(kind);
    finder.stmt(s);
    return finder.found;
}

/// Memory for one truth.
class Flag {
public:
    explicit Flag(const std::string &name) : m_buffer(name, {1}, ir::DataType::boolean(), "local") {}

    Stmt set(bool value) const { return ir::store(m_buffer, ir::boolImm(value), {0}); }
    Expr isUnset() const { return ir::logicalNot(ir::load(m_buffer, {0})); }
    Stmt around(Stmt body) const { return ir::allocated(m_buffer, std::move(body)); }

private:
    ir::Buffer m_buffer;
};

class JumpLowering : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        if (isLoop(s))
            return loop(s);
        if (m_left && isJump(s, ir::intrinsics::breakLoop))
            return m_left->set(true);
        if (m_skipped && isJump(s, ir::intrinsics::continueLoop))
            return m_skipped->set(true);
        if (const auto *sequence = s.as<ir::Seq>(); sequence && (m_left || m_skipped))
            return guarded(sequence->stmts);
        return children(s);
    }

private:
    /// The statements, each run only where none before it jumped.
    Stmt guarded(std::span<const Stmt> stmts)
    {
        std::vector<Stmt> made;
        for (std::size_t i = 0; i < stmts.size(); ++i) {
            made.push_back(stmt(stmts[i]));
            const bool leaves = jumps(stmts[i], ir::intrinsics::breakLoop),
                       skips = jumps(stmts[i], ir::intrinsics::continueLoop);
            if ((!leaves && !skips) || i + 1 == stmts.size())
                continue;
            const Expr goesOn = leaves && skips ? ir::logicalAnd(m_left->isUnset(), m_skipped->isUnset())
                                : leaves        ? m_left->isUnset()
                                                : m_skipped->isUnset();
            made.push_back(ir::ifThenElse(goesOn, guarded(stmts.subspan(i + 1))));
            break;
        }
        return ir::seq(std::move(made));
    }

    Stmt loop(const Stmt &s)
    {
        const auto *counted = s.as<ir::For>();
        const Stmt &body = counted ? counted->body : s.as<ir::While>()->body;
        const bool leaves = jumps(body, ir::intrinsics::breakLoop),
                   skips = jumps(body, ir::intrinsics::continueLoop);
        if (leaves && counted && counted->forKind != ir::ForKind::Serial
            && counted->forKind != ir::ForKind::Unrolled)
            throw support::UserError(
                support::diagnostic("lower.unsupported",
                                    "the loop '" + counted->var.name()
                                        + "' is left early, but its iterations run side by "
                                          "side")
                    .withHint("make it a serial loop"));
        const auto outerLeft = std::exchange(m_left, leaves ? std::optional(Flag("left")) : std::nullopt);
        const auto outerSkipped =
            std::exchange(m_skipped, skips ? std::optional(Flag("skipped")) : std::nullopt);
        Stmt inner = stmt(body);
        if (skips)
            inner = m_skipped->around(ir::seq({m_skipped->set(false), inner}));
        Stmt made;
        if (counted) {
            ir::For changed = *counted;
            changed.body = leaves ? ir::ifThenElse(m_left->isUnset(), inner) : inner;
            made = ir::make(std::move(changed));
        } else {
            ir::While changed = *s.as<ir::While>();
            changed.condition =
                leaves ? ir::logicalAnd(m_left->isUnset(), changed.condition) : changed.condition;
            changed.body = inner;
            made = ir::make(std::move(changed));
        }
        if (leaves)
            made = m_left->around(ir::seq({m_left->set(false), made}));
        m_left = outerLeft;
        m_skipped = outerSkipped;
        return made;
    }

    std::optional<Flag> m_left, m_skipped; ///< of the loop we are in, where something sets them
};

} // namespace

ir::Module lowerJumps(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<JumpLowering>(module);
}

} // namespace nestwright::lower
