// SPDX-License-Identifier: Apache-2.0
/// The table of intrinsics, and constants for those rows that are named in code.
#pragma once

#include <array>
#include <cstdint>
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
    bool operator==(const Intrinsic &other) const = default;
};

namespace intrinsics {

namespace rows {

constexpr Intrinsic math(std::string_view name, int args = 1)
{
    return {name, args, args, TypeRule::SameAsFirst, Purity::Pure, true};
}
constexpr Intrinsic plain(std::string_view name, int args = 1)
{
    return {name, args, args, TypeRule::SameAsFirst, Purity::Pure, false};
}
constexpr Intrinsic opaque(std::string_view name, int minArgs, int maxArgs, TypeRule type)
{
    return {name, minArgs, maxArgs, type, Purity::Opaque, false};
}
constexpr Intrinsic opaque(std::string_view name, int args, TypeRule type)
{
    return opaque(name, args, args, type);
}
/// An intrinsic of a GPU's matrix units, asynchronous copies or barriers; the text states the type.
constexpr Intrinsic matrix(std::string_view name, int minArgs, int maxArgs)
{
    return opaque(name, minArgs, maxArgs, TypeRule::Given);
}

inline constexpr auto table = std::to_array<Intrinsic>({
    math("exp"),
    math("exp2"),
    math("exp10"),
    math("log"),
    math("log2"),
    math("log10"),
    math("log1p"),
    math("sqrt"),
    math("rsqrt"),
    math("sin"),
    math("cos"),
    math("tan"),
    math("asin"),
    math("acos"),
    math("atan"),
    math("sinh"),
    math("cosh"),
    math("tanh"),
    math("asinh"),
    math("acosh"),
    math("atanh"),
    math("atan2", 2),
    math("pow", 2),
    math("erf"),
    math("sigmoid"),
    math("hypot", 2),
    math("fmod", 2),
    plain("floor"),
    plain("ceil"),
    plain("trunc"),
    plain("round"),
    plain("nearbyint"),
    plain("fabs"),
    plain("abs"),
    plain("copysign", 2),
    plain("nextafter", 2),
    plain("ldexp", 2),
    plain("fma", 3),
    plain("popcount"),
    {"clz", 1, 1, TypeRule::Int32Lanes, Purity::Pure, false},
    plain("shift_left", 2),
    plain("shift_right", 2),
    plain("bitwise_and", 2),
    plain("bitwise_or", 2),
    plain("bitwise_xor", 2),
    plain("bitwise_not"),
    plain("likely"),
    {"assume", 1, 1, TypeRule::Boolean, Purity::Pure, false},
    plain("tvm_thread_invariant"),
    {"isnan", 1, 1, TypeRule::Boolean, Purity::Pure, false},
    {"isinf", 1, 1, TypeRule::Boolean, Purity::Pure, false},
    {"isfinite", 1, 1, TypeRule::Boolean, Purity::Pure, false},
    {"if_then_else", 3, 3, TypeRule::SameAsSecond, Purity::Pure, false},
    {"reinterpret", 1, 1, TypeRule::Given, Purity::Pure, false},
    {"vectorlow", 1, 1, TypeRule::Given, Purity::Pure, false},
    {"vectorhigh", 1, 1, TypeRule::Given, Purity::Pure, false},
    {"vectorcombine", 2, 2, TypeRule::Given, Purity::Pure, false},
    {"infinity", 0, 0, TypeRule::Given, Purity::Pure, false},
    {"q_multiply_shift", 4, 4, TypeRule::SameAsFirst, Purity::Pure, false},
    {"call_pure_extern", 1, -1, TypeRule::Given, Purity::Pure, false},
    {"call_llvm_pure_intrin", 1, -1, TypeRule::Given, Purity::Pure, false},
    {"address_of", 1, 1, TypeRule::Handle, Purity::ReadsState, false},
    {"tvm_access_ptr", 5, 5, TypeRule::Handle, Purity::ReadsState, false},
    {"type_annotation", 0, 0, TypeRule::Given, Purity::Pure, false},
    {"isnullptr", 1, 1, TypeRule::Boolean, Purity::Pure, false},
    opaque("call_extern", 1, -1, TypeRule::Given),
    opaque("call_llvm_intrin", 1, -1, TypeRule::Given),
    opaque("call_packed", 1, -1, TypeRule::Given),
    opaque("tvm_storage_sync", 1, 3, TypeRule::Int32),
    opaque("tvm_thread_allreduce", 1, -1, TypeRule::Handle),
    opaque("tvm_load_matrix_sync", 8, 8, TypeRule::Handle),
    opaque("tvm_store_matrix_sync", 8, 8, TypeRule::Handle),
    opaque("tvm_mma_sync", 8, 8, TypeRule::Handle),
    opaque("tvm_fill_fragment", 6, 6, TypeRule::Handle),
    opaque("ret", 0, 1, TypeRule::Given),
    opaque("continue_loop", 0, TypeRule::Void),
    opaque("break_loop", 0, TypeRule::Void),
    opaque("thread_return", 0, TypeRule::Void),
    opaque("undef", 0, TypeRule::Int32),
    {"vscale", 0, 0, TypeRule::Int32, Purity::Pure, false},
    {"get_active_lane_mask", 2, 2, TypeRule::Given, Purity::Pure, false},
    {"ignore_loop_partition", 1, 1, TypeRule::SameAsFirst, Purity::Pure, false},
    {"q_multiply_shift_per_axis", 7, 7, TypeRule::SameAsFirst, Purity::Pure, false},
    {"dp4a", 2, 3, TypeRule::Int32, Purity::Pure, false},
    opaque("lookup_param", 1, TypeRule::Handle),
    opaque("start_profile_intrinsic", 1, TypeRule::Handle),
    opaque("end_profile_intrinsic", 1, TypeRule::Handle),
    // Forms of functions that are packed for a caller.
    opaque("call_cpacked", 1, -1, TypeRule::Int32),
    opaque("call_packed_lowered", 1, -1, TypeRule::Int32),
    opaque("call_cpacked_lowered", 1, -1, TypeRule::Int32),
    opaque("anylist_getitem", 2, TypeRule::Handle),
    opaque("anylist_resetitem", 2, TypeRule::Int32),
    opaque("anylist_setitem_call_packed", 3, -1, TypeRule::Int32),
    opaque("anylist_setitem_call_cpacked", 3, -1, TypeRule::Int32),
    opaque("tvm_tuple", 0, -1, TypeRule::Handle),
    opaque("tvm_struct_get", 3, TypeRule::GivenLast),
    opaque("tvm_struct_set", 4, TypeRule::Int32),
    opaque("tvm_stack_alloca", 2, TypeRule::Handle),
    opaque("tvm_stack_make_shape", 0, -1, TypeRule::Handle),
    opaque("tvm_stack_make_array", 6, TypeRule::Handle),
    opaque("tvm_throw_last_error", 0, TypeRule::Handle),
    opaque("tvm_check_return", 3, TypeRule::Int32),
    opaque("TVMBackendAllocWorkspace", 5, TypeRule::Handle),
    opaque("TVMBackendFreeWorkspace", 3, TypeRule::Int32),
    // Warps and matrix units.
    opaque("tvm_warp_activemask", 0, TypeRule::UInt32),
    opaque("tvm_warp_shuffle", 5, TypeRule::SameAsSecond),
    opaque("tvm_warp_shuffle_up", 5, TypeRule::SameAsSecond),
    opaque("tvm_warp_shuffle_down", 5, TypeRule::SameAsSecond),
    opaque("tvm_bmma_sync", 8, TypeRule::Handle),
    matrix("ptx_mma", 13, 14),
    matrix("ptx_mma_sp", 15, 17),
    matrix("ptx_ldmatrix", 7, 7),
    matrix("ptx_cp_async", 5, 6),
    matrix("ptx_cp_async_bulk", 6, 6),
    matrix("mma_store", 6, 6),
    matrix("mma_fill", 3, 3),
    opaque("ptx_commit_group", 0, TypeRule::Void),
    opaque("ptx_wait_group", 1, TypeRule::Void),
    opaque("ptx_cp_async_barrier", 1, TypeRule::Void),
    opaque("ptx_init_barrier_thread_count", 2, TypeRule::Void),
    opaque("ptx_arrive_barrier", 1, TypeRule::Void),
    opaque("ptx_arrive_barrier_expect_tx", 2, TypeRule::Void),
    opaque("ptx_wait_barrier", 1, TypeRule::Void),
    opaque("create_barriers", 1, TypeRule::Void),
    opaque("make_filled_simdgroup_matrix", 3, 5, TypeRule::Handle),
    opaque("simdgroup_load", 4, 7, TypeRule::Handle),
    opaque("simdgroup_store", 4, 7, TypeRule::Handle),
    opaque("simdgroup_multiply_accumulate", 8, TypeRule::Handle),
    opaque("simd_shuffle", 2, TypeRule::SameAsFirst),
    opaque("simd_shuffle_up", 2, TypeRule::SameAsFirst),
    opaque("simd_shuffle_down", 2, TypeRule::SameAsFirst),
});

} // namespace rows

using rows::table;

/// The row of that name. A name that no row has is an error of the compiler.
consteval const Intrinsic &rowOf(std::string_view name)
{
    for (const Intrinsic &row : table) {
        if (row.name == name)
            return row;
    }
    throw "no row has this name";
}

inline constexpr const Intrinsic &exp = rowOf("exp");
inline constexpr const Intrinsic &exp2 = rowOf("exp2");
inline constexpr const Intrinsic &exp10 = rowOf("exp10");
inline constexpr const Intrinsic &log = rowOf("log");
inline constexpr const Intrinsic &log2 = rowOf("log2");
inline constexpr const Intrinsic &log10 = rowOf("log10");
inline constexpr const Intrinsic &log1p = rowOf("log1p");
inline constexpr const Intrinsic &sqrt = rowOf("sqrt");
inline constexpr const Intrinsic &rsqrt = rowOf("rsqrt");
inline constexpr const Intrinsic &sin = rowOf("sin");
inline constexpr const Intrinsic &cos = rowOf("cos");
inline constexpr const Intrinsic &tan = rowOf("tan");
inline constexpr const Intrinsic &asin = rowOf("asin");
inline constexpr const Intrinsic &acos = rowOf("acos");
inline constexpr const Intrinsic &atan = rowOf("atan");
inline constexpr const Intrinsic &sinh = rowOf("sinh");
inline constexpr const Intrinsic &cosh = rowOf("cosh");
inline constexpr const Intrinsic &tanh = rowOf("tanh");
inline constexpr const Intrinsic &asinh = rowOf("asinh");
inline constexpr const Intrinsic &acosh = rowOf("acosh");
inline constexpr const Intrinsic &atanh = rowOf("atanh");
inline constexpr const Intrinsic &atan2 = rowOf("atan2");
inline constexpr const Intrinsic &pow = rowOf("pow");
inline constexpr const Intrinsic &erf = rowOf("erf");
inline constexpr const Intrinsic &sigmoid = rowOf("sigmoid");
inline constexpr const Intrinsic &hypot = rowOf("hypot");
inline constexpr const Intrinsic &fmod = rowOf("fmod");

inline constexpr const Intrinsic &floor = rowOf("floor");
inline constexpr const Intrinsic &ceil = rowOf("ceil");
inline constexpr const Intrinsic &trunc = rowOf("trunc");
inline constexpr const Intrinsic &round = rowOf("round");
inline constexpr const Intrinsic &nearbyint = rowOf("nearbyint");
inline constexpr const Intrinsic &fabs = rowOf("fabs");
inline constexpr const Intrinsic &abs = rowOf("abs");
inline constexpr const Intrinsic &copysign = rowOf("copysign");
inline constexpr const Intrinsic &nextafter = rowOf("nextafter");
inline constexpr const Intrinsic &ldexp = rowOf("ldexp");
inline constexpr const Intrinsic &fma = rowOf("fma");

inline constexpr const Intrinsic &popcount = rowOf("popcount");
inline constexpr const Intrinsic &clz = rowOf("clz");
inline constexpr const Intrinsic &shiftLeft = rowOf("shift_left");
inline constexpr const Intrinsic &shiftRight = rowOf("shift_right");
inline constexpr const Intrinsic &bitwiseAnd = rowOf("bitwise_and");
inline constexpr const Intrinsic &bitwiseOr = rowOf("bitwise_or");
inline constexpr const Intrinsic &bitwiseXor = rowOf("bitwise_xor");
inline constexpr const Intrinsic &bitwiseNot = rowOf("bitwise_not");

inline constexpr const Intrinsic &likely = rowOf("likely");
inline constexpr const Intrinsic &assume = rowOf("assume");
inline constexpr const Intrinsic &isNan = rowOf("isnan");
inline constexpr const Intrinsic &isInf = rowOf("isinf");
inline constexpr const Intrinsic &isFinite = rowOf("isfinite");
inline constexpr const Intrinsic &isNullptr = rowOf("isnullptr");
inline constexpr const Intrinsic &ifThenElse = rowOf("if_then_else");
inline constexpr const Intrinsic &reinterpret = rowOf("reinterpret");
inline constexpr const Intrinsic &infinity = rowOf("infinity");
inline constexpr const Intrinsic &vscale = rowOf("vscale");
inline constexpr const Intrinsic &typeAnnotation = rowOf("type_annotation");

inline constexpr const Intrinsic &qMultiplyShift = rowOf("q_multiply_shift");
inline constexpr const Intrinsic &qMultiplyShiftPerAxis = rowOf("q_multiply_shift_per_axis");

inline constexpr const Intrinsic &callExtern = rowOf("call_extern");
inline constexpr const Intrinsic &callPureExtern = rowOf("call_pure_extern");
inline constexpr const Intrinsic &callLlvmIntrin = rowOf("call_llvm_intrin");
inline constexpr const Intrinsic &callLlvmPureIntrin = rowOf("call_llvm_pure_intrin");
inline constexpr const Intrinsic &callPacked = rowOf("call_packed");

inline constexpr const Intrinsic &addressOf = rowOf("address_of");
inline constexpr const Intrinsic &tvmAccessPtr = rowOf("tvm_access_ptr");
inline constexpr const Intrinsic &tvmStorageSync = rowOf("tvm_storage_sync");
inline constexpr const Intrinsic &tvmThreadAllreduce = rowOf("tvm_thread_allreduce");
inline constexpr const Intrinsic &tvmWarpActiveMask = rowOf("tvm_warp_activemask");
inline constexpr const Intrinsic &tvmWarpShuffle = rowOf("tvm_warp_shuffle");
inline constexpr const Intrinsic &tvmWarpShuffleUp = rowOf("tvm_warp_shuffle_up");
inline constexpr const Intrinsic &tvmWarpShuffleDown = rowOf("tvm_warp_shuffle_down");
inline constexpr const Intrinsic &ret = rowOf("ret");
inline constexpr const Intrinsic &continueLoop = rowOf("continue_loop");
inline constexpr const Intrinsic &breakLoop = rowOf("break_loop");
inline constexpr const Intrinsic &undef = rowOf("undef");
inline constexpr const Intrinsic &ignoreLoopPartition = rowOf("ignore_loop_partition");

} // namespace intrinsics

} // namespace nestwright::ir
