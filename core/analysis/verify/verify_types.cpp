// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/verify/verify_types.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/conversions.h"
#include "core/ir/build/dispatch.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/intrinsic_meaning.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::analysis {

using ir::DataType;
using ir::Expr;
using Fault = std::optional<TypeFault>;

namespace {

constexpr const char *typeCode = "verify.type";

Fault fault(const char *code, std::string message) { return TypeFault{code, std::move(message)}; }

template <class... A> Fault wrongType(std::format_string<A...> format, A &&...args)
{
    return fault(typeCode, std::format(format, std::forward<A>(args)...));
}

/// The first fault of several checks that are made one after the other.
template <class... F> Fault firstOf(F &&...checks)
{
    Fault result;
    (void)((result = checks(), result.has_value()) || ...);
    return result;
}

Fault mustBe(const Expr &e, const std::string &what)
{
    return e ? Fault() : fault("verify.missing", what + " is missing");
}

Fault mustBeBool(const Expr &e, const std::string &what)
{
    if (!e)
        return mustBe(e, what);
    return e.dtype().isBool() ? Fault() : wrongType("{} is of type '{}', not 'bool'", what, e.dtype().str());
}

Fault mustBeInteger(const Expr &e, const std::string &what)
{
    if (!e)
        return mustBe(e, what);
    const bool isInteger = e.dtype().isInt() || e.dtype().isUInt();
    return isInteger ? Fault() : wrongType("{} is of type '{}', not an integer", what, e.dtype().str());
}

Fault mustMatch(DataType a, DataType b, const std::string &what)
{
    return a == b ? Fault()
                  : wrongType("{} are of the types '{}' and '{}', which must be the same", what, a.str(),
                              b.str());
}

Fault indicesFault(const ir::Buffer &buffer, const std::vector<Expr> &indices)
{
    const std::string name = '\'' + buffer.name() + '\'';
    if (buffer.shape().size() != indices.size()) {
        return fault("verify.rank", std::format("{} has {} dimensions, but is given {} indices", name,
                                                buffer.shape().size(), indices.size()));
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (Fault wrong = mustBeInteger(indices[i], "an index of " + name))
            return wrong;
        if (indices[i].dtype().isVector() && i + 1 != indices.size())
            return wrongType("an index of {} other than the last one has several lanes", name);
    }
    return {};
}

/// The type that an access with these indices has.
DataType accessType(const ir::Buffer &buffer, const std::vector<Expr> &indices)
{
    const int lanes = indices.empty() ? 1 : indices.back().dtype().lanes;
    return buffer.dtype().withLanes(buffer.dtype().lanes * lanes);
}

class ExprRules {
public:
    explicit ExprRules(DataType dtype) : m_dtype(dtype) {}

    Fault operator()(const ir::IntImm &) const
    {
        return m_dtype.isIntegral() && !m_dtype.isVector()
                   ? Fault()
                   : wrongType("an integer constant is of type '{}'", m_dtype.str());
    }
    Fault operator()(const ir::FloatImm &) const
    {
        return m_dtype.isFloating() && !m_dtype.isVector()
                   ? Fault()
                   : wrongType("a floating-point constant is of type '{}'", m_dtype.str());
    }
    Fault operator()(const ir::StringImm &) const { return {}; }
    Fault operator()(const ir::VarNode &) const { return {}; }
    Fault operator()(const ir::Cast &node) const
    {
        return firstOf([&] { return mustBe(node.value, "the value of a cast"); },
                       [&] {
                           return ir::canCast(node.value.dtype(), m_dtype)
                                      ? Fault()
                                      : wrongType("a cast turns '{}' into '{}'", node.value.dtype().str(),
                                                  m_dtype.str());
                       },
                       [&] {
                           return node.value.dtype().lanes == m_dtype.lanes
                                      ? Fault()
                                      : wrongType(
                                            "a cast turns '{}' into '{}', which has another number of lanes",
                                            node.value.dtype().str(), m_dtype.str());
                       });
    }
    Fault operator()(const ir::Binary &node) const
    {
        const std::string what = std::format("the operands of '{}'", ir::spelling(node.op));
        if (!node.a || !node.b)
            return fault("verify.missing", "one of " + what + " is missing");
        if (Fault wrong = mustMatch(node.a.dtype(), node.b.dtype(), what))
            return wrong;
        const bool isLogical = ir::isLogical(node.op);
        if (isLogical && !node.a.dtype().isBool())
            return mustBeBool(node.a, "an operand of '" + std::string(ir::spelling(node.op)) + '\'');
        const bool givesBool = isLogical || ir::isComparison(node.op);
        const DataType expected = givesBool ? DataType::boolean(node.a.dtype().lanes) : node.a.dtype();
        return mustMatch(m_dtype, expected, std::format("'{}' and its result", ir::spelling(node.op)));
    }
    Fault operator()(const ir::Not &node) const { return mustBeBool(node.a, "the operand of 'not'"); }
    Fault operator()(const ir::Select &node) const
    {
        return firstOf([&] { return mustBeBool(node.condition, "the condition of a select"); },
                       [&] { return mustBe(node.trueValue, "an arm of a select"); },
                       [&] { return mustBe(node.falseValue, "an arm of a select"); },
                       [&] {
                           return mustMatch(node.trueValue.dtype(), node.falseValue.dtype(),
                                            "the arms of a select");
                       },
                       [&] { return mustMatch(node.trueValue.dtype(), m_dtype, "a select and its arms"); });
    }
    Fault operator()(const ir::Let &node) const
    {
        return firstOf(
            [&] { return mustBe(node.value, "the value of a let"); },
            [&] { return mustBe(node.body, "the body of a let"); },
            [&] { return mustMatch(node.value.dtype(), node.var.dtype(), "a let variable and its value"); });
    }
    Fault operator()(const ir::BufferLoad &node) const
    {
        if (!node.buffer)
            return fault("verify.missing", "the buffer of a load is missing");
        return firstOf(
            [&] { return indicesFault(node.buffer, node.indices); },
            [&] {
                return mustMatch(m_dtype, accessType(node.buffer, node.indices),
                                 "a load from '" + node.buffer.name() + "' and its elements");
            },
            [&] { return node.predicate ? mustBeBool(node.predicate, "the mask of a load") : Fault(); });
    }
    Fault operator()(const ir::Ramp &node) const
    {
        return firstOf(
            [&] { return mustBeInteger(node.base, "the base of a ramp"); },
            [&] { return mustBeInteger(node.stride, "the stride of a ramp"); },
            [&] { return mustMatch(node.base.dtype(), node.stride.dtype(), "base and stride of a ramp"); },
            [&] { return lanesFault(node.base.dtype(), node.lanes, "a ramp"); });
    }
    Fault operator()(const ir::Broadcast &node) const
    {
        return firstOf([&] { return mustBe(node.value, "the value of a broadcast"); },
                       [&] { return lanesFault(node.value.dtype(), node.lanes, "a broadcast"); });
    }
    Fault operator()(const ir::Call &node) const
    {
        const ir::Intrinsic *intrinsic = node.callee.intrinsic();
        if (!intrinsic)
            return fault("verify.call", "there is no intrinsic '" + node.callee.name() + '\'');
        for (const Expr &arg : node.args) {
            if (Fault wrong = mustBe(arg, "an argument of '" + node.callee.name() + '\''))
                return wrong;
        }
        const auto count = static_cast<int>(node.args.size());
        if (count < intrinsic->minArgs || (intrinsic->maxArgs >= 0 && count > intrinsic->maxArgs))
            return fault("verify.call",
                         std::format("'{}' does not take {} arguments", intrinsic->name, count));
        if (const auto wrong = ir::intrinsicFault(node))
            return fault(typeCode, *wrong);
        if (node.callee == ir::intrinsics::ifThenElse) {
            return firstOf(
                [&] { return mustBeBool(node.args[0], "the condition of 'if_then_else'"); },
                [&] {
                    return mustMatch(node.args[1].dtype(), node.args[2].dtype(),
                                     "the arms of 'if_then_else'");
                },
                [&] { return mustMatch(node.args[1].dtype(), m_dtype, "'if_then_else' and its arms"); });
        }
        if (intrinsic->type == ir::TypeRule::SameAsFirst)
            return mustMatch(node.args[0].dtype(), m_dtype,
                             '\'' + node.callee.name() + "' and its first argument");
        return {};
    }

private:
    Fault lanesFault(DataType element, int lanes, const char *what) const
    {
        if (lanes < 2 || m_dtype != element.withLanes(element.lanes * lanes))
            return wrongType("{} of {} lanes of '{}' is of type '{}'", what, lanes, element.str(),
                             m_dtype.str());
        return {};
    }

    DataType m_dtype;
};

Fault rangeFault(const ir::Range &range, const std::string &what)
{
    return firstOf([&] { return mustBeInteger(range.min, "the start of " + what); },
                   [&] { return mustBeInteger(range.extent, "the extent of " + what); });
}

Fault regionFault(const ir::BufferRegion &region, const std::string &what)
{
    if (!region.buffer)
        return fault("verify.missing", "the buffer of " + what + " is missing");
    const std::string name = what + " of '" + region.buffer.name() + '\'';
    if (region.region.size() != region.buffer.shape().size()) {
        return fault("verify.rank", std::format("{} has {} ranges, but the buffer {} dimensions", name,
                                                region.region.size(), region.buffer.shape().size()));
    }
    for (const ir::Range &range : region.region) {
        if (Fault wrong = rangeFault(range, name))
            return wrong;
    }
    return {};
}

Fault forFault(const ir::For &node)
{
    const std::string name = "the loop over '" + node.var.name() + '\'';
    if (!node.body)
        return fault("verify.missing", name + " has no body");
    if ((node.forKind == ir::ForKind::ThreadBinding) == node.thread.empty())
        return wrongType("{} names a thread axis exactly if it is bound to one", name);
    return firstOf(
        [&] { return rangeFault({node.min, node.extent}, name); },
        [&] { return mustMatch(node.var.dtype(), node.extent.dtype(), name + ": variable and extent"); },
        [&] { return mustMatch(node.min.dtype(), node.extent.dtype(), name + ": start and extent"); });
}

Fault blockFault(const ir::Block &node)
{
    const std::string name = "block '" + node.name + '\'';
    if (!node.body)
        return fault("verify.missing", name + " has no body");
    if (node.iterValues.size() != node.iterVars.size()) {
        return fault("verify.rank", std::format("{} has {} variables, but {} values for them", name,
                                                node.iterVars.size(), node.iterValues.size()));
    }
    for (std::size_t i = 0; i < node.iterVars.size(); ++i) {
        const ir::IterVar &iter = node.iterVars[i];
        const std::string what = '\'' + iter.var.name() + "' of " + name;
        if (Fault wrong = firstOf(
                [&] { return mustBeInteger(node.iterValues[i], "the value of " + what); },
                [&] { return rangeFault(iter.domain, "the domain of " + what); },
                [&] {
                    return mustMatch(iter.var.dtype(), node.iterValues[i].dtype(), what + " and its value");
                },
                [&] {
                    return mustMatch(iter.var.dtype(), iter.domain.extent.dtype(), what + " and its domain");
                }))
            return wrong;
    }
    for (const ir::BufferRegion &read : node.reads) {
        if (Fault wrong = regionFault(read, "a read region of " + name))
            return wrong;
    }
    for (const ir::BufferRegion &write : node.writes) {
        if (Fault wrong = regionFault(write, "a write region of " + name))
            return wrong;
    }
    for (const ir::MatchBuffer &match : node.matchBuffers) {
        if (Fault wrong = regionFault(match.source, "the matched region of " + name))
            return wrong;
    }
    return mustBeBool(node.predicate, "the predicate of " + name);
}

Fault storeFault(const ir::BufferStore &node)
{
    if (!node.buffer)
        return fault("verify.missing", "the buffer of a store is missing");
    return firstOf(
        [&] { return mustBe(node.value, "the value of a store"); },
        [&] { return indicesFault(node.buffer, node.indices); },
        [&] {
            return mustMatch(node.value.dtype(), accessType(node.buffer, node.indices),
                             "the value stored to '" + node.buffer.name() + "' and its elements");
        },
        [&] { return node.predicate ? mustBeBool(node.predicate, "the mask of a store") : Fault(); });
}

Fault bodyFault(const ir::Stmt &body, const char *what)
{
    return body ? Fault() : fault("verify.missing", std::string(what) + " has no body");
}

} // namespace

Fault typeFault(const Expr &e) { return ir::dispatch(*e.get(), ExprRules(e.dtype())); }

Fault typeFault(const ir::Stmt &s)
{
    switch (s.kind()) {
    case ir::StmtKind::For: return forFault(*s.as<ir::For>());
    case ir::StmtKind::Block: return blockFault(*s.as<ir::Block>());
    case ir::StmtKind::BufferStore: return storeFault(*s.as<ir::BufferStore>());
    case ir::StmtKind::Seq: {
        const bool complete =
            std::ranges::all_of(s.as<ir::Seq>()->stmts, [](const ir::Stmt &part) { return bool(part); });
        return complete ? Fault() : fault("verify.missing", "a sequence holds no statement at some place");
    }
    case ir::StmtKind::IfThenElse:
        return firstOf(
            [&] { return mustBeBool(s.as<ir::IfThenElse>()->condition, "the condition of an 'if'"); },
            [&] { return bodyFault(s.as<ir::IfThenElse>()->thenCase, "an 'if'"); });
    case ir::StmtKind::Evaluate: return mustBe(s.as<ir::Evaluate>()->value, "the value of an 'evaluate'");
    case ir::StmtKind::LetStmt: {
        const auto &node = *s.as<ir::LetStmt>();
        return firstOf(
            [&] { return mustBe(node.value, "the value of a let"); },
            [&] { return mustMatch(node.value.dtype(), node.var.dtype(), "a let variable and its value"); },
            [&] { return bodyFault(node.body, "a let"); });
    }
    case ir::StmtKind::AttrStmt: return bodyFault(s.as<ir::AttrStmt>()->body, "an attribute");
    case ir::StmtKind::Allocate: {
        const auto &node = *s.as<ir::Allocate>();
        for (const Expr &extent : node.extents) {
            if (Fault wrong =
                    mustBeInteger(extent, "an extent of the allocation '" + node.data.name() + '\''))
                return wrong;
        }
        return bodyFault(node.body, "an allocation");
    }
    case ir::StmtKind::DeclBuffer: return bodyFault(s.as<ir::DeclBuffer>()->body, "a buffer declaration");
    case ir::StmtKind::While:
        return firstOf([&] { return mustBeBool(s.as<ir::While>()->condition, "the condition of a 'while'"); },
                       [&] { return bodyFault(s.as<ir::While>()->body, "a 'while'"); });
    case ir::StmtKind::AssertStmt:
        return firstOf(
            [&] { return mustBeBool(s.as<ir::AssertStmt>()->condition, "the condition of an assertion"); },
            [&] { return bodyFault(s.as<ir::AssertStmt>()->body, "an assertion"); });
    }
    std::unreachable();
}

} // namespace nestwright::analysis
