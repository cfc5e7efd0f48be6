// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics.h"

#include "core/ir/builder.h"
#include "core/support/errors.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::ir {

namespace {

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
/// Intrinsics of the matrix units, asynchronous copies and barriers of a GPU; the text states the type.
constexpr Intrinsic matrix(std::string_view name, int minArgs, int maxArgs)
{
    return opaque(name, minArgs, maxArgs, TypeRule::Given);
}

constexpr auto intrinsicTable = std::to_array<Intrinsic>({
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
    // Functions packed for a caller.
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
});

DataType resultType(const Intrinsic &intrinsic, const std::vector<Expr> &args, DataType given)
{
    switch (intrinsic.type) {
    case TypeRule::SameAsFirst: return args.at(0).dtype();
    case TypeRule::SameAsSecond: return args.at(1).dtype();
    case TypeRule::Boolean: return DataType::boolean(args.empty() ? 1 : args.front().dtype().lanes);
    case TypeRule::Handle: return DataType::handle();
    case TypeRule::Given:
    case TypeRule::GivenLast: return given;
    case TypeRule::Int32: return DataType::int32();
    case TypeRule::Int32Lanes:
        return DataType::int32().withLanes(args.empty() ? 1 : args.front().dtype().lanes);
    case TypeRule::UInt32: return DataType::uint(32);
    case TypeRule::Void: return DataType::void_();
    }
    std::unreachable();
}

} // namespace

std::span<const Intrinsic> intrinsics() { return intrinsicTable; }

const Intrinsic *findIntrinsic(std::string_view name)
{
    const auto found = std::ranges::find(intrinsicTable, name, &Intrinsic::name);
    return found == intrinsicTable.end() ? nullptr : &*found;
}

namespace {

/// A choice between a scalar and a vector is one between vectors.
void matchLanes(Expr &yes, Expr &no)
{
    const int a = yes.dtype().lanes, b = no.dtype().lanes;
    if (a == b)
        return;
    if (a > 1 && b > 1)
        throw support::UserError(support::diagnostic("type.mismatch", "operands of types " + yes.dtype().str()
                                                                          + " and " + no.dtype().str()
                                                                          + " have no common type")
                                     .withHint("cast one of them"));
    Expr &scalar = a == 1 ? yes : no;
    scalar = broadcast(scalar, std::max(a, b));
}

} // namespace

Expr callIntrinsic(std::string_view name, std::vector<Expr> args, DataType given)
{
    using support::diagnostic;
    using support::UserError;
    const Intrinsic *intrinsic = findIntrinsic(name);
    if (!intrinsic)
        throw UserError(
            diagnostic("ir.unknown-intrinsic", "there is no intrinsic '" + std::string(name) + '\''));
    const int count = static_cast<int>(args.size());
    if (count < intrinsic->minArgs || (intrinsic->maxArgs >= 0 && count > intrinsic->maxArgs)) {
        throw UserError(diagnostic("ir.argument-count",
                                   "'" + std::string(name) + "' takes " + std::to_string(intrinsic->minArgs)
                                       + " arguments, but " + std::to_string(count) + " were given"));
    }
    if (name == "if_then_else")
        matchLanes(args[1], args[2]);
    const DataType dtype = resultType(*intrinsic, args, given);
    if (name == "if_then_else")
        args[2] = cast(dtype, args[2]);
    return call(dtype, std::string(name), std::move(args));
}

} // namespace nestwright::ir
