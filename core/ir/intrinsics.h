// SPDX-License-Identifier: Apache-2.0
/// The table of intrinsics: the names for a Call, their arity and how the type follows from the arguments.
#pragma once

#include "core/ir/expr.h"

#include <span>
#include <string_view>

namespace nestwright::ir {

enum class TypeRule : std::uint8_t {
    SameAsFirst,  ///< the type of the first argument
    SameAsSecond, ///< if_then_else, warp shuffles: the type of the second
    Boolean,      ///< bool with the lanes of the first, or one lane where there is none
    Handle,       ///< a pointer
    Given,        ///< the call states its own type, before its arguments
    GivenLast,    ///< the same behind them
    Int32,
    Int32Lanes, ///< int32 with the lanes of the first
    UInt32,
    Void, ///< none
};

enum class Purity : std::uint8_t { Pure, ReadsState, Opaque };

struct Intrinsic {
    std::string_view name; ///< as in TVMScript after "T."
    int minArgs;
    int maxArgs; ///< -1: any number
    TypeRule type;
    Purity purity;
    bool transcendental; ///< counted apart from plain floating-point operations
};

std::span<const Intrinsic> intrinsics();
/// Null when there is no such intrinsic.
const Intrinsic *findIntrinsic(std::string_view name);

/// A call with the type its rule gives (`given` where the rule is Given). Throws support::UserError
/// "ir.unknown-intrinsic" or "ir.argument-count".
Expr callIntrinsic(std::string_view name, std::vector<Expr> args, DataType given = DataType::void_());

} // namespace nestwright::ir
