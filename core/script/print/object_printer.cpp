// SPDX-License-Identifier: Apache-2.0
// Attributes, and objects of programs that are no computed values.
#include "core/ir/build/builder.h"
#include "core/ir/build/custom_intrinsics.h"
#include "core/script/print/expr_printer.h"
#include "core/script/tvmscript/objects.h"

#include <cmath>

namespace nestwright::script {

using ir::Expr;

/// Whether `e` is no intrinsic but one of the references of tvmscript/objects.h, which is then written.
bool ExprPrinter::object(const ir::Call &e)
{
    if (e.callee.isOther(reducerCall)) {
        reducer(e);
    } else if (e.callee.isOther(indexMapCall)) {
        indexMap(e);
    } else if (e.callee.isOther(prefetchCall)) {
        prefetch(e);
    } else if (e.callee.isOther(bufferReference)) {
        buffer(e.args.front().as<ir::BufferLoad>()->buffer);
    } else if (e.callee.isOther(regionReference)) {
        region(regionOf(e));
    } else if (e.callee.isOther(listReference)) {
        m_out << "[";
        printList(e.args);
        m_out << "]";
    } else if (e.callee.isOther(iterVarReference)) {
        m_out << "T.iter_var(";
        print(e.args[0]);
        m_out << ", None, ";
        printList(std::span(e.args).subspan(1));
        m_out << ")";
    } else if (e.callee.isOther(ir::functionCall)) {
        m_out << "Module." << e.args.front().as<ir::StringImm>()->value << "(";
        printList(std::span(e.args).subspan(1));
        m_out << ")";
    } else {
        return false;
    }
    return true;
}

/// T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)])
void ExprPrinter::reducer(const ir::Call &e)
{
    const std::size_t count = e.args.size() / 4;
    const std::span<const Expr> all(e.args);
    m_names.push();
    m_out << "T.comm_reducer(lambda ";
    for (std::size_t i = 0; i < 2 * count; ++i)
        m_out << (i == 0 ? "" : ", ") << m_names.define(ir::Var::from(all[i]));
    m_out << ": ";
    if (count == 1)
        print(all[2]);
    else
        printTuple(all.subspan(2 * count, count));
    m_names.pop();
    m_out << ", [";
    printList(all.subspan(3 * count));
    m_out << "])";
}

/// T.index_map(lambda i, j: (i // T.int64(4), j), inverse_index_map=lambda …: (…))
void ExprPrinter::indexMap(const ir::Call &e)
{
    const IndexMapParts parts = indexMapParts(e);
    const auto lambda = [&](std::span<const Expr> variables, const Expr &results) {
        m_names.push();
        m_out << "lambda";
        for (std::size_t i = 0; i < variables.size(); ++i)
            m_out << (i == 0 ? " " : ", ") << m_names.define(ir::Var::from(variables[i]));
        m_out << ": ";
        printTuple(results.as<ir::Call>()->args);
        m_names.pop();
    };
    // The inverse takes the results of the map.
    const std::size_t inverted = parts.results.size() == 2 ? parts.results[0].as<ir::Call>()->args.size() : 0;
    const std::size_t count = parts.variables.size() - inverted;
    m_out << "T.index_map(";
    lambda(parts.variables.first(count), parts.results[0]);
    if (inverted != 0) {
        m_out << ", inverse_index_map=";
        lambda(parts.variables.subspan(count), parts.results[1]);
    }
    m_out << ")";
}

/// T.prefetch(A, [T.Range(0, 4)])
void ExprPrinter::prefetch(const ir::Call &e)
{
    const auto &target = *e.args.front().as<ir::Call>();
    m_out << "T.prefetch(";
    const bool isRegion = target.callee.isOther(regionReference);
    buffer(target.args.front().as<ir::BufferLoad>()->buffer);
    m_out << ", [";
    const ir::BufferRegion region = isRegion ? regionOf(target) : ir::BufferRegion{};
    for (std::size_t i = 0; i < region.region.size(); ++i) {
        m_out << (i == 0 ? "T.Range(" : ", T.Range(");
        print(region.region[i].min);
        m_out << ", ";
        print(region.region[i].min + region.region[i].extent);
        m_out << ")";
    }
    m_out << "])";
}

void ExprPrinter::constant(const Expr &e)
{
    const auto *number = e.as<ir::FloatImm>();
    const std::int64_t *integer = ir::asInt(e);
    if (number && std::isfinite(number->value))
        m_out << floatText(numberOf(*number));
    else if (integer && e.dtype().isBool())
        m_out << (*integer != 0 ? "True" : "False");
    else if (integer && e.dtype() != ir::DataType::uint(64))
        m_out << std::to_string(*integer);
    else
        print(e);
}

void ExprPrinter::typeOf(const ir::Var &var)
{
    m_out << "T." << var->dtype.str();
    if (!var->pointee)
        return;
    m_out << "(\"" << var->pointee->dtype.str() << "\", ";
    text(var->pointee->scope);
    m_out << ")";
}

/// {"key": value}, T.target({"kind": "cuda"}) or T.target("cuda", host="llvm")
void ExprPrinter::record(const ir::AttrRecord &record)
{
    if (!record.function.empty())
        m_out << "T." << record.function << "(";
    const auto plain = record.items.find("");
    if (plain == record.items.end() || record.function.empty()) {
        attrs(record.items);
    } else {
        attr(plain->second);
        for (const auto &[key, value] : record.items) {
            if (key.empty())
                continue;
            m_out << ", " << key << "=";
            attr(value);
        }
    }
    if (!record.function.empty())
        m_out << ")";
}

void ExprPrinter::attr(const ir::AttrValue &value)
{
    if (const auto *list = value.asList()) {
        m_out << "[";
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (i != 0)
                m_out << ", ";
            attr((*list)[i]);
        }
        m_out << "]";
        return;
    }
    if (const ir::Buffer *buffer = value.asBuffer())
        return this->buffer(*buffer);
    if (const ir::AttrRecord *record = value.asRecord())
        return this->record(*record);
    const Expr &e = *value.asExpr();
    if (e && e.dtype().isBool() && ir::asInt(e))
        m_out << (ir::isTrue(e) ? "True" : "False");
    else if (const auto *number = e.as<ir::FloatImm>();
             number && number->dtype == ir::DataType::float_(64) && std::isfinite(number->value))
        m_out << floatText(number->value);
    else
        print(e);
}

void ExprPrinter::attrs(const ir::Attrs &attrs)
{
    m_out << "{";
    bool first = true;
    for (const auto &[key, value] : attrs) {
        if (!first)
            m_out << ", ";
        first = false;
        text(usesTirx(m_dialect) && key.starts_with("tir.") ? "tirx." + key.substr(4) : key);
        m_out << ": ";
        attr(value);
    }
    m_out << "}";
}

} // namespace nestwright::script
