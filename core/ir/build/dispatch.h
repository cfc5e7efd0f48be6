// SPDX-License-Identifier: Apache-2.0
/// Calls a generic function with the concrete node of an expression or statement; throws UserError where
/// the recursion is too deep for the stack.
#pragma once

#include "core/ir/node/stmt.h"
#include "core/support/errors/stack_room.h"

#include <utility>

namespace nestwright::ir {

/// `f(const Node &)` for the node `e` really is; every kind must be accepted.
template <class F> decltype(auto) dispatch(const ExprNode &e, F &&f)
{
    support::checkStackRoom();
    switch (e.kind) {
    case ExprKind::IntImm: return f(static_cast<const IntImm &>(e));
    case ExprKind::FloatImm: return f(static_cast<const FloatImm &>(e));
    case ExprKind::StringImm: return f(static_cast<const StringImm &>(e));
    case ExprKind::Var: return f(static_cast<const VarNode &>(e));
    case ExprKind::Cast: return f(static_cast<const Cast &>(e));
    case ExprKind::Binary: return f(static_cast<const Binary &>(e));
    case ExprKind::Not: return f(static_cast<const Not &>(e));
    case ExprKind::Select: return f(static_cast<const Select &>(e));
    case ExprKind::Let: return f(static_cast<const Let &>(e));
    case ExprKind::BufferLoad: return f(static_cast<const BufferLoad &>(e));
    case ExprKind::Ramp: return f(static_cast<const Ramp &>(e));
    case ExprKind::Broadcast: return f(static_cast<const Broadcast &>(e));
    case ExprKind::Call: return f(static_cast<const Call &>(e));
    }
    std::unreachable();
}

template <class F> decltype(auto) dispatch(const StmtNode &s, F &&f)
{
    support::checkStackRoom();
    switch (s.kind) {
    case StmtKind::For: return f(static_cast<const For &>(s));
    case StmtKind::Block: return f(static_cast<const Block &>(s));
    case StmtKind::BufferStore: return f(static_cast<const BufferStore &>(s));
    case StmtKind::Seq: return f(static_cast<const Seq &>(s));
    case StmtKind::IfThenElse: return f(static_cast<const IfThenElse &>(s));
    case StmtKind::Evaluate: return f(static_cast<const Evaluate &>(s));
    case StmtKind::LetStmt: return f(static_cast<const LetStmt &>(s));
    case StmtKind::AttrStmt: return f(static_cast<const AttrStmt &>(s));
    case StmtKind::Allocate: return f(static_cast<const Allocate &>(s));
    case StmtKind::DeclBuffer: return f(static_cast<const DeclBuffer &>(s));
    case StmtKind::While: return f(static_cast<const While &>(s));
    case StmtKind::AssertStmt: return f(static_cast<const AssertStmt &>(s));
    }
    std::unreachable();
}

} // namespace nestwright::ir
