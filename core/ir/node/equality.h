// SPDX-License-Identifier: Apache-2.0
/// Structural equality (α-equivalence) and a hash that agrees with it.
///
/// Names of variables, buffers, blocks, "global_symbol", ids and origins do not count; regions, predicates,
/// annotations, the order of allocations, loop kinds, thread tags, types, scopes and alignments do.
#pragma once

#include "core/ir/node/function.h"

#include <optional>

namespace nestwright::ir {

/// Variables defined nowhere in `a` and `b` must be the same objects.
bool structurallyEqual(const Expr &a, const Expr &b);
bool structurallyEqual(const Stmt &a, const Stmt &b);
bool structurallyEqual(const AttrValue &a, const AttrValue &b);
/// Free variables (symbolic sizes) of the functions are matched one to one.
bool structurallyEqual(const Function &a, const Function &b);
/// Functions are matched by name; a module of one function equals another of one function whatever their
/// names.
bool structurallyEqual(const Module &a, const Module &b);

/// The first difference of two modules ("main.body.body.extent: 32 ≠ 16"), or nothing when they are equal.
std::optional<std::string> firstDifference(const Module &a, const Module &b);

/// Equal trees have equal hashes; free variables hash by identity in an Expr or Stmt, by order of appearance
/// in a function.
std::size_t structuralHash(const Expr &e);
std::size_t structuralHash(const Stmt &s);
std::size_t structuralHash(const Function &f);
std::size_t structuralHash(const Module &module);

} // namespace nestwright::ir
