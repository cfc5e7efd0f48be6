// SPDX-License-Identifier: Apache-2.0
/// Printing one function of TVMScript.
#pragma once

#include "core/script/print/expr_printer.h"
#include "core/script/print/function_facts.h"

#include <functional>

namespace nestwright::script {

class FunctionPrinter {
public:
    FunctionPrinter(TextWriter &out, const ir::PrimFunc &function, const PrintStyle &style);

    void print(const std::string &name);
    /// Names of the sizes that the file declares before all functions: `n = TypeVar("n")`.
    std::vector<std::string> typeParamNames() const;
    /// Whether it uses buffers that nothing declares, by `T.Buffer(…)`.
    bool hasUndeclared() const { return !m_facts.undeclared.empty() || !m_facts.orphans.empty(); }

    std::vector<LineSpan> takeSpans() { return std::move(m_spans); }
    std::vector<VarUse> takeUses() { return m_exprs.takeUses(); }

private:
    // Head (function_printer.cpp).
    void head(const std::string &name);
    void functionAttrs(const std::string &name);
    void matchParams();
    bool isInlineParam(const ir::Param &param) const;
    bool isPlainParam(const ir::Param &param) const;
    std::vector<ir::Var> typeParams() const;
    const ir::Block *impliedRoot() const;
    void defineVars(const std::vector<ir::Var> &vars);

    // Buffers.
    /// `A = T.<method>(first, shape, …)`, and names for A and the variables that its declaration defines.
    void declareBuffer(const ir::Buffer &buffer, std::string_view method, const std::function<void()> &first,
                       bool ownsMemory, const ir::Attrs &annotations = {});
    void bufferArguments(const ir::Buffer &buffer, bool comma, bool ownsMemory);
    void annotationsArgument(const ir::Attrs &annotations);
    std::vector<bool> nameInlineVars(const ir::Buffer &buffer, const std::string &name);
    /// The buffer that `view` shows whole, in another shape, where the dialect has a word for that; else
    /// null.
    ir::Buffer viewedBuffer(const ir::Buffer &view) const;
    /// Views of the memory behind `data` that nothing declares.
    void declareViews(const ir::Var &data);

    // Statements (stmt_printer.cpp); `isLast` in its body, so that a scope to its end needs no `with`.
    void body(const ir::Stmt &s);
    void sequence(const ir::Stmt &s);
    void stmt(const ir::Stmt &s, bool isLast);
    void forLoop(const ir::For &loop);
    std::vector<const ir::For *> gridOf(const ir::For &loop) const;
    void grid(const std::vector<const ir::For *> &loops);
    void rangeArguments(const ir::For &loop);
    void defineLoop(const ir::For &loop);
    void noteSpan(ir::StmtId id, int firstLine);
    void block(const ir::Block &block);
    void iterVars(const ir::Block &block);
    bool isRemappable(const ir::Block &block, std::size_t i) const;
    void iterVar(const ir::IterVar &iter, const ir::Expr &value);
    void regions(std::string_view function, const std::vector<ir::BufferRegion> &regions);
    void blockAttrs(const ir::Block &block);
    void store(const ir::BufferStore &store);
    void ifThenElse(const ir::IfThenElse &node);
    void evaluate(const ir::Expr &value);
    void let(const ir::LetStmt &node, bool isLast);
    void allocate(const ir::Allocate &node, bool isLast);
    /// `own` is the allocation of exactly this buffer, with which it is written together; null where there is
    /// none.
    void declBuffer(const ir::DeclBuffer &node, bool isLast, const ir::Allocate *own);
    void scalarVariable(const ir::DeclBuffer &node);
    void attribute(const ir::AttrStmt &node, bool isLast);
    void assertion(const ir::AssertStmt &node, bool isLast);
    /// `body` in the same block of statements, or indented below a `with` that ends the present line.
    void scoped(const ir::Stmt &s, bool concise);
    void line(std::string_view text)
    {
        m_out.beginLine();
        m_out << text;
    }
    std::string_view blockFunction() const { return usesTirx(m_exprs.dialect()) ? "T.sblock" : "T.block"; }
    std::string_view allocFunction() const
    {
        return usesTirx(m_exprs.dialect()) ? "sblock_alloc_buffer" : "alloc_buffer";
    }

    TextWriter &m_out;
    const ir::PrimFunc &m_function;
    FunctionFacts m_facts;
    NameTable m_names;
    ExprPrinter m_exprs;
    std::vector<ir::Var> m_typeParams; ///< sizes, by their names
    bool m_splitsGrids;
    ir::VarMap<ir::Buffer> m_owners; ///< the buffers whose names stand for their pointers
    ir::VarMap<ir::Range> m_loops;
    std::vector<LineSpan> m_spans;
};

} // namespace nestwright::script
