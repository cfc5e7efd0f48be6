// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/custom_intrinsics.h"

namespace nestwright::ir {

const Call *customCall(const Expr &e)
{
    const auto *call = e.as<Call>();
    return call && !call->callee.intrinsic() && !call->callee.isOther(functionCall) ? call : nullptr;
}

std::string signatureOf(const Call &call)
{
    std::string types;
    for (const Expr &arg : call.args)
        types += (types.empty() ? "" : ", ") + arg.dtype().str();
    return call.callee.name() + '(' + types + ") -> " + call.dtype.str();
}

std::vector<Var> ruleParameters(const Call &call)
{
    std::vector<Var> parameters;
    for (const Expr &arg : call.args)
        parameters.emplace_back("x" + std::to_string(parameters.size()), arg.dtype());
    return parameters;
}

} // namespace nestwright::ir
