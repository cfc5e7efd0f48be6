// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/artifact.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

/// Names that no function of C may take. "main" would be the program's own.
constexpr std::array<std::string_view, 37> reserved{
    "auto",   "break",    "case",   "char",   "const",    "continue", "default", "do",
    "double", "else",     "enum",   "extern", "float",    "for",      "goto",    "if",
    "inline", "int",      "long",   "main",   "register", "restrict", "return",  "short",
    "signed", "sizeof",   "static", "struct", "switch",   "typedef",  "union",   "unsigned",
    "void",   "volatile", "while",  "exp",    "log"};

Argument bufferArgument(const ir::Buffer &buffer)
{
    Argument argument;
    argument.kind = Argument::Kind::Buffer;
    argument.name = buffer.name();
    argument.dtype = buffer.dtype();
    for (const ir::Expr &extent : buffer.shape()) {
        const std::int64_t *known = ir::asInt(extent);
        argument.shape.push_back(known ? *known : -1);
    }
    return argument;
}

/// The free variables of the parameters' shapes, strides and offsets, in order of appearance.
std::vector<ir::Var> freeSizes(const ir::PrimFunc &function)
{
    ir::VarSet known;
    for (const ir::Param &param : function.params)
        known.insert(param.var);
    std::vector<ir::Var> sizes;
    const auto look = [&](const ir::Expr &e) {
        ir::forEachExpr(e, [&](const ir::Expr &part) {
            if (part.as<ir::VarNode>() && known.insert(ir::Var::from(part)).second)
                sizes.push_back(ir::Var::from(part));
            return true;
        });
    };
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        std::ranges::for_each(param.buffer->shape, look);
        std::ranges::for_each(param.buffer->strides, look);
        if (param.buffer->elemOffset)
            look(param.buffer->elemOffset);
    }
    return sizes;
}

} // namespace

const Entry *Artifact::find(std::string_view name) const
{
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found == entries.end() ? nullptr : &*found;
}

const Entry *Artifact::mainEntry() const
{
    if (const Entry *entry = find("main"))
        return entry;
    return entries.size() == 1 ? &entries.front() : nullptr;
}

Result<Signature> signatureOf(const ir::PrimFunc &function)
{
    Signature signature;
    for (const ir::Param &param : function.params) {
        Argument argument;
        if (param.buffer) {
            argument = bufferArgument(param.buffer);
        } else {
            argument.kind = Argument::Kind::Scalar;
            argument.name = param.var.name();
            argument.dtype = param.var->dtype;
        }
        signature.arguments.push_back(std::move(argument));
        signature.variables.push_back(param.var);
    }
    for (const ir::Var &size : freeSizes(function)) {
        Argument argument;
        argument.kind = Argument::Kind::Size;
        argument.name = size.name();
        argument.dtype = size->dtype;
        for (std::size_t i = 0; i < function.params.size() && argument.buffer < 0; ++i) {
            const ir::Buffer &buffer = function.params[i].buffer;
            for (std::size_t d = 0; buffer && d < buffer.shape().size() && argument.buffer < 0; ++d) {
                if (buffer.shape()[d].same(size)) {
                    argument.buffer = static_cast<int>(i);
                    argument.dimension = static_cast<int>(d);
                }
            }
        }
        if (argument.buffer < 0)
            return fail(
                support::diagnostic("backend.symbolic-size", "the size '" + size.name()
                                                                 + "' is no dimension of any parameter, so a "
                                                                   "call cannot know it")
                    .withHint("make it a parameter of the function"));
        signature.arguments.push_back(std::move(argument));
        signature.variables.push_back(size);
    }
    return signature;
}

std::vector<Entry> Unit::entries() const
{
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < signatures.size(); ++i) {
        const ir::Module::Entry &function = flat.functions()[i];
        entries.push_back({function.name, symbolOf(function), signatures[i].arguments});
    }
    return entries;
}

std::string symbolOf(const ir::Module::Entry &entry)
{
    std::string symbol = entry.name;
    if (const std::string *given = ir::globalSymbol(*entry.function); given && !given->empty())
        symbol = *given;
    for (char &c : symbol) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            c = '_';
    }
    if (symbol.empty() || std::isdigit(static_cast<unsigned char>(symbol.front())) != 0)
        symbol.insert(0, "_");
    if (std::ranges::find(reserved, symbol) != reserved.end())
        symbol += "_kernel";
    return symbol;
}

} // namespace nestwright::backend
