// SPDX-License-Identifier: Apache-2.0
/// Attributes of functions and statements that several passes read: their keys and what they say.
#pragma once

#include "core/ir/node/function.h"

#include <optional>
#include <string_view>

namespace nestwright::ir {

/// Function attribute: the name outside of the module.
inline constexpr std::string_view globalSymbolKey = "global_symbol";
/// Function attribute: whether the buffers of parameters share no memory.
inline constexpr std::string_view noAliasKey = "tir.noalias";
/// Statement attribute: the number of threads launched, each with a value of its own of the variable.
inline constexpr std::string_view threadExtentKey = "thread_extent";
/// Statement attribute: the storage scope of a region that is realized, as in T.realize.
inline constexpr std::string_view realizeScopeKey = "realize_scope";
/// Block annotation: a list of [buffer, axis, factor, offset] that sets the row strides of a buffer that the
/// block writes. On an allocation, in a program without blocks: a list of [axis, factor, offset].
inline constexpr std::string_view dimAlignKey = "buffer_dim_align";
/// Block annotation: the number of a buffer that the block writes and that is double-buffered: one half is
/// filled while the other is read. On an allocation: marks such memory.
inline constexpr std::string_view doubleBufferKey = "double_buffer_scope";
/// Loop annotations: the most stores that a serial loop at or within the loop may unroll to; and whether such
/// loops are unrolled here (1) or left to the C or LLVM compiler (0).
inline constexpr std::string_view autoUnrollKey = "pragma_auto_unroll_max_step";
inline constexpr std::string_view unrollExplicitKey = "pragma_unroll_explicit";

/// Loop annotation: whether floating-point sums, products, minima and maxima that the loop accumulates may be
/// reassociated (1): several partial results at a time, combined at the end.
inline constexpr std::string_view reassociateKey = "reassociate";

/// Loop annotation: the distance in bytes at which the iterations prefetch what they read (on processors).
inline constexpr std::string_view prefetchKey = "software_prefetch";

/// Loop annotation: whether vector stores in the loop bypass the caches (1), for results larger than the
/// caches (on processors).
inline constexpr std::string_view streamKey = "nontemporal_stores";

/// Loop annotation: whether the matrix products accumulated in the loop and in loops within it may use tile
/// registers (1) where the processor has them; this reorders the terms.
inline constexpr std::string_view tileKey = "tile_registers";

/// Annotation of root blocks and function attribute: whether floating-point arithmetic may follow the rules
/// of real numbers (1): in any order, with reciprocals, with fused products and sums, and without the sign of
/// zero. NaN and infinities in the arguments remain what they are. Honoured by the backends of processors.
inline constexpr std::string_view fastMathKey = "fast_math";

/// Function attribute: whether all memory of the function is requested where the program allocates it, and
/// none is on the stack (1), so that unwritten memory holds what its provider left there. Honoured by LLVM's
/// backend of processors.
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
