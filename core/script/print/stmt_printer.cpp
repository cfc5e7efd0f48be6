// SPDX-License-Identifier: Apache-2.0
// Statements of TVMScript.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/block_marker.h"
#include "core/script/print/function_printer.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/stack_room.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

bool usesBuffer(const Expr &e, const ir::Buffer &buffer)
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        const auto *load = part.as<ir::BufferLoad>();
        found = found || (load && load->buffer == buffer);
        return !found;
    });
    return found;
}

} // namespace

/// The body of the statement on the present line, in a scope of its own.
void FunctionPrinter::body(const Stmt &s)
{
    m_out.indent(1);
    m_names.push();
    sequence(s);
    m_names.pop();
    m_out.indent(-1);
}

void FunctionPrinter::sequence(const Stmt &s)
{
    const auto *seq = s.as<ir::Seq>();
    if (!seq)
        return stmt(s, true);
    for (const Stmt &each : seq->stmts)
        stmt(each, &each == &seq->stmts.back());
}

void FunctionPrinter::stmt(const Stmt &s, bool isLast)
{
    support::checkStackRoom();
    switch (s.kind()) {
    case ir::StmtKind::For: return forLoop(*s.as<ir::For>());
    case ir::StmtKind::Block: return block(*s.as<ir::Block>());
    case ir::StmtKind::BufferStore: return store(*s.as<ir::BufferStore>());
    case ir::StmtKind::Seq: return sequence(s);
    case ir::StmtKind::IfThenElse: return ifThenElse(*s.as<ir::IfThenElse>());
    case ir::StmtKind::Evaluate: return evaluate(s.as<ir::Evaluate>()->value);
    case ir::StmtKind::LetStmt: return let(*s.as<ir::LetStmt>(), isLast);
    case ir::StmtKind::AttrStmt: return attribute(*s.as<ir::AttrStmt>(), isLast);
    case ir::StmtKind::Allocate: return allocate(*s.as<ir::Allocate>(), isLast);
    case ir::StmtKind::DeclBuffer: {
        const auto &node = *s.as<ir::DeclBuffer>();
        return declBuffer(node, isLast, nullptr);
    }
    case ir::StmtKind::While:
        line("while ");
        m_exprs.print(s.as<ir::While>()->condition);
        m_out << ":";
        return body(s.as<ir::While>()->body);
    case ir::StmtKind::AssertStmt: return assertion(*s.as<ir::AssertStmt>(), isLast);
    }
}

void FunctionPrinter::noteSpan(ir::StmtId id, int firstLine)
{
    if (id)
        m_spans.push_back({id, firstLine, m_out.line()});
}

// Loops.

void FunctionPrinter::defineLoop(const ir::For &loop)
{
    m_names.define(loop.var);
    m_exprs.setLoop(loop.var, loop.id);
    m_loops[loop.var] = {loop.min, loop.extent};
    m_exprs.var(loop.var);
}

/// The loops from `loop` inwards that T.grid can stand for.
std::vector<const ir::For *> FunctionPrinter::gridOf(const ir::For &loop) const
{
    std::vector<const ir::For *> loops;
    ir::VarSet vars;
    for (const ir::For *next = &loop; next; next = next->body.as<ir::For>()) {
        if (next->forKind != ir::ForKind::Serial || !ir::isConstInt(next->min, 0)
            || !next->annotations.empty() || ir::usesAny(next->extent, vars))
            break;
        loops.push_back(next);
        vars.insert(next->var);
    }
    return loops;
}

void FunctionPrinter::grid(const std::vector<const ir::For *> &loops)
{
    const int firstLine = m_out.line();
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (i != 0)
            m_out << ", ";
        defineLoop(*loops[i]);
    }
    m_out << " in T.grid(";
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (i != 0)
            m_out << ", ";
        m_exprs.print(loops[i]->extent);
    }
    m_out << "):";
    body(loops.back()->body);
    for (const ir::For *loop : loops)
        noteSpan(loop->id, firstLine);
}

void FunctionPrinter::rangeArguments(const ir::For &loop)
{
    if (!ir::isConstInt(loop.min, 0)) {
        m_exprs.print(loop.min);
        m_out << ", ";
        m_exprs.print(loop.min + loop.extent);
    } else {
        m_exprs.print(loop.extent);
    }
    if (loop.forKind == ir::ForKind::ThreadBinding) {
        m_out << ", thread=";
        m_exprs.text(loop.thread);
    }
    if (!loop.annotations.empty()) {
        m_out << ", annotations=";
        m_exprs.attrs(loop.annotations);
    }
}

void FunctionPrinter::forLoop(const ir::For &loop)
{
    m_names.push();
    line("for ");
    if (const auto loops = gridOf(loop); loops.size() > 1 && !m_splitsGrids) {
        grid(loops);
        m_names.pop();
        return;
    }
    const int firstLine = m_out.line();
    defineLoop(loop);
    m_out << " in ";
    switch (loop.forKind) {
    case ir::ForKind::Serial: m_out << (loop.annotations.empty() ? "range(" : "T.serial("); break;
    case ir::ForKind::Parallel: m_out << "T.parallel("; break;
    case ir::ForKind::Vectorized: m_out << "T.vectorized("; break;
    case ir::ForKind::Unrolled: m_out << "T.unroll("; break;
    case ir::ForKind::ThreadBinding: m_out << "T.thread_binding("; break;
    }
    rangeArguments(loop);
    m_out << "):";
    body(loop.body);
    m_names.pop();
    noteSpan(loop.id, firstLine);
}

// Simple statements.

void FunctionPrinter::store(const ir::BufferStore &store)
{
    m_out.beginLine();
    if (store.predicate) {
        m_exprs.buffer(store.buffer);
        m_out << ".vstore([";
        m_exprs.printList(store.indices);
        m_out << "], ";
        m_exprs.print(store.value);
        m_out << ", predicate=";
        m_exprs.print(store.predicate);
        m_out << ")";
        return;
    }
    if (m_exprs.isScalar(store.buffer))
        m_exprs.buffer(store.buffer);
    else
        m_exprs.element(store.buffer, store.indices, true);
    m_out << " = ";
    m_exprs.print(store.value);
}

void FunctionPrinter::ifThenElse(const ir::IfThenElse &node)
{
    line("if ");
    m_exprs.print(node.condition);
    m_out << ":";
    body(node.thenCase);
    if (!node.elseCase)
        return;
    line("else:");
    body(node.elseCase);
}

void FunctionPrinter::evaluate(const Expr &value)
{
    m_out.beginLine();
    const auto *call = value.as<ir::Call>();
    if (call && call->callee == ir::intrinsics::ret && call->args.size() == 1) {
        m_out << "return ";
        return m_exprs.print(call->args.front());
    }
    const bool isStatement = call && !m_exprs.isOperator(*call);
    m_out << (isStatement ? "" : "T.evaluate(");
    m_exprs.print(value);
    m_out << (isStatement ? "" : ")");
}

// Statements that hold for a body.

void FunctionPrinter::scoped(const Stmt &s, bool concise)
{
    if (concise)
        sequence(s);
    else
        body(s);
}

void FunctionPrinter::let(const ir::LetStmt &node, bool isLast)
{
    m_out.beginLine();
    if (m_names.find(node.var)) { // bound before: the name must stay
        m_out << "with T.LetStmt(";
        m_exprs.print(node.value);
        m_out << ", var=";
        m_exprs.var(node.var);
        m_out << "):";
        return scoped(node.body, false);
    }
    m_names.push();
    if (isLast) {
        // The value is outside of the variable's scope, and both stand on one line.
        const std::string name = m_names.define(node.var);
        // From 0.25 on a type alone makes a variable that can be assigned again.
        const bool marksLet = m_exprs.dialect() >= Dialect::Tvm025;
        m_out << name << (marksLet ? ": T.let[" : ": ");
        m_exprs.typeOf(node.var);
        m_out << (marksLet ? "] = " : " = ");
        const Var source = Var::from(node.value);
        // From 0.27 on a pointer to something is made from one to nothing in particular in so many words.
        const bool retypes =
            m_exprs.dialect() >= Dialect::Tvm027 && node.var->pointee && !(source && source->pointee);
        if (retypes) {
            m_out << "T.reinterpret(";
            m_exprs.typeOf(node.var);
            m_out << ".ty, ";
        }
        m_exprs.print(node.value);
        m_out << (retypes ? ")" : "");
    } else {
        m_out << "with T.LetStmt(";
        m_exprs.print(node.value);
        if (node.var->pointee) {
            m_out << ", ";
            m_exprs.typeOf(node.var);
        }
        m_out << ") as " << m_names.define(node.var) << ":";
    }
    if (isLast) {
        declareViews(node.var);
        sequence(node.body);
    } else {
        m_out.indent(1);
        declareViews(node.var);
        sequence(node.body);
        m_out.indent(-1);
    }
    m_names.pop();
}

void FunctionPrinter::allocate(const ir::Allocate &node, bool isLast)
{
    const bool takesAnnotations = usesTirx(m_exprs.dialect()); // by T.alloc_buffer
    const ir::DeclBuffer *own = node.annotations.empty() || takesAnnotations ? ownBuffer(node) : nullptr;
    if (own && m_exprs.isScalar(own->buffer))
        return scalarVariable(*own);
    if (own && !m_names.find(node.data))
        return declBuffer(*own, isLast, &node);
    m_out.beginLine();
    m_names.push();
    const std::string name = m_names.define(node.data);
    m_out << (isLast ? name + " = " : "with ")
          << (node.values.empty() ? "T.allocate([" : "T.allocate_const([");
    if (!node.values.empty()) {
        for (const Expr &value : node.values) {
            m_out << (&value == &node.values.front() ? "" : ", ");
            m_exprs.constant(value);
        }
        m_out << "], \"" << node.dtype.str() << "\", [";
        m_exprs.printList(node.extents);
        m_out << "]";
    } else {
        m_exprs.printList(node.extents);
        m_out << "], \"" << node.dtype.str() << "\", ";
        m_exprs.text(node.scope);
    }
    annotationsArgument(node.annotations);
    m_out << (isLast ? ")" : ") as " + name + ":");
    m_out.indent(isLast ? 0 : 1);
    declareViews(node.data);
    sequence(node.body);
    m_out.indent(isLast ? 0 : -1);
    m_names.pop();
}

/// x: T.int32, or x: T.int32 = 1 where the first statement of the body gives it its value.
void FunctionPrinter::scalarVariable(const ir::DeclBuffer &node)
{
    const auto *seq = node.body.as<ir::Seq>();
    const auto *first = (seq ? seq->stmts.front() : node.body).as<ir::BufferStore>();
    const bool hasValue = first && first->buffer == node.buffer && !usesBuffer(first->value, node.buffer);
    m_names.push();
    m_out.beginLine();
    m_out << m_names.define(node.buffer) << ": T." << node.buffer.dtype().str();
    if (hasValue) {
        m_out << " = ";
        m_exprs.print(first->value);
    }
    if (!hasValue)
        sequence(node.body);
    else if (seq)
        for (const Stmt &each : std::span(seq->stmts).subspan(1))
            stmt(each, &each == &seq->stmts.back());
    m_names.pop();
}

void FunctionPrinter::declBuffer(const ir::DeclBuffer &node, bool isLast, const ir::Allocate *own)
{
    const bool allocates = own && usesTirx(m_exprs.dialect());
    const std::string method = allocates ? "alloc_buffer" : "decl_buffer";
    const ir::Attrs annotations = own ? own->annotations : ir::Attrs();
    const ir::Buffer source = own || !isLast ? ir::Buffer() : viewedBuffer(node.buffer);
    m_names.push();
    if (source) {
        const std::string name = *m_names.find(source);
        m_out.beginLine();
        m_out << m_names.define(node.buffer) << " = " << name << ".view(";
        m_exprs.printList(node.buffer.shape());
        m_out << ")";
    } else if (isLast) {
        declareBuffer(node.buffer, method, nullptr, own != nullptr, annotations);
    } else {
        line("with T." + method + "(");
        const std::string name = m_names.define(node.buffer);
        bufferArguments(node.buffer, false, own != nullptr);
        annotationsArgument(annotations);
        m_out << ") as " << name << ":";
    }
    m_out.indent(isLast ? 0 : 1);
    if (own)
        declareViews(node.buffer->data);
    sequence(node.body);
    m_out.indent(isLast ? 0 : -1);
    m_names.pop();
}

void FunctionPrinter::attribute(const ir::AttrStmt &node, bool isLast)
{
    m_out.beginLine();
    if (const auto *region = node.node ? node.node.as<ir::Call>() : nullptr;
        region && region->callee.isOther(regionReference) && node.key == ir::realizeScopeKey) {
        m_out << (isLast ? "" : "with ") << "T.realize(";
        m_exprs.print(node.node);
        m_out << ", ";
        m_exprs.print(node.value);
        m_out << (isLast ? ")" : "):");
        return scoped(node.body, isLast);
    }
    m_out << (isLast ? "" : "with ") << "T.attr(";
    m_exprs.print(node.node);
    m_out << ", ";
    m_exprs.text(node.key);
    m_out << ", ";
    m_exprs.print(node.value);
    m_out << (isLast ? ")" : "):");
    const int firstLine = m_out.line();
    scoped(node.body, isLast);
    noteSpan(ir::markedBlock(node), firstLine);
}

void FunctionPrinter::assertion(const ir::AssertStmt &node, bool isLast)
{
    m_out.beginLine();
    m_out << (isLast ? "assert " : "with T.Assert(");
    m_exprs.print(node.condition);
    m_out << ", ";
    const bool parts = isLast && m_exprs.dialect() >= Dialect::Tvm025;
    m_out << (parts ? "(\"RuntimeError\", [" : "");
    m_exprs.text(node.message);
    m_out << (parts ? "])" : isLast ? "" : "):");
    scoped(node.body, isLast);
}

} // namespace nestwright::script
