// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/c_family.h"
#include "core/codegen/codes.h"
#include "core/codegen/loops.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/node/equality.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/stack_room.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwright::codegen {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

namespace {

/// Arrays up to this size are local variables, all of one function together up to the second.
constexpr std::int64_t localBytes = std::int64_t{32} * 1024;
constexpr std::int64_t allLocalBytes = std::int64_t{256} * 1024;

/// Whether the expression reads memory that may be overwritten.
bool mayChange(const Expr &e)
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        found = found || part.as<ir::BufferLoad>() || part.as<ir::Call>();
        return !found;
    });
    return found;
}

/// Whether an element that `value` reads may be one that another lane of the store has written before.
bool readsOtherLanes(const ir::BufferStore &store)
{
    bool found = false;
    ir::forEachExpr(store.value, [&](const Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        found = found
                || (load && load->buffer->data == store.buffer->data
                    && !ir::structurallyEqual(load->indices.front(), store.indices.front()));
        return !found;
    });
    return found;
}

} // namespace

CodeWriter CFamilyEmitter::body(const Stmt &body, const std::vector<Parameter> &parameters)
{
    m_out = CodeWriter();
    m_names = CNames();
    m_usesError = false;
    m_localBytes = 0;
    m_special.clear();
    m_vectors.clear();
    for (const Parameter &parameter : parameters) {
        const std::string name = nameOf(parameter);
        if (!parameter.isBuffer && parameter.dtype.isFloating() && parameter.dtype.bits == 16)
            m_special[parameter.var] = helper("nw_from_" + suffix(parameter.dtype)) + '(' + name + ')';
    }
    m_out.indent();
    stmt(body);
    return std::move(m_out);
}

void CFamilyEmitter::stmt(const Stmt &s)
{
    support::checkStackRoom();
    switch (s.kind()) {
    case StmtKind::For: return loop(*s.as<ir::For>());
    case StmtKind::Seq:
        for (const Stmt &part : s.as<ir::Seq>()->stmts)
            stmt(part);
        return;
    case StmtKind::BufferStore: return store(*s.as<ir::BufferStore>());
    case StmtKind::IfThenElse: return branch(*s.as<ir::IfThenElse>());
    case StmtKind::Evaluate:
        if (!ir::isNoOp(s))
            m_out.line(code(s.as<ir::Evaluate>()->value) + ';');
        return;
    case StmtKind::LetStmt: {
        const auto &node = *s.as<ir::LetStmt>();
        if (mayWrap(node.value))
            m_fromMemory.insert(node.var);
        if (node.var->dtype.isVector())
            return vectorLet(node);
        const std::string value = code(node.value);
        m_out.line("const " + valueType(node.var->dtype) + ' ' + m_names.of(node.var) + " = " + value + ';');
        return stmt(node.body);
    }
    case StmtKind::AttrStmt: return marked(*s.as<ir::AttrStmt>());
    case StmtKind::Allocate: return allocate(*s.as<ir::Allocate>());
    case StmtKind::DeclBuffer: return stmt(s.as<ir::DeclBuffer>()->body);
    case StmtKind::While:
        return braced("while (" + code(s.as<ir::While>()->condition) + ")", s.as<ir::While>()->body);
    case StmtKind::AssertStmt: {
        const auto &node = *s.as<ir::AssertStmt>();
        m_usesError = true;
        m_out.line("if (!" + code(node.condition, Prefix) + ")");
        m_out.indent();
        m_out.line("nw_error = 3;");
        m_out.outdent();
        return braced("else", node.body);
    }
    case StmtKind::Block: break;
    }
    NW_ASSERT(false, "a block is left in a flat program");
}

void CFamilyEmitter::braced(const std::string &head, const Stmt &body)
{
    m_out.line(head + " {");
    m_out.indent();
    stmt(body);
    m_out.outdent();
    m_out.line("}");
}

/// The lanes become an array: elements that the value reads may be overwritten before the variable is used.
void CFamilyEmitter::vectorLet(const ir::LetStmt &node)
{
    const std::string count = std::to_string(node.var->dtype.lanes);
    const std::string value = code(node.value);
    const std::string name = m_names.of(node.var);
    m_out.line(valueType(node.var->dtype) + ' ' + name + '[' + count + "];");
    m_out.line("for (int lane = 0; lane < " + count + "; ++lane)");
    m_out.indent();
    m_out.line(name + "[lane] = " + value + ';');
    m_out.outdent();
    m_vectors[node.var] = name;
    stmt(node.body);
}

void CFamilyEmitter::marked(const ir::AttrStmt &node)
{
    const ir::StmtId block = ir::markedBlock(node);
    if (!block)
        return stmt(node.body);
    m_out.begin(block);
    stmt(node.body);
    m_out.end(block);
}

void CFamilyEmitter::loop(const ir::For &node)
{
    m_out.begin(node.id);
    m_analyzer.bind(node.var, ir::Range{node.min, node.extent});
    const bool outerSetsError = std::exchange(m_usesError, false);
    CodeWriter outer = std::exchange(m_out, CodeWriter(m_out.depth()));
    const std::string name = m_names.of(node.var);
    const Expr end = m_analyzer.simplify(node.min + node.extent);
    braced("for (" + counterType(node) + ' ' + name + " = " + code(node.min) + "; " + name + " < "
               + code(end, Sum) + "; ++" + name + ")",
           node.body);
    const CodeWriter inner = std::exchange(m_out, std::move(outer));
    loopPragma(node, m_usesError);
    m_out.append(inner);
    m_usesError = m_usesError || outerSetsError;
    m_out.end(node.id);
}

std::string CFamilyEmitter::counterType(const ir::For &) const { return "int64_t"; }

void CFamilyEmitter::loopPragma(const ir::For &node, bool)
{
    if (node.forKind == ir::ForKind::ThreadBinding)
        throw support::UserError(noSuchThreads(node));
}

void CFamilyEmitter::branch(const ir::IfThenElse &node)
{
    const std::string condition = code(node.condition);
    {
        std::optional<arith::Assumption> assumption;
        if (!mayChange(node.condition))
            assumption.emplace(m_analyzer.assume(node.condition));
        braced("if (" + condition + ")", node.thenCase);
    }
    if (node.elseCase)
        braced("else", node.elseCase);
}

void CFamilyEmitter::store(const ir::BufferStore &node)
{
    if (node.buffer.dtype().lanes > 1)
        throw support::UserError(
            support::diagnostic(codes::unsupported, "the elements of '" + node.buffer.name()
                                                        + "' are vectors, which this target has not"));
    const int lanes = node.indices.front().dtype().lanes;
    const std::string toMemory = inMemory(node.value);
    const std::string place = element(node.buffer, node.indices.front());
    if (lanes == 1 && !node.predicate) {
        m_out.line(place + " = " + toMemory + ';');
        return;
    }
    const std::string count = std::to_string(lanes);
    const std::string head = "for (int lane = 0; lane < " + count + "; ++lane)";
    const std::string test = node.predicate ? "if (" + code(node.predicate) + ") " : "";
    if (!readsOtherLanes(node)) {
        m_out.line(head);
        m_out.indent();
        m_out.line(test + place + " = " + toMemory + ';');
        m_out.outdent();
        return;
    }
    m_out.line("{ // all lanes are read before one is written");
    m_out.indent();
    m_out.line(memoryType(node.buffer.dtype()) + " nw_lanes[" + count + "];");
    m_out.line(head);
    m_out.indent();
    m_out.line(test + "nw_lanes[lane] = " + toMemory + ';');
    m_out.outdent();
    m_out.line(head);
    m_out.indent();
    m_out.line(test + place + " = nw_lanes[lane];");
    m_out.outdent();
    m_out.outdent();
    m_out.line("}");
}

void CFamilyEmitter::allocate(const ir::Allocate &node)
{
    const std::string name = m_names.of(node.data);
    const std::string type = memoryType(node.dtype);
    Expr count = 1;
    for (const Expr &extent : node.extents)
        count = count * ir::cast(ir::DataType::int64(), extent);
    const std::int64_t *known = ir::asInt(count);
    const std::int64_t bytes = known ? *known * node.dtype.bytes() : localBytes + 1;
    if (bytes <= localBytes && m_localBytes + bytes <= allLocalBytes) {
        m_localBytes += bytes;
        m_out.line("_Alignas(64) " + type + ' ' + name + '[' + std::to_string(*known) + "];");
        stmt(node.body);
    } else {
        m_headers.insert("stdlib.h");
        m_usesError = true;
        m_out.line(type + " *" + name + " = (" + type + " *)malloc((size_t)" + code(count, Prefix)
                   + " * sizeof *" + name + ");");
        m_out.line("if (" + name + " == NULL)");
        m_out.indent();
        m_out.line("nw_error = 2;");
        m_out.outdent();
        braced("else", node.body);
        m_out.line("free(" + name + ");");
    }
}

} // namespace nestwright::codegen
