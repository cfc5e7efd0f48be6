// SPDX-License-Identifier: Apache-2.0
/// Printing expressions, regions and attributes of TVMScript.
#pragma once

#include "core/ir/node/attr.h"
#include "core/script/print/name_table.h"
#include "core/script/print/operator_spelling.h"
#include "core/script/print/printer.h"
#include "core/script/print/scalar_variables.h"
#include "core/script/print/text_writer.h"

#include <span>

namespace nestwright::script {

class ExprPrinter {
public:
    ExprPrinter(TextWriter &out, NameTable &names, Dialect dialect)
        : m_out(out)
        , m_names(names)
        , m_dialect(dialect)
    {
    }

    /// Prints `e`, in brackets where it binds less tightly than `least`.
    void print(const ir::Expr &e, Precedence least = Precedence::Any);
    void printList(std::span<const ir::Expr> items);
    /// (a, b) — with one item (a,)
    void printTuple(std::span<const ir::Expr> items);
    void var(const ir::Var &var);
    void buffer(const ir::Buffer &buffer);
    /// `A[i, 0:4]`. Later versions read a slice in a load as a region, so that only stores may have slices
    /// there.
    void element(const ir::Buffer &target, std::span<const ir::Expr> indices, bool isStore);
    void region(const ir::BufferRegion &region);
    void attr(const ir::AttrValue &value);
    void attrs(const ir::Attrs &attrs);
    void text(const std::string &value);
    /// A number without its type: 1, 1.5, True
    void constant(const ir::Expr &e);
    /// T.int32, T.handle or T.handle("float32", "global")
    void typeOf(const ir::Var &var);

    /// Uses of `var` are noted as uses of the loop from now on.
    void setLoop(const ir::Var &var, ir::StmtId loop) { m_loops[var] = loop; }
    std::vector<VarUse> takeUses() { return std::move(m_uses); }
    Dialect dialect() const { return m_dialect; }
    /// Buffers of one element that are written as variables.
    void setScalars(BufferSet scalars) { m_scalars = std::move(scalars); }
    bool isScalar(const ir::Buffer &buffer) const { return m_scalars.contains(buffer); }
    /// Whether `call` is written as an operator (`a & b`), as later versions do.
    bool isOperator(const ir::Call &call) const;

private:
    Precedence precedence(const ir::Expr &e) const;
    void node(const ir::Expr &e);
    void intImm(const ir::IntImm &e);
    void floatImm(const ir::FloatImm &e);
    void binary(const ir::Binary &e);
    void load(const ir::BufferLoad &e);
    void call(const ir::Call &e);
    void index(const ir::Expr &index, bool slices);
    bool object(const ir::Call &e);
    void reducer(const ir::Call &e);
    void indexMap(const ir::Call &e);
    std::string_view intrinsicName(std::string_view name) const;
    void prefetch(const ir::Call &e);
    void record(const ir::AttrRecord &record);

    TextWriter &m_out;
    NameTable &m_names;
    Dialect m_dialect;
    BufferSet m_scalars;
    ir::VarMap<ir::StmtId> m_loops;
    std::vector<VarUse> m_uses;
};

} // namespace nestwright::script
