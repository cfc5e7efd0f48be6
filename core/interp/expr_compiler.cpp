// SPDX-License-Identifier: Apache-2.0
#include "core/interp/expr_compiler.h"

#include "core/interp/arithmetic.h"
#include "core/interp/codes.h"
#include "core/interp/field_code.h"
#include "core/interp/intrinsic_code.h"
#include "core/interp/warp_code.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/fold.h"
#include "core/ir/intrinsic_meaning.h"
#include "core/ir/strides.h"

#include <algorithm>
#include <utility>

namespace nestwright::interp {

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;

void ViewSetup::run(Frame &frame) const
{
    View &out = frame.views[view];
    const Memory &from = frame.memories[memory];
    out.data = from.data;
    out.memory = memory;
    out.undefined = from.undefined;
    out.capacity = from.bytes / elementBytes;
    out.offset = offset.eval(frame);
    out.dimensions.resize(shape.size());
    std::int64_t compact = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(shape[i].eval(frame), 0);
        out.dimensions[i] = {.extent = extent, .stride = strides.empty() ? compact : strides[i].eval(frame)};
        compact = wrappingMul(compact, extent);
    }
}

std::size_t ExprCompiler::define(const ir::Var &var)
{
    const int lanes = std::max<int>(var.dtype().lanes, 1);
    const auto [entry, isNew] = m_variables.try_emplace(var, Variable{m_slotCount, lanes});
    if (isNew)
        m_slotCount += static_cast<std::size_t>(lanes);
    return entry->second.slot;
}

std::size_t ExprCompiler::defineMemory(const ir::Var &pointer)
{
    const auto [entry, isNew] = m_memories.try_emplace(pointer, m_setups.size());
    if (isNew)
        m_setups.emplace_back();
    return entry->second;
}

std::optional<std::size_t> ExprCompiler::knownMemory(const ir::Var &pointer) const
{
    const auto found = m_memories.find(pointer);
    return found == m_memories.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ExprCompiler::defineView(const ir::Buffer &buffer)
{
    const auto [entry, isNew] = m_views.try_emplace(buffer, m_viewCount);
    if (isNew)
        ++m_viewCount;
    return entry->second;
}

std::size_t ExprCompiler::memoryOf(const ir::Buffer &buffer)
{
    const auto found = m_memories.find(buffer->data);
    if (found == m_memories.end()) {
        stopWith(place, "interp.undefined",
                 place.name() + " uses the buffer '" + buffer.name()
                     + "', which is neither a parameter nor allocated",
                 "allocate it in the block that encloses all its uses");
    }
    return found->second;
}

std::size_t ExprCompiler::viewOf(const ir::Buffer &buffer)
{
    if (const auto found = m_views.find(buffer); found != m_views.end())
        return found->second;
    const std::size_t memory = memoryOf(buffer);
    const std::size_t view = defineView(buffer);
    m_setups[memory].push_back(viewSetup(buffer, view, memory));
    return view;
}

ViewSetup ExprCompiler::viewSetup(const ir::Buffer &buffer, std::size_t view, std::size_t memory)
{
    const DataType elements = elementsOf(buffer.dtype());
    ViewSetup setup{.view = view,
                    .memory = memory,
                    .elementBytes = std::int64_t{elements.bytes()} * elements.lanes,
                    .shape = {},
                    .strides = {},
                    .offset = {}};
    for (const Expr &extent : buffer.shape())
        setup.shape.push_back(compileIndex(extent));
    for (const Expr &stride : ir::isStrided(buffer) ? buffer->strides : std::vector<Expr>{})
        setup.strides.push_back(compileIndex(stride));
    if (buffer->elemOffset)
        setup.offset = compileIndex(buffer->elemOffset);
    return setup;
}

std::optional<Index> ExprCompiler::affine(const Expr &e) const
{
    if (!e.dtype().isInt() || e.dtype().isVector())
        return std::nullopt;
    if (const std::int64_t *value = ir::asInt(e))
        return Index{.base = *value, .terms = {}, .general = nullptr};
    if (const ir::Var var = ir::Var::from(e)) {
        const auto found = m_variables.find(var);
        if (found == m_variables.end())
            return std::nullopt;
        return Index{.base = 0, .terms = {{found->second.slot, 1}}, .general = nullptr};
    }
    const auto *binary = e.as<ir::Binary>();
    if (!binary
        || (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub && binary->op != BinaryOp::Mul))
        return std::nullopt;
    auto a = affine(binary->a), b = affine(binary->b);
    if (!a || !b)
        return std::nullopt;
    if (binary->op == BinaryOp::Mul) {
        if (!a->terms.empty())
            std::swap(a, b);
        if (!a->terms.empty())
            return std::nullopt;
        b->base = wrappingMul(b->base, a->base);
        for (Index::Term &term : b->terms)
            term.factor = wrappingMul(term.factor, a->base);
        return b;
    }
    const std::int64_t sign = binary->op == BinaryOp::Add ? 1 : -1;
    a->base = wrappingAdd(a->base, wrappingMul(sign, b->base));
    for (const Index::Term &term : b->terms)
        a->terms.push_back({term.slot, wrappingMul(sign, term.factor)});
    return a;
}

Index ExprCompiler::compileIndex(const Expr &e)
{
    if (auto sum = affine(e))
        return std::move(*sum).settle();
    return {.base = 0, .terms = {}, .general = compileInt(e)};
}

IntPtr ExprCompiler::compileInt(const Expr &e)
{
    ValueCode code = compile(e);
    if (!code.i) {
        stopWith(place, codes::unsupported,
                 place.name() + " uses a value of type '" + e.dtype().str() + "' where an integer is needed");
    }
    return std::move(code.i);
}

std::uint32_t ExprCompiler::addLoop(support::StmtId loop, const ir::Var &variable)
{
    m_sites.loops.push_back({.loop = loop, .variable = variable.name()});
    return static_cast<std::uint32_t>(m_sites.loops.size() - 1);
}

AccessTarget ExprCompiler::compileTarget(const ir::Buffer &buffer, const std::vector<Expr> &indices,
                                         bool isWrite)
{
    if (buffer.shape().size() != indices.size()) {
        stopWith(place, codes::unsupported,
                 place.name() + " gives '" + buffer.name() + "' " + std::to_string(indices.size())
                     + " indices, but it has " + std::to_string(buffer.shape().size()) + " dimensions");
    }
    AccessTarget target{.view = viewOf(buffer),
                        .buffer = buffer,
                        .elements = elementsOf(buffer.dtype()),
                        .indices = {},
                        .bufferLanes = buffer.dtype().lanes,
                        .isWatched = m_watched.contains(memoryOf(buffer)),
                        .site = static_cast<std::uint32_t>(m_sites.accesses.size()),
                        .place = place};
    m_sites.accesses.push_back({.buffer = buffer,
                                .isWrite = isWrite,
                                .stmt = place.stmt,
                                .blockName = place.blockName,
                                .memory = memoryOf(buffer)});
    for (const Expr &index : indices)
        target.indices.push_back(compileIndex(index));
    return target;
}

ValueCode ExprCompiler::compile(const Expr &e)
{
    switch (e.kind()) {
    case ir::ExprKind::IntImm: return makeConstant(e.as<ir::IntImm>()->value);
    case ir::ExprKind::FloatImm: {
        const double value = roundTo(precisionOf(e.dtype()), e.as<ir::FloatImm>()->value);
        return field ? makeFieldConstant(*field, value) : makeConstant(value);
    }
    case ir::ExprKind::StringImm: return {};
    case ir::ExprKind::Var: return compileVar(ir::Var::from(e));
    case ir::ExprKind::Cast: return compileCast(*e.as<ir::Cast>());
    case ir::ExprKind::Binary: return compileBinary(e);
    case ir::ExprKind::Not: return makeNot(compileInt(e.as<ir::Not>()->a));
    case ir::ExprKind::Select: {
        const auto &select = *e.as<ir::Select>();
        return compileChoice(select.condition, select.trueValue, select.falseValue, true);
    }
    case ir::ExprKind::Let: return compileLet(*e.as<ir::Let>());
    case ir::ExprKind::BufferLoad: {
        const auto &load = *e.as<ir::BufferLoad>();
        IntPtr mask = load.predicate ? compileInt(load.predicate) : nullptr;
        return makeLoad(compileTarget(load.buffer, load.indices, false), std::move(mask));
    }
    case ir::ExprKind::Ramp: return compileRamp(*e.as<ir::Ramp>());
    case ir::ExprKind::Broadcast: return compileBroadcast(*e.as<ir::Broadcast>());
    case ir::ExprKind::Call: return compileCall(*e.as<ir::Call>());
    }
    std::unreachable();
}

ValueCode ExprCompiler::compileVar(const ir::Var &var)
{
    if (var.dtype().isHandle())
        return {};
    const auto found = m_variables.find(var);
    if (found == m_variables.end()) {
        stopWith(place, "interp.undefined",
                 place.name() + " uses the variable '" + var.name() + "', which has no value there");
    }
    const auto [slot, lanes] = found->second;
    if (var.dtype().isFloating()) {
        if (lanes == 1)
            return floatFunction([slot](Frame &frame) { return frame.slots[slot].f; });
        return floatFunction(
            [slot](Frame &frame) { return frame.slots[slot + static_cast<std::size_t>(frame.lane)].f; });
    }
    if (lanes == 1)
        return intFunction([slot](Frame &frame) { return frame.slots[slot].i; });
    return intFunction(
        [slot](Frame &frame) { return frame.slots[slot + static_cast<std::size_t>(frame.lane)].i; });
}

ValueCode ExprCompiler::compileBinary(const Expr &e)
{
    const auto &node = *e.as<ir::Binary>();
    const DataType operands = node.a.dtype();
    if (auto sum = affine(e)) {
        return intFunction([sum = std::move(*sum).settle(), operands](Frame &frame) {
            return ir::wrapToType(sum.eval(frame), operands);
        });
    }
    if (const Expr folded = field ? ir::foldBinary(node.op, node.a, node.b) : Expr())
        return compile(folded); // rounded where it is, as simplifying does
    ValueCode a = compile(node.a), b = compile(node.b);
    if (a.i && b.i)
        return makeIntBinary(node.op, operands, std::move(a.i), std::move(b.i), place);
    if (field && a.f && b.f && ir::isComparison(node.op))
        return makeFieldComparison(*field, node.op, std::move(a.f), std::move(b.f), place);
    if (field && a.f && b.f)
        return makeFieldBinary(*field, node.op, operands, std::move(a.f), std::move(b.f));
    if (a.f && b.f && ir::isComparison(node.op))
        return makeFloatComparison(node.op, std::move(a.f), std::move(b.f));
    if (a.f && b.f)
        return makeFloatBinary(node.op, precisionOf(operands), std::move(a.f), std::move(b.f));
    stopWith(place, codes::unsupported,
             place.name() + " applies '" + std::string(ir::spelling(node.op)) + "' to '"
                 + node.a.dtype().str() + "' and '" + node.b.dtype().str() + '\'');
}

ValueCode ExprCompiler::compileChoice(const Expr &condition, const Expr &yes, const Expr &no, bool both)
{
    IntPtr test = compileInt(condition);
    ValueCode a = compile(yes), b = compile(no);
    auto choose = [both, test = std::move(test)](auto first, auto second) mutable {
        return [both, test = std::move(test), a = std::move(first), b = std::move(second)](Frame &frame) {
            if (!both)
                return test->eval(frame) ? a->eval(frame) : b->eval(frame);
            // An unwritten element counts only if the condition or the chosen arm reads it.
            const UnwrittenRead outer = std::exchange(frame.unwrittenRead, {});
            const auto x = a->eval(frame);
            const UnwrittenRead first = std::exchange(frame.unwrittenRead, {});
            const auto y = b->eval(frame);
            const UnwrittenRead second = std::exchange(frame.unwrittenRead, outer);
            const bool isFirst = test->eval(frame) != 0;
            if (!frame.unwrittenRead.target)
                frame.unwrittenRead = isFirst ? first : second;
            return isFirst ? x : y;
        };
    };
    if (a.i && b.i)
        return intFunction(choose(std::move(a.i), std::move(b.i)));
    if (a.f && b.f)
        return floatFunction(choose(std::move(a.f), std::move(b.f)));
    stopWith(place, codes::unsupported,
             place.name() + " chooses between '" + yes.dtype().str() + "' and '" + no.dtype().str() + '\'');
}

ValueCode ExprCompiler::compileLet(const ir::Let &node)
{
    ValueCode value = compile(node.value);
    const std::size_t slot = define(node.var);
    const int lanes = std::max<int>(node.var.dtype().lanes, 1);
    ValueCode body = compile(node.body);
    auto bind = [value = std::move(value), slot, lanes](Frame &frame) {
        if (lanes == 1) {
            frame.slots[slot] = value.eval(frame);
            return;
        }
        const int outer = frame.lane;
        for (frame.lane = 0; frame.lane < lanes; ++frame.lane)
            frame.slots[slot + static_cast<std::size_t>(frame.lane)] = value.eval(frame);
        frame.lane = outer;
    };
    if (body.f) {
        return floatFunction([bind = std::move(bind), body = std::move(body.f)](Frame &frame) {
            bind(frame);
            return body->eval(frame);
        });
    }
    return intFunction([bind = std::move(bind), body = std::move(body.i)](Frame &frame) {
        bind(frame);
        return body->eval(frame);
    });
}

ValueCode ExprCompiler::compileCast(const ir::Cast &node)
{
    ValueCode value = compile(node.value);
    const DataType from = node.value.dtype(), to = node.dtype;
    if (field && (from.isFloating() || to.isFloating()) && (value.i || value.f))
        return makeFieldCast(std::move(value), from, to, place);
    if (value.f && to.isFloating())
        return makeFloatToFloat(std::move(value.f), precisionOf(to));
    if (value.i && to.isFloating())
        return makeIntToFloat(std::move(value.i), from, precisionOf(to));
    if (value.f && to.isIntegral())
        return makeFloatToInt(std::move(value.f), to);
    if (value.i && to.isIntegral())
        return makeIntToInt(std::move(value.i), to);
    stopWith(place, codes::unsupported, place.name() + " casts '" + from.str() + "' to '" + to.str() + '\'');
}

ValueCode ExprCompiler::compileRamp(const ir::Ramp &node)
{
    IntPtr base = compileInt(node.base), stride = compileInt(node.stride);
    const int inner = node.base.dtype().lanes; // a ramp of vectors repeats the vector, moved on by the stride
    return intFunction(
        [base = std::move(base), stride = std::move(stride), inner, dtype = node.dtype](Frame &frame) {
            const int lane = frame.lane;
            frame.lane = lane % inner;
            const std::int64_t first = base->eval(frame), step = stride->eval(frame);
            frame.lane = lane;
            return ir::wrapToType(wrappingAdd(first, wrappingMul(step, lane / inner)), dtype);
        });
}

ValueCode ExprCompiler::compileBroadcast(const ir::Broadcast &node)
{
    const int inner = node.value.dtype().lanes;
    ValueCode value = compile(node.value);
    if (inner == 1)
        return value;
    const auto turned = [inner](auto code) {
        return [code = std::move(code), inner](Frame &frame) {
            const int lane = frame.lane;
            frame.lane = lane % inner;
            const auto result = code->eval(frame);
            frame.lane = lane;
            return result;
        };
    };
    if (value.f)
        return floatFunction(turned(std::move(value.f)));
    return intFunction(turned(std::move(value.i)));
}

ValueCode ExprCompiler::compileCall(const ir::Call &node)
{
    if (node.callee == ir::intrinsics::ifThenElse && node.args.size() == 3)
        return compileChoice(node.args[0], node.args[1], node.args[2], false);
    if (node.callee != ir::intrinsics::qMultiplyShift) { // which is computed here in another way, so that the
                                                         // two can be compared
        if (const Expr simple = ir::meaningOf(node))
            return compile(simple);
    }
    meets = meets || isMeeting(node);
    const bool isPointer =
        node.callee == ir::intrinsics::addressOf || node.callee == ir::intrinsics::tvmAccessPtr;
    std::vector<ValueCode> args;
    args.reserve(node.args.size());
    for (const Expr &arg : node.args)
        args.push_back(isPointer || arg.dtype().isHandle() ? ValueCode() : compile(arg));
    if (field) {
        if (auto code = makeFieldIntrinsic(*field, node, args, place))
            return *std::move(code);
    }
    return makeIntrinsic(node, std::move(args), place);
}

} // namespace nestwright::interp
