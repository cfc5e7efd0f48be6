// SPDX-License-Identifier: Apache-2.0
#include "core/lower/custom_intrinsics.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/custom_intrinsics.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/node/attributes.h"
#include "core/script/expression_parser.h"
#include "core/support/errors/errors.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::lower {

namespace {

using support::diagnostic;
using support::UserError;

class Lowering : public ir::Rewriter {
public:
    Lowering(const ir::PrimFunc &function, std::string_view target) : m_target(target)
    {
        const ir::AttrValue *rules = ir::attribute(function.attrs, ir::intrinsicRulesKey);
        m_rules = rules ? rules->asRecord() : nullptr;
    }

    /// An attribute is about no value, but a reducer or a region.
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *attribute = s.as<ir::AttrStmt>();
        if (!attribute)
            return children(s);
        ir::AttrStmt result = *attribute;
        result.body = stmt(attribute->body);
        return ir::make(std::move(result));
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        ir::Expr inside = children(e);
        const ir::Call *call = ir::customCall(inside);
        if (!call)
            return inside;
        const std::vector<ir::Var> parameters = ir::ruleParameters(*call);
        ir::VarMap<ir::Expr> values;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            values[parameters[i]] = call->args[i];
        return ir::substitute(rule(*call, parameters), values);
    }

private:
    const ir::AttrRecord *rulesOf(const ir::Call &call) const
    {
        if (!m_rules)
            return nullptr;
        const auto found = m_rules->items.find(ir::signatureOf(call));
        return found == m_rules->items.end() ? nullptr : found->second.asRecord();
    }

    ir::Expr rule(const ir::Call &call, const std::vector<ir::Var> &parameters) const
    {
        const ir::AttrRecord *rules = rulesOf(call);
        for (const std::string &target : {std::string(m_target), std::string("default")}) {
            const auto found = rules ? rules->items.find(target) : ir::Attrs::const_iterator();
            const std::string *text =
                rules && found != rules->items.end() ? found->second.asString() : nullptr;
            if (!text)
                continue;
            const auto parsed =
                script::parseTvmExpression(*text, parameters, "rule for " + call.callee.name());
            if (!parsed)
                throw UserError(parsed.error());
            if (!(parsed->dtype() == call.dtype))
                throw UserError(
                    diagnostic("lower.rule", std::format("the rule for \"{}\" on {} gives {} instead of {}",
                                                         call.callee.name(), target, parsed->dtype().str(),
                                                         call.dtype.str())));
            return *parsed;
        }
        throw UserError(missing(call, rules));
    }

    support::Diagnostic missing(const ir::Call &call, const ir::AttrRecord *rules) const
    {
        std::string hint = std::format("a TE script says it with tvm.ir.register_intrin_lowering(\"tir.{}\", "
                                       "target=\"{}\", f=…)",
                                       call.callee.name(), m_target);
        std::string others;
        for (const auto &[target, text] : rules ? rules->items : ir::Attrs())
            others += (others.empty() ? "" : " and ") + target;
        if (!others.empty())
            hint =
                std::format("there is a rule for {}; where its calls are known on {} as well, register the "
                            "same function with target=\"{}\"",
                            others, m_target, m_target);
        return diagnostic("lower.no-rule", std::format("no rule lowers the intrinsic \"{}\" for {}",
                                                       call.callee.name(), m_target))
            .withHint(std::move(hint));
    }

    std::string_view m_target; ///< as rules name it
    const ir::AttrRecord *m_rules = nullptr;
};

/// The languages of devices overload the functions of math: where a program calls `log` for a float32, that
/// of this type is meant, and not C's, which takes a double.
class OverloadedMath final : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        ir::Expr inside = children(e);
        const auto *call = inside.as<ir::Call>();
        const bool isExtern =
            call
            && (call->callee == ir::intrinsics::callExtern || call->callee == ir::intrinsics::callPureExtern);
        const auto *name = isExtern && !call->args.empty() ? call->args.front().as<ir::StringImm>() : nullptr;
        const ir::Intrinsic *function = name ? ir::findIntrinsic(name->value) : nullptr;
        if (!function || !function->transcendental)
            return inside;
        const std::vector<ir::Expr> args(call->args.begin() + 1, call->args.end());
        const bool fits =
            std::ssize(args) == function->minArgs && call->dtype.isFloating()
            && std::ranges::all_of(args, [&](const ir::Expr &arg) { return arg.dtype() == call->dtype; });
        return fits ? ir::callIntrinsic(*function, args) : inside;
    }
};

} // namespace

support::Result<ir::Module> lowerCustomIntrinsics(const ir::Module &module, const target::Target &target)
{
    ir::Module result = module;
    try {
        for (const ir::Module::Entry &entry : module.functions()) {
            ir::Function changed =
                Lowering(*entry.function, target::kindName(target.kind)).function(entry.function);
            if (target.isGpu())
                changed = OverloadedMath().function(changed);
            if (changed != entry.function)
                result = result.with(entry.name, changed);
        }
    } catch (const UserError &error) {
        return support::fail(error.diagnostic());
    }
    return result;
}

} // namespace nestwright::lower
