// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/function_printer.h"

#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <optional>

namespace nestwright::script {

using ir::Buffer;
using ir::Expr;
using ir::Var;

FunctionPrinter::FunctionPrinter(TextWriter &out, const ir::PrimFunc &function, const PrintStyle &style)
    : m_out(out)
    , m_function(function)
    , m_facts(factsOf(function))
    , m_exprs(out, m_names, style.dialect)
    , m_splitsGrids(style.splitsGrids)
{
    if (style.dialect >= Dialect::Tvm025)
        m_exprs.setScalars(scalarVariables(function.body));
    if (style.dialect >= Dialect::Tvm027)
        m_typeParams = typeParams();
    for (const Var &size : m_typeParams)
        m_names.define(size);
}

std::vector<std::string> FunctionPrinter::typeParamNames() const
{
    std::vector<std::string> names;
    for (const Var &size : m_typeParams)
        names.push_back(*m_names.find(size));
    return names;
}

void FunctionPrinter::print(const std::string &name)
{
    head(name);
    m_out.indent(1);
    functionAttrs(name);
    matchParams();
    std::vector<Var> unnamed;
    for (const Var &var : m_facts.freeVars) {
        if (!m_names.find(var))
            unnamed.push_back(var);
    }
    for (const Var &var : unnamed)
        defineVars({var});
    for (const ir::Param &param : m_function.params) {
        const ir::BufferNode *buffer = param.buffer.get();
        declareViews(buffer ? buffer->data : param.var);
    }
    for (const Var &var : unnamed)
        declareViews(var);
    for (const Buffer &orphan : m_facts.orphans) {
        const bool isFirst = !m_names.find(orphan->data);
        declareBuffer(orphan, "Buffer", nullptr, isFirst);
    }
    if (const ir::Block *root = impliedRoot()) {
        m_out.beginLine();
        m_out << "# with " << blockFunction() << "(\"root\"):";
        const int firstLine = m_out.line();
        for (const Buffer &buffer : root->allocBuffers) {
            declareBuffer(buffer, allocFunction(), nullptr, !m_names.find(buffer->data));
            declareViews(buffer->data);
        }
        sequence(root->body);
        noteSpan(root->id, firstLine);
    } else {
        sequence(m_function.body);
    }
    m_out.indent(-1);
    std::ranges::stable_sort(m_spans, {}, &LineSpan::firstLine);
}

void FunctionPrinter::head(const std::string &name)
{
    std::string arguments;
    if (!ir::attribute(m_function.attrs, ir::globalSymbolKey))
        arguments = "private=True";
    if (m_exprs.dialect() >= Dialect::Tvm025)
        arguments += arguments.empty() ? "s_tir=True" : ", s_tir=True";
    line("@T.prim_func");
    if (!arguments.empty())
        m_out << "(" << arguments << ")";
    line("def ");
    m_out << name << "(";
    bool first = true;
    for (const ir::Param &param : m_function.params) {
        if (!first)
            m_out << ", ";
        first = false;
        if (!isInlineParam(param)) {
            m_out << m_names.define(param.var) << ": ";
            m_exprs.typeOf(param.var);
            continue;
        }
        const std::string bufferName = m_names.define(param.buffer);
        m_names.alias(param.buffer->data, bufferName + ".data");
        m_owners[param.buffer->data] = param.buffer;
        m_out << bufferName << ": T.Buffer(";
        m_exprs.printTuple(param.buffer.shape());
        m_out << ", \"" << param.buffer.dtype().str() << "\")";
    }
    m_out << ")";
    if (m_function.returnType.code != ir::TypeCode::Void)
        m_out << " -> T." << m_function.returnType.str();
    m_out << ":";
}

/// A compact global buffer whose shape is known from the text before it can be written as the type of its
/// parameter.
bool FunctionPrinter::isInlineParam(const ir::Param &param) const
{
    return isPlainParam(param) && std::ranges::all_of(param.buffer.shape(), [&](const Expr &extent) {
               return std::ranges::all_of(ir::variablesOf(extent), [&](const Var &var) {
                   return std::ranges::contains(m_typeParams, var);
               });
           });
}

/// The sizes of the buffers that can be written so if their sizes are type parameters, which are all of
/// int64. One that is a parameter itself is none of them.
std::vector<Var> FunctionPrinter::typeParams() const
{
    std::vector<Var> sizes;
    for (const ir::Param &param : m_function.params) {
        if (!isPlainParam(param))
            continue;
        std::vector<Var> vars;
        for (const Expr &extent : param.buffer.shape())
            ir::forEachExpr(extent, [&](const Expr &part) {
                if (part.as<ir::VarNode>())
                    vars.push_back(Var::from(part));
                return true;
            });
        const bool canBe = std::ranges::all_of(vars, [&](const Var &var) {
            return var.dtype() == ir::DataType::int64()
                   && std::ranges::none_of(m_function.params,
                                           [&](const ir::Param &other) { return other.var == var; });
        });
        for (const Var &var : vars) {
            if (canBe && !std::ranges::contains(sizes, var))
                sizes.push_back(var);
        }
    }
    std::ranges::stable_sort(sizes, {}, [](const Var &var) { return var.name(); });
    return sizes;
}

bool FunctionPrinter::isPlainParam(const ir::Param &param) const
{
    const Buffer &buffer = param.buffer;
    if (!buffer || m_facts.usedHandles.contains(param.var) || !buffer->strides.empty()
        || buffer->scope != "global" || buffer->alignment != 64 || buffer->offsetFactor != 1
        || !buffer->axisSeparators.empty() || !buffer.hasDefaultOffset())
        return false;
    const auto sharesPointer = std::ranges::count_if(m_function.params, [&](const ir::Param &other) {
        return other.buffer && other.buffer->data == buffer->data;
    });
    return sharesPointer == 1;
}

void FunctionPrinter::functionAttrs(const std::string &name)
{
    ir::Attrs shown = m_function.attrs;
    if (const std::string *symbol = ir::globalSymbol(m_function); symbol && *symbol == name)
        shown.erase(std::string(ir::globalSymbolKey));
    if (shown.empty())
        return;
    line("T.func_attr(");
    m_exprs.attrs(shown);
    m_out << ")";
}

void FunctionPrinter::matchParams()
{
    for (const ir::Param &param : m_function.params) {
        if (param.buffer && !m_names.find(param.buffer))
            declareBuffer(
                param.buffer, "match_buffer", [&] { m_exprs.var(param.var); },
                !m_names.find(param.buffer->data));
    }
}

/// The root block where TVM leaves it unwritten: it says nothing of its own and its body shows that it is
/// there.
const ir::Block *FunctionPrinter::impliedRoot() const
{
    const ir::Block *root = m_function.root();
    if (!root || !root->iterVars.empty() || !ir::isTrue(root->predicate) || !root->annotations.empty()
        || !root->matchBuffers.empty() || !root->reads.empty() || !root->writes.empty() || root->init)
        return nullptr;
    if (!root->allocBuffers.empty())
        return root;
    if (const auto *inner = root->body.as<ir::Block>())
        return inner->iterVars.empty() ? nullptr : root;
    bool hasBlock = false;
    ir::forEachStmt(root->body, [&](const ir::Stmt &s) {
        hasBlock = hasBlock || s.as<ir::Block>();
        return !hasBlock;
    });
    return hasBlock ? root : nullptr;
}

/// n = T.int32(), or n, m = T.int32(), T.int32()
void FunctionPrinter::defineVars(const std::vector<Var> &vars)
{
    if (vars.empty())
        return;
    m_out.beginLine();
    for (const Var &var : vars)
        m_out << (&var == &vars.front() ? "" : ", ") << m_names.define(var);
    m_out << " = ";
    for (const Var &var : vars) {
        m_out << (&var == &vars.front() ? "" : ", ");
        m_exprs.typeOf(var);
        m_out << (var->pointee ? "" : "()");
    }
}

// Buffers.

/// Names the strides and the offset that only this declaration defines; says which strides those are, the
/// offset last.
std::vector<bool> FunctionPrinter::nameInlineVars(const Buffer &buffer, const std::string &name)
{
    std::vector<bool> isInline;
    const auto consider = [&](const Expr &e, const std::string &text) {
        const bool defines = definesInline(buffer, e) && !m_names.find(Var::from(e));
        if (defines)
            m_names.alias(Var::from(e), text);
        isInline.push_back(defines);
    };
    for (std::size_t i = 0; i < buffer->strides.size(); ++i)
        consider(buffer->strides[i], name + ".strides[" + std::to_string(i) + "]");
    consider(buffer->elemOffset, name + ".elem_offset");
    return isInline;
}

void FunctionPrinter::declareBuffer(const Buffer &buffer, std::string_view method,
                                    const std::function<void()> &first, bool ownsMemory,
                                    const ir::Attrs &annotations)
{
    // Symbolic sizes come first, in the order of the shape.
    std::vector<Var> sizes;
    const auto collect = [&](const Expr &e) {
        if (e)
            ir::forEachExpr(e, [&](const Expr &part) {
                const Var var = Var::from(part);
                if (var && !m_names.find(var) && std::ranges::find(sizes, var) == sizes.end())
                    sizes.push_back(var);
                return true;
            });
    };
    for (const Expr &extent : buffer.shape())
        collect(extent);
    for (const Expr &stride : buffer->strides) {
        if (!definesInline(buffer, stride))
            collect(stride);
    }
    if (!definesInline(buffer, buffer->elemOffset))
        collect(buffer->elemOffset);
    defineVars(sizes);
    m_out.beginLine();
    m_out << m_names.define(buffer) << " = T." << method << "(";
    if (first)
        first();
    bufferArguments(buffer, first != nullptr, ownsMemory);
    annotationsArgument(annotations);
    m_out << ")";
}

void FunctionPrinter::annotationsArgument(const ir::Attrs &annotations)
{
    if (annotations.empty())
        return;
    m_out << ", annotations=";
    m_exprs.attrs(annotations);
}

void FunctionPrinter::bufferArguments(const Buffer &buffer, bool comma, bool ownsMemory)
{
    const std::string name = *m_names.find(buffer);
    if (comma)
        m_out << ", ";
    m_exprs.printTuple(buffer.shape());
    if (buffer.dtype() != ir::DataType::float32())
        m_out << ", \"" << buffer.dtype().str() << "\"";
    if (ownsMemory) {
        m_names.alias(buffer->data, name + ".data");
        m_owners[buffer->data] = buffer;
    } else {
        m_out << ", data=";
        m_exprs.var(buffer->data);
    }
    const std::vector<bool> isInline = nameInlineVars(buffer, name);
    if (!buffer->strides.empty()) {
        m_out << ", strides=(";
        for (std::size_t i = 0; i < buffer->strides.size(); ++i) {
            if (i != 0)
                m_out << ", ";
            if (isInline[i])
                m_exprs.text(Var::from(buffer->strides[i]).name());
            else
                m_exprs.print(buffer->strides[i]);
        }
        m_out << (buffer->strides.size() == 1 ? ",)" : ")");
    }
    if (!buffer.hasDefaultOffset() && !isInline.back()) {
        m_out << ", elem_offset=";
        m_exprs.print(buffer->elemOffset);
    }
    if (buffer->scope != "global") {
        m_out << ", scope=";
        m_exprs.text(buffer->scope);
    }
    if (buffer->alignment != 64)
        m_out << ", align=" << std::to_string(buffer->alignment);
    if (isInline.back() || buffer->offsetFactor != 1)
        m_out << ", offset_factor=" << std::to_string(buffer->offsetFactor);
    if (!buffer->axisSeparators.empty()) {
        std::string separators;
        for (const int separator : buffer->axisSeparators)
            separators += (separators.empty() ? "" : ", ") + std::to_string(separator);
        m_out << ", axis_separators=[" << separators << "]";
    }
}

Buffer FunctionPrinter::viewedBuffer(const Buffer &view) const
{
    const auto found = m_owners.find(view->data);
    if (m_exprs.dialect() < Dialect::Tvm025 || found == m_owners.end() || !m_names.find(found->second))
        return {};
    const auto isPlain = [](const Buffer &buffer) {
        return buffer->strides.empty() && buffer.hasDefaultOffset() && buffer->alignment == 64
               && buffer->offsetFactor == 1 && buffer->axisSeparators.empty();
    };
    const auto size = [](const Buffer &buffer) -> std::optional<std::int64_t> {
        std::int64_t count = 1;
        for (const Expr &extent : buffer.shape()) {
            const std::int64_t *number = ir::asInt(extent);
            if (!number || __builtin_mul_overflow(count, *number, &count))
                return std::nullopt;
        }
        return count;
    };
    const Buffer &owner = found->second;
    const bool isView = isPlain(view) && isPlain(owner) && view.dtype() == owner.dtype()
                        && view->scope == owner->scope && !view.shape().empty() && size(view)
                        && size(view) == size(owner);
    return isView ? owner : Buffer();
}

void FunctionPrinter::declareViews(const Var &data)
{
    const auto views = m_facts.undeclared.find(data);
    if (views == m_facts.undeclared.end())
        return;
    for (const Buffer &view : views->second) {
        if (!m_names.find(view))
            declareBuffer(view, "Buffer", nullptr, false);
    }
}

} // namespace nestwright::script
