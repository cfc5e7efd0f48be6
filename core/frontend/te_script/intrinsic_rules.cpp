// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/intrinsic_rules.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/custom_intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <map>

namespace nestwright::te {

namespace {

/// One call for each signature of an intrinsic that no table knows, its arguments replaced by variables.
std::map<std::string, Expr> customCalls(const ir::Function &function)
{
    std::map<std::string, Expr> calls;
    ir::forEachExpr(function->body, [&](const Expr &e) {
        if (const auto *call = ir::customCall(e)) {
            std::vector<Expr> args;
            for (const ir::Var &parameter : ir::ruleParameters(*call))
                args.emplace_back(parameter);
            calls.try_emplace(ir::signatureOf(*call), ir::call(call->dtype, call->callee, std::move(args)));
        }
        return true;
    });
    return calls;
}

/// The rules for the call by their targets, those of the highest level; a rule that gives the call itself
/// says nothing.
ir::Attrs rulesFor(Interpreter &interpreter, const Expr &call)
{
    std::map<std::string, const IntrinsicRule *> best;
    for (const IntrinsicRule &rule : interpreter.intrinsicRules()) {
        if (!call.as<ir::Call>()->callee.isOther(rule.intrinsic))
            continue;
        const IntrinsicRule *&known = best[rule.target];
        if (!known || known->level <= rule.level)
            known = &rule;
    }
    ir::Attrs rules;
    for (const auto &[target, rule] : best) {
        const Value given = interpreter.call(rule->rule, {Value(call)}, rule->at);
        const Expr result = toExpr(given);
        if (!result || !(result.dtype() == call.dtype()))
            interpreter.fail(
                rule->at, "te.intrinsic-rule",
                std::format("the rule for \"{}\" on {} gives {} instead of an expression of type {}",
                            rule->intrinsic, target, result ? result.dtype().str() : given.kindText(),
                            call.dtype().str()));
        if (!ir::structurallyEqual(result, call))
            rules.emplace(target, script::printExpr(result));
    }
    return rules;
}

} // namespace

ir::Module withIntrinsicRules(Interpreter &interpreter, const ir::Module &module)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::Attrs bySignature;
        for (const auto &[signature, call] : customCalls(entry.function)) {
            if (ir::Attrs rules = rulesFor(interpreter, call); !rules.empty())
                bySignature.emplace(signature, ir::AttrValue(ir::AttrRecord{{}, std::move(rules)}));
        }
        if (bySignature.empty())
            continue;
        ir::PrimFunc function = *entry.function;
        function.attrs.insert_or_assign(std::string(ir::intrinsicRulesKey),
                                        ir::AttrValue(ir::AttrRecord{{}, std::move(bySignature)}));
        result = result.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(function)));
    }
    return result;
}

} // namespace nestwright::te
