// SPDX-License-Identifier: Apache-2.0
#include "core/lower/thread_allreduce.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"

#include <algorithm>
#include <span>
#include <string>

namespace nestwright::lower {

using ir::Expr;

namespace {

constexpr std::string_view reducer = "comm_reducer";

} // namespace

ir::Stmt ThreadAllreduce::stmt() const
{
    Values left, right, described;
    for (const Expr &value : values) {
        left.push_back(ir::Var("x" + std::to_string(left.size()), value.dtype()));
        right.push_back(ir::Var("y" + std::to_string(right.size()), value.dtype()));
    }
    for (const Values &part : {left, right, combine(left, right), identities})
        described.insert(described.end(), part.begin(), part.end());
    Values args{ir::intImm(std::ssize(values), ir::DataType::uint(32))};
    args.insert(args.end(), values.begin(), values.end());
    args.push_back(condition ? condition : ir::boolImm(true));
    args.insert(args.end(), results.begin(), results.end());
    args.insert(args.end(), threads.begin(), threads.end());
    ir::AttrStmt attr;
    attr.node = ir::call(ir::DataType::handle(), reducer, std::move(described));
    attr.key = scopeKey;
    attr.value = ir::callIntrinsic(ir::intrinsics::reinterpret, {ir::intImm(0, ir::DataType::uint(64))},
                                   ir::DataType::handle());
    attr.body = ir::evaluate(ir::callIntrinsic(ir::intrinsics::tvmThreadAllreduce, std::move(args)));
    return ir::make(std::move(attr));
}

std::optional<ThreadAllreduce> ThreadAllreduce::of(const ir::Stmt &s)
{
    const auto *attr = s.as<ir::AttrStmt>();
    const auto *described = attr && attr->key == scopeKey ? attr->node.as<ir::Call>() : nullptr;
    const auto *evaluated = described ? attr->body.as<ir::Evaluate>() : nullptr;
    const auto *call = evaluated ? evaluated->value.as<ir::Call>() : nullptr;
    if (!call || call->callee != ir::intrinsics::tvmThreadAllreduce || described->callee.name() != reducer)
        return std::nullopt;
    const std::int64_t *size = ir::asInt(call->args[0]);
    const auto count = static_cast<std::size_t>(size ? *size : 0);
    if (count == 0 || described->args.size() != 4 * count || call->args.size() < 2 + 2 * count)
        return std::nullopt;
    ThreadAllreduce result;
    const std::span<const Expr> all = described->args, args = std::span<const Expr>(call->args).subspan(1);
    const Values left(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    const auto part = [count](std::span<const Expr> from, std::size_t which) {
        const auto one = from.subspan(which * count, count);
        return Values(one.begin(), one.end());
    };
    result.combine = [variables = part(all, 0), others = part(all, 1),
                      results = part(all, 2)](const Values &x, const Values &y) {
        ir::VarMap<Expr> given;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            given[ir::Var::from(variables[i])] = x[i];
            given[ir::Var::from(others[i])] = y[i];
        }
        Values combined;
        for (const Expr &e : results)
            combined.push_back(ir::substitute(e, given));
        return combined;
    };
    result.identities = part(all, 3);
    result.values = part(args, 0);
    result.condition = args[count];
    result.results = part(args.subspan(count + 1), 0);
    for (const Expr &thread : args.subspan(2 * count + 1)) {
        if (const ir::Var var = ir::Var::from(thread))
            result.threads.push_back(var);
    }
    return result;
}

} // namespace nestwright::lower
