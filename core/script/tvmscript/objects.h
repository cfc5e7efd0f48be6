// SPDX-License-Identifier: Apache-2.0
/// Objects of programs that are no computed values: targets, reducers, references to buffers and to iteration
/// variables. Objects in attributes of statements are calls of the names below, which are no intrinsics.
#pragma once

#include "core/ir/node/function.h"
#include "core/script/tvmscript/expr.h"

#include <span>

namespace nestwright::script {

/// T.comm_reducer(lambda x0, …, y0, …: (…), [identity, …]): the variables of both sides, the results and the
/// identities, as many of each.
constexpr std::string_view reducerCall = "comm_reducer";
/// The arguments: an element of the buffer, whose indices count only in a region.
constexpr std::string_view bufferReference = "buffer_reference";
/// The element where a region begins, and its extents.
constexpr std::string_view regionReference = "buffer_region";
/// [A, B]
constexpr std::string_view listReference = "object_list";
/// T.iter_var(v, None, "ThreadIndex", "threadIdx.x"): the variable and both strings.
constexpr std::string_view iterVarReference = "iter_var";

/// T.index_map(lambda i, j: (…), inverse_index_map=lambda …: (…)): the number of all variables and the
/// variables, those of the map first; then the list of its results and, where there is an inverse, that of
/// the results of it.
constexpr std::string_view indexMapCall = "index_map";
/// T.prefetch(A, [T.Range(0, 4)]): a region, or a buffer where the list is empty.
constexpr std::string_view prefetchCall = "prefetch";

struct IndexMapParts {
    std::span<const ir::Expr> variables, results;
};
IndexMapParts indexMapParts(const ir::Call &e);
/// The variables that `e` defines for itself, where it is a reducer or an index map.
std::span<const ir::Expr> ownVariables(const ir::Expr &e);

/// A[0, …]
ir::Expr firstElement(const ir::Buffer &buffer);
ir::Expr referTo(const ir::Buffer &buffer);
ir::Expr referTo(const ir::BufferRegion &region);
/// The region that `e` refers to; `e` is a regionReference.
ir::BufferRegion regionOf(const ir::Call &e);
/// The subject of T.attr: an expression, a buffer, or a list of such.
ir::Expr toNode(const Context &context, const Value &value, py::Position at);

/// The expression that T.prefetch(buffer, bounds) evaluates.
ir::Expr prefetchOf(CallArgs &args);

// Handlers of functions.
Value targetObject(CallArgs &args);
Value iterVarObject(CallArgs &args);
/// Both ends, as a list.
Value rangeObject(CallArgs &args);
Value callIntrin(CallArgs &args);
Value callTir(CallArgs &args);

/// A call of `function` with `arguments`.
ir::Expr callGlobal(const Context &context, const GlobalFunction &function,
                    const std::vector<Argument> &arguments);

/// An attribute of a function stands before all but the parameters, so it can hold no other variables and
/// buffers.
void requireParameters(const Context &context, const ir::AttrValue &value, std::span<const ir::Param> params,
                       py::Position at);

/// A number of lanes: a constant, or one times T.vscale().
int toLanes(const Context &context, const Value &value, py::Position at);
/// The lanes of a slice of this length, or nothing when it is no number of lanes.
std::optional<int> lanesOf(const ir::Expr &length);
/// A constant of a type that nothing computes with.
ir::Expr narrowValue(const Context &context, const Value &value, ir::DataType dtype, py::Position at);

} // namespace nestwright::script
