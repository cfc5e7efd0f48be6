// SPDX-License-Identifier: Apache-2.0
/// Replacing variables and buffers, and making a statement's own definitions fresh.
#pragma once

#include "core/ir/node/function.h"

namespace nestwright::ir {

/// Variables replaced by expressions of the same dtype. Buffers keep their identity even if their shape uses
/// a variable.
Expr substitute(const Expr &e, const VarMap<Expr> &values);
Stmt substitute(const Stmt &s, const VarMap<Expr> &values);
Range substitute(const Range &range, const VarMap<Expr> &values);
BufferRegion substitute(const BufferRegion &region, const VarMap<Expr> &values);

/// Each occurrence of a buffer (loads, stores, regions, allocations) replaced; indices stay as they are.
Stmt substituteBuffers(const Stmt &s, const BufferMap<Buffer> &buffers);
Expr substituteBuffers(const Expr &e, const BufferMap<Buffer> &buffers);

/// A copy in which all loop, block and let variables and the memory of all buffers that are defined in it are
/// new objects (same names), so that it may stand beside the original. Ids are cleared: give new ones with
/// the State's counter.
Stmt withFreshVariables(const Stmt &s);

} // namespace nestwright::ir
