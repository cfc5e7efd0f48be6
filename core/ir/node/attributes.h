// SPDX-License-Identifier: Apache-2.0
/// Attributes of functions and statements that several passes read: their keys and what they say.
#pragma once

#include "core/ir/node/function.h"

#include <optional>
#include <string_view>

namespace nestwright::ir {

/// Of functions: the name outside of the module.
inline constexpr std::string_view globalSymbolKey = "global_symbol";
/// Of functions: whether the buffers of parameters share no memory.
inline constexpr std::string_view noAliasKey = "tir.noalias";
/// Of statements: the number of threads that are launched, each with a value of its own of the variable.
inline constexpr std::string_view threadExtentKey = "thread_extent";
/// Of statements: the storage scope of a region that is realized, as T.realize gives it.
inline constexpr std::string_view realizeScopeKey = "realize_scope";
/// Of blocks: a list of [buffer, axis, factor, offset], how rows of a buffer that it writes are spaced; of
/// allocations, in a program without blocks: a list of [axis, factor, offset].
inline constexpr std::string_view dimAlignKey = "buffer_dim_align";
/// Of blocks: the number of a buffer that it writes, of which a second half is filled while the first is
/// read; of allocations: that they are such memory.
inline constexpr std::string_view doubleBufferKey = "double_buffer_scope";
/// Of loops: the most stores that a serial loop at or within it becomes when it is unrolled; and whether such
/// loops become copies (1) or are left to the compiler behind us (0).
inline constexpr std::string_view autoUnrollKey = "pragma_auto_unroll_max_step";
inline constexpr std::string_view unrollExplicitKey = "pragma_unroll_explicit";

/// Of loops: whether sums, products, minima and maxima of floating-point numbers that the loop goes through
/// may be computed in another order (1): several of them at a time, then those together.
inline constexpr std::string_view reassociateKey = "reassociate";

/// Of loops: by how many bytes their iterations fetch ahead of what they read (on processors).
inline constexpr std::string_view prefetchKey = "software_prefetch";

/// Of loops: whether the vectors that they store go to memory past the caches (1), as results do that are
/// larger than these (on processors).
inline constexpr std::string_view streamKey = "nontemporal_stores";

/// Of loops: whether the products of matrices that the loop and those within it sum up may be computed in
/// registers that hold tiles of matrices (1), where the processor has these: the terms in another order.
inline constexpr std::string_view tileKey = "tile_registers";

/// Of root blocks, and of functions: whether floating-point arithmetic may be done as that of real numbers
/// (1): in any order, by reciprocals, with products and sums in one rounding, and without the sign of zero.
/// NaN and infinities of the arguments remain what they are. Backends of processors honour it.
inline constexpr std::string_view fastMathKey = "fast_math";

/// Of functions: whether all memory that they take is asked for where the program takes it, and none of it is
/// on the stack (1), so that what is in it when nobody has written to it is what the one who gives it left
/// there. LLVM's backend of processors honours it.
inline constexpr std::string_view givenMemoryKey = "given_memory";

/// The value at `key`; null where there is none.
const AttrValue *attribute(const Attrs &attrs, std::string_view key);
/// The number at `key`; 0 where there is none.
std::int64_t numberAt(const Attrs &attrs, std::string_view key);
/// Null where there is none that is a text.
const std::string *globalSymbol(const PrimFunc &function);
/// Taken for granted where nothing is said.
bool isNoAlias(const PrimFunc &function);
/// Whether the function or its root block says so (`fastMathKey`). Throws support::UserError "ir.annotation"
/// where it says something that is neither 0 nor 1.
bool allowsFastMath(const PrimFunc &function);
/// The value of an annotation that is on or off: True, False, 1 or 0; nothing for others.
std::optional<bool> asFlag(const AttrValue &value);
/// The variable of a launch of threads; null where `node` is another attribute.
Var launchedThread(const AttrStmt &node);

} // namespace nestwright::ir
