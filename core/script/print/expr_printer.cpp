// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/expr_printer.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/script/intrinsic_names.h"
#include "core/support/errors/stack_room.h"

#include <array>
#include <cmath>
#include <format>

namespace nestwright::script {

using ir::BinaryOp;
using ir::Expr;

namespace {

bool isConstant(const Expr &e) { return e.as<ir::IntImm>() || e.as<ir::FloatImm>(); }

/// A number of lanes as it is written: 4, or T.vscale() * 4.
Expr lanesExpr(int lanes)
{
    if (!ir::DataType::isScalable(lanes))
        return lanes;
    return ir::callIntrinsic(ir::intrinsics::vscale, {}) * ir::DataType::scalableFactor(lanes);
}

} // namespace

bool ExprPrinter::isOperator(const ir::Call &call) const
{
    return usesTirx(m_dialect) && bitOperatorOf(call);
}

Precedence ExprPrinter::precedence(const Expr &e) const
{
    if (const auto *node = e.as<ir::Call>(); node && isOperator(*node))
        return bitOperatorOf(*node)->precedence;
    if (const auto *node = e.as<ir::Binary>())
        return hasOperator(*node) ? operatorPrecedence(node->op) : Precedence::Atom;
    if (const auto *node = e.as<ir::Not>())
        return isConstant(node->a) ? Precedence::Atom : Precedence::Not;
    return Precedence::Atom;
}

void ExprPrinter::print(const Expr &e, Precedence least)
{
    support::checkStackRoom();
    if (!e) {
        m_out << "None";
        return;
    }
    const bool brackets = least != Precedence::Any && precedence(e) < least;
    if (brackets)
        m_out << "(";
    node(e);
    if (brackets)
        m_out << ")";
}

void ExprPrinter::node(const Expr &e)
{
    switch (e.kind()) {
    case ir::ExprKind::IntImm: return intImm(*e.as<ir::IntImm>());
    case ir::ExprKind::FloatImm: return floatImm(*e.as<ir::FloatImm>());
    case ir::ExprKind::StringImm: return text(e.as<ir::StringImm>()->value);
    case ir::ExprKind::Var: return var(ir::Var::from(e));
    case ir::ExprKind::Binary: return binary(*e.as<ir::Binary>());
    case ir::ExprKind::BufferLoad: return load(*e.as<ir::BufferLoad>());
    case ir::ExprKind::Call: return call(*e.as<ir::Call>());
    case ir::ExprKind::Cast:
        m_out << "T.Cast(\"" << e.dtype().str() << "\", ";
        print(e.as<ir::Cast>()->value);
        break;
    case ir::ExprKind::Not:
        if (!isConstant(e.as<ir::Not>()->a)) {
            m_out << "not ";
            return print(e.as<ir::Not>()->a, Precedence::Not);
        }
        m_out << "T.Not(";
        print(e.as<ir::Not>()->a);
        break;
    case ir::ExprKind::Select: {
        const auto *node = e.as<ir::Select>();
        m_out << "T.Select(";
        printList(std::array{node->condition, node->trueValue, node->falseValue});
        break;
    }
    case ir::ExprKind::Let: {
        const auto *node = e.as<ir::Let>();
        m_out << "T.Let(";
        print(node->body);
        m_out << ", where={";
        var(node->var);
        m_out << ": ";
        print(node->value);
        m_out << "}";
        break;
    }
    case ir::ExprKind::Ramp: {
        const auto *node = e.as<ir::Ramp>();
        m_out << "T.Ramp(";
        printList(std::array{node->base, node->stride, lanesExpr(node->lanes)});
        break;
    }
    case ir::ExprKind::Broadcast: {
        const auto *node = e.as<ir::Broadcast>();
        m_out << "T.Broadcast(";
        printList(std::array{node->value, lanesExpr(node->lanes)});
        break;
    }
    }
    m_out << ")";
}

void ExprPrinter::intImm(const ir::IntImm &e)
{
    if (e.dtype.isBool()) {
        m_out << (e.value != 0 ? "T.bool(True)" : "T.bool(False)");
        return;
    }
    const bool isUnsigned = e.dtype == ir::DataType::uint(64);
    const std::string digits =
        isUnsigned ? std::to_string(static_cast<std::uint64_t>(e.value)) : std::to_string(e.value);
    if (e.dtype == ir::DataType::int32())
        m_out << digits;
    else
        m_out << "T." << e.dtype.str() << "(" << digits << ")";
}

void ExprPrinter::floatImm(const ir::FloatImm &e)
{
    m_out << "T." << e.dtype.str() << "(" << floatText(numberOf(e)) << ")";
}

void ExprPrinter::text(const std::string &value)
{
    m_out << "\"";
    for (const char c : value) {
        switch (c) {
        case '"': m_out << "\\\""; break;
        case '\\': m_out << "\\\\"; break;
        case '\n': m_out << "\\n"; break;
        case '\t': m_out << "\\t"; break;
        case '\r': m_out << "\\r"; break;
        default:
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                m_out << std::format("\\x{:02x}", static_cast<unsigned char>(c));
            else
                m_out << std::string_view(&c, 1);
        }
    }
    m_out << "\"";
}

void ExprPrinter::var(const ir::Var &var)
{
    const std::string *name = m_names.find(var);
    const std::string &text = name ? *name : m_names.define(var);
    const auto loop = m_loops.find(var);
    if (loop != m_loops.end() && loop->second)
        m_uses.push_back({m_out.line(), m_out.column(), static_cast<int>(text.size()), loop->second});
    m_out << text;
}

void ExprPrinter::buffer(const ir::Buffer &buffer)
{
    const std::string *name = m_names.find(buffer);
    m_out << (name ? *name : m_names.define(buffer));
}

void ExprPrinter::binary(const ir::Binary &e)
{
    if (!hasOperator(e)) {
        m_out << functionName(e) << "(";
        printList(std::array{e.a, e.b});
        m_out << ")";
        return;
    }
    const Precedence own = operatorPrecedence(e.op);
    const auto tighter = static_cast<Precedence>(static_cast<int>(own) + 1);
    // Python chains comparisons, so neither side may be one without brackets.
    print(e.a, own == Precedence::Comparison ? tighter : own);
    m_out << " " << (e.op == BinaryOp::Div ? "/" : ir::spelling(e.op)) << " ";
    print(e.b, tighter);
}

void ExprPrinter::index(const Expr &index, bool slices)
{
    const auto *ramp = index.as<ir::Ramp>();
    const std::int64_t *stride = ramp ? ir::asInt(ramp->stride) : nullptr;
    const bool isPlain = stride && (*stride == 1 || (*stride > 0 && !ir::DataType::isScalable(ramp->lanes)));
    if (!isPlain || !slices) // TVM miscounts slices that go backwards
        return print(index);
    print(ramp->base);
    m_out << ":";
    const Expr lanes = lanesExpr(ramp->lanes);
    print(
        ramp->base
        + (ir::asInt(lanes) ? ir::intImm(ramp->lanes * *stride, ramp->base.dtype()) : lanes * ramp->stride));
    if (*stride != 1) {
        m_out << ":";
        print(ramp->stride);
    }
}

void ExprPrinter::element(const ir::Buffer &target, std::span<const Expr> indices, bool isStore)
{
    buffer(target);
    if (indices.empty()) {
        m_out << "[()]";
        return;
    }
    m_out << "[";
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (i != 0)
            m_out << ", ";
        index(indices[i], isStore || !usesTirx(m_dialect));
    }
    m_out << "]";
}

void ExprPrinter::load(const ir::BufferLoad &e)
{
    if (isScalar(e.buffer))
        return buffer(e.buffer);
    if (!e.predicate)
        return element(e.buffer, e.indices, false);
    buffer(e.buffer);
    m_out << ".vload([";
    printList(e.indices);
    m_out << "], predicate=";
    print(e.predicate);
    m_out << ")";
}

/// The name of the intrinsic in the dialect.
std::string_view ExprPrinter::intrinsicName(std::string_view name) const
{
    return usesTirx(m_dialect) ? latestIntrinsicName(name) : name;
}

void ExprPrinter::call(const ir::Call &e)
{
    if (isOperator(e)) {
        const BitOperator &op = *bitOperatorOf(e);
        if (e.args.size() == 1) {
            m_out << op.mark;
            return print(e.args.front(), op.precedence);
        }
        print(e.args[0], op.precedence);
        m_out << " " << op.mark << " ";
        return print(e.args[1], static_cast<Precedence>(static_cast<int>(op.precedence) + 1));
    }
    if (object(e))
        return;
    const ir::Intrinsic *intrinsic = e.callee.intrinsic();
    if (e.callee == ir::intrinsics::reinterpret && e.args.size() == 1 && e.args.front().dtype() == e.dtype)
        intrinsic = nullptr; // its function would give the value itself
    if (!intrinsic) {
        m_out << "T.call_intrin(\"" << e.dtype.str() << "\", ";
        text((usesTirx(m_dialect) ? "tirx." : "tir.") + e.callee.name());
        m_out << (e.args.empty() ? "" : ", ");
    } else {
        m_out << "T." << intrinsicName(intrinsic->name) << "(";
    }
    if (intrinsic && intrinsic->type == ir::TypeRule::Given && e.callee != ir::intrinsics::callPacked
        && e.callee != ir::intrinsics::ret) {
        m_out << "\"" << e.dtype.str() << "\"";
        if (!e.args.empty())
            m_out << ", ";
    }
    printList(e.args);
    if (intrinsic && intrinsic->type == ir::TypeRule::GivenLast)
        m_out << (e.args.empty() ? "\"" : ", \"") << e.dtype.str() << "\"";
    m_out << ")";
}

void ExprPrinter::printList(std::span<const Expr> items)
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i != 0)
            m_out << ", ";
        print(items[i]);
    }
}

void ExprPrinter::printTuple(std::span<const Expr> items)
{
    m_out << "(";
    printList(items);
    m_out << (items.size() == 1 ? ",)" : ")");
}

void ExprPrinter::region(const ir::BufferRegion &region)
{
    buffer(region.buffer);
    if (region.region.empty()) {
        m_out << "[()]";
        return;
    }
    m_out << "[";
    for (std::size_t i = 0; i < region.region.size(); ++i) {
        const ir::Range &range = region.region[i];
        if (i != 0)
            m_out << ", ";
        print(range.min);
        if (!ir::isConstInt(range.extent, 1)) {
            m_out << ":";
            print(range.min + range.extent);
        }
    }
    m_out << "]";
}

std::string printExpr(const Expr &e, Dialect dialect)
{
    TextWriter out;
    NameTable names;
    ExprPrinter(out, names, dialect).print(e);
    return out.take();
}

std::string printRegion(const ir::BufferRegion &region, Dialect dialect)
{
    TextWriter out;
    NameTable names;
    ExprPrinter(out, names, dialect).region(region);
    return out.take();
}

} // namespace nestwright::script
