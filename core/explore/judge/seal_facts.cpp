// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal_facts.h"

#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/fold.h"
#include "core/ir/node/attributes.h"

#include <cmath>
#include <format>

namespace nestwright::explore {

namespace {

class Facts final : public ir::Visitor {
public:
    SealFacts result;

    void expr(const ir::Expr &e) override
    {
        if (const auto *constant = e.as<ir::FloatImm>())
            result.constants.push_back(ir::roundToType(constant->value, constant->dtype));
        constexpr std::int64_t small = 1 << 20;
        if (const auto *integer = e.as<ir::IntImm>(); integer && std::abs(integer->value) < small) {
            for (const std::int64_t near : {-1, 0, 1})
                result.integers.insert(integer->value + near);
        }
        if (const auto *cast = e.as<ir::Cast>())
            noteCast(cast->value.dtype(), cast->dtype);
        const auto *binary = e.as<ir::Binary>();
        if (binary && binary->a.dtype().isFloating()) {
            const bool isOrdering = ir::isComparison(binary->op) || binary->op == ir::BinaryOp::Min
                                    || binary->op == ir::BinaryOp::Max;
            result.comparesValues = result.comparesValues || isOrdering;
            result.testsValues = result.testsValues || ir::isComparison(binary->op);
            if (!isOrdering)
                result.roundings.insert(binary->a.dtype().bits);
        }
        const auto *call = e.as<ir::Call>();
        result.testsValues =
            result.testsValues
            || (call
                && (call->callee == ir::intrinsics::isNan || call->callee == ir::intrinsics::isInf
                    || call->callee == ir::intrinsics::isFinite));
        if (call && call->dtype.isFloating()) {
            result.roundings.insert(call->dtype.bits);
            result.comparesValues = result.comparesValues || call->callee == ir::intrinsics::abs
                                    || call->callee == ir::intrinsics::fabs
                                    || call->callee == ir::intrinsics::copysign;
        }
        children(e);
    }

    void buffer(const ir::Buffer &b) override
    {
        const auto [known, isNew] = m_elements.try_emplace(b->data, b.dtype().element());
        const ir::DataType now = b.dtype().element();
        if (!isNew && known->second != now && (now.isFloating() || known->second.isFloating()))
            result.excluded = support::diagnostic(
                "seal.memory", std::format("'{}' sees memory as '{}' that another buffer sees as '{}'",
                                           b.name(), now.str(), known->second.str()));
    }

private:
    void noteCast(ir::DataType from, ir::DataType to)
    {
        if (from.isFloating() && to.isFloating()
            && (to.bits < from.bits || (to.bits == 16 && to.code != from.code)))
            result.narrowings.emplace(from.bits, to.bits);
    }

    ir::VarMap<ir::DataType> m_elements;
};

} // namespace

SealFacts sealFactsOf(const ir::PrimFunc &function)
{
    Facts facts;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            facts.buffer(param.buffer);
    }
    facts.stmt(function.body);
    if (ir::allowsFastMath(function))
        facts.result.excluded =
            support::diagnostic("seal.fast-math", "\"fast_math\" lets the compiler compute other formulas")
                .withHint("seal it without the annotation, which is the last thing to add");
    return std::move(facts.result);
}

} // namespace nestwright::explore
