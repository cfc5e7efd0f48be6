// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/intrinsics.h"

#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <utility>

namespace nestwright::ir {

namespace {

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

const Intrinsic *findIntrinsic(std::string_view name)
{
    const auto found = std::ranges::find(intrinsics::table, name, &Intrinsic::name);
    return found == intrinsics::table.end() ? nullptr : &*found;
}

Callee::Callee(std::string_view name) : m_row(findIntrinsic(name)), m_other(m_row ? "" : name) {}

std::string Callee::name() const { return m_row ? std::string(m_row->name) : m_other; }

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
    const Intrinsic *intrinsic = findIntrinsic(name);
    if (!intrinsic)
        throw support::UserError(support::diagnostic("ir.unknown-intrinsic",
                                                     "there is no intrinsic '" + std::string(name) + '\''));
    return callIntrinsic(*intrinsic, std::move(args), given);
}

Expr callIntrinsic(const Intrinsic &intrinsic, std::vector<Expr> args, DataType given)
{
    const int count = static_cast<int>(args.size());
    if (count < intrinsic.minArgs || (intrinsic.maxArgs >= 0 && count > intrinsic.maxArgs)) {
        throw support::UserError(support::diagnostic(
            "ir.argument-count", "'" + std::string(intrinsic.name) + "' takes "
                                     + std::to_string(intrinsic.minArgs) + " arguments, but "
                                     + std::to_string(count) + " were given"));
    }
    if (intrinsic == intrinsics::ifThenElse)
        matchLanes(args[1], args[2]);
    const DataType dtype = resultType(intrinsic, args, given);
    if (intrinsic == intrinsics::ifThenElse)
        args[2] = cast(dtype, args[2]);
    return call(dtype, intrinsic, std::move(args));
}

} // namespace nestwright::ir
