// SPDX-License-Identifier: Apache-2.0
// Blocks of TVMScript.
#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/equality.h"
#include "core/script/print/function_printer.h"
#include "core/script/tvmscript/parser.h"

#include <array>

namespace nestwright::script {

using ir::Expr;

void FunctionPrinter::block(const ir::Block &block)
{
    m_out.beginLine();
    const int firstLine = m_out.line();
    m_out << "with " << blockFunction() << "(";
    m_exprs.text(block.name);
    m_out << "):";
    m_out.indent(1);
    m_names.push();
    iterVars(block);
    if (!ir::isTrue(block.predicate)) {
        line("T.where(");
        m_exprs.print(block.predicate);
        m_out << ")";
    }
    const ir::AttrValue *detect = ir::attribute(block.annotations, detectAccessKey);
    const std::int64_t *mask = detect ? detect->asInt() : nullptr;
    const std::int64_t missing = mask ? *mask : 0;
    if ((missing & 1) == 0)
        regions("T.reads", block.reads);
    if ((missing & 2) == 0)
        regions("T.writes", block.writes);
    blockAttrs(block);
    for (const ir::Buffer &buffer : block.allocBuffers) {
        declareBuffer(buffer, allocFunction(), nullptr, !m_names.find(buffer->data));
        declareViews(buffer->data);
    }
    for (const ir::MatchBuffer &match : block.matchBuffers) {
        declareBuffer(match.buffer, "match_buffer", [&] { m_exprs.region(match.source); }, true);
        declareViews(match.buffer->data);
    }
    if (block.init) {
        line("with T.init():");
        body(block.init);
    }
    sequence(block.body);
    m_names.pop();
    m_out.indent(-1);
    noteSpan(block.id, firstLine);
}

bool FunctionPrinter::isRemappable(const ir::Block &block, std::size_t i) const
{
    const ir::IterVar &iter = block.iterVars[i];
    const ir::Var loop = ir::Var::from(block.iterValues[i]);
    if ((iter.kind != ir::IterKind::Spatial && iter.kind != ir::IterKind::Reduce) || !loop)
        return false;
    const auto range = m_loops.find(loop);
    return range != m_loops.end() && ir::structurallyEqual(range->second.min, iter.domain.min)
           && ir::structurallyEqual(range->second.extent, iter.domain.extent);
}

/// Two or more neighbours that stand for whole loops share one T.axis.remap.
void FunctionPrinter::iterVars(const ir::Block &block)
{
    for (std::size_t i = 0; i < block.iterVars.size();) {
        std::size_t end = i;
        while (end < block.iterVars.size() && isRemappable(block, end))
            ++end;
        if (end < i + 2) {
            iterVar(block.iterVars[i], block.iterValues[i]);
            ++i;
            continue;
        }
        m_out.beginLine();
        std::string names, kinds;
        for (std::size_t k = i; k < end; ++k) {
            names += (names.empty() ? "" : ", ") + m_names.define(block.iterVars[k].var);
            kinds += block.iterVars[k].kind == ir::IterKind::Spatial ? 'S' : 'R';
        }
        m_out << names << " = T.axis.remap(\"" << kinds << "\", [";
        m_exprs.printList(std::span(block.iterValues).subspan(i, end - i));
        m_out << "])";
        i = end;
    }
}

void FunctionPrinter::iterVar(const ir::IterVar &iter, const Expr &value)
{
    m_out.beginLine();
    const std::string name = m_names.define(iter.var);
    m_out << name << " = T.axis.";
    switch (iter.kind) {
    case ir::IterKind::Spatial: m_out << "spatial("; break;
    case ir::IterKind::Reduce: m_out << "reduce("; break;
    case ir::IterKind::Scan: m_out << "scan("; break;
    case ir::IterKind::Opaque: m_out << "opaque("; break;
    }
    if (ir::isConstInt(iter.domain.min, 0))
        m_exprs.print(iter.domain.extent);
    else
        m_exprs.printTuple(std::array{iter.domain.min, iter.domain.min + iter.domain.extent});
    m_out << ", ";
    m_exprs.print(value);
    m_out << ")";
}

void FunctionPrinter::regions(std::string_view function, const std::vector<ir::BufferRegion> &regions)
{
    m_out.beginLine();
    m_out << function << "(";
    for (std::size_t i = 0; i < regions.size(); ++i) {
        if (i != 0)
            m_out << ", ";
        m_exprs.region(regions[i]);
    }
    m_out << ")";
}

void FunctionPrinter::blockAttrs(const ir::Block &block)
{
    ir::Attrs shown = block.annotations;
    shown.erase(std::string(detectAccessKey));
    if (shown.empty())
        return;
    m_out.beginLine();
    m_out << blockFunction() << "_attr(";
    m_exprs.attrs(shown);
    m_out << ")";
}

} // namespace nestwright::script
