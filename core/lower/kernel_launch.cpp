// SPDX-License-Identifier: Apache-2.0
#include "core/lower/kernel_launch.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/attributes.h"

#include <algorithm>

namespace nestwright::lower {

using ir::Expr;

bool isKernel(const ir::PrimFunc &function) { return ir::attribute(function.attrs, kernelKey) != nullptr; }

ir::Stmt KernelLaunch::stmt() const
{
    std::vector<Expr> args{ir::stringImm(kernel)};
    for (const auto &part :
         {std::span<const Expr>(arguments), std::span<const Expr>(blocks), std::span<const Expr>(threads)})
        args.insert(args.end(), part.begin(), part.end());
    return ir::evaluate(ir::call(ir::DataType::int32(), ir::intrinsics::callPacked, std::move(args)));
}

std::optional<KernelLaunch> KernelLaunch::of(const ir::Stmt &s)
{
    const auto *evaluated = s.as<ir::Evaluate>();
    const auto *call = evaluated ? evaluated->value.as<ir::Call>() : nullptr;
    if (!call || call->callee != ir::intrinsics::callPacked || call->args.size() < 7)
        return std::nullopt;
    const auto *name = call->args[0].as<ir::StringImm>();
    if (!name)
        return std::nullopt;
    KernelLaunch launch;
    launch.kernel = name->value;
    launch.arguments.assign(call->args.begin() + 1, call->args.end() - 6);
    std::copy(call->args.end() - 6, call->args.end() - 3, launch.blocks.begin());
    std::copy(call->args.end() - 3, call->args.end(), launch.threads.begin());
    return launch;
}

} // namespace nestwright::lower
