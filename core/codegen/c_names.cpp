// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/c_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace nestwright::codegen {

namespace {

constexpr auto reservedWords = std::to_array<std::string_view>({
    "abs",    "and",      "asm",       "auto",     "bool",    "break",    "case",    "catch",    "ceil",
    "char",   "class",    "const",     "continue", "cos",     "cosh",     "default", "delete",   "div",
    "do",     "double",   "else",      "enum",     "erf",     "exp",      "exp2",    "explicit", "extern",
    "false",  "float",    "floor",     "fma",      "fmax",    "fmin",     "for",     "free",     "gamma",
    "goto",   "half",     "hypot",     "if",       "inline",  "int",      "j0",      "j1",       "jn",
    "kernel", "lane",     "lgamma",    "log",      "log10",   "log2",     "long",    "main",     "malloc",
    "max",    "min",      "namespace", "new",      "not",     "operator", "or",      "pow",      "private",
    "public", "register", "restrict",  "return",   "round",   "short",    "signed",  "sin",      "sinh",
    "sizeof", "sqrt",     "static",    "struct",   "switch",  "tan",      "tanh",    "template", "this",
    "throw",  "trunc",    "true",      "try",      "typedef", "typename", "uint",    "union",    "unsigned",
    "using",  "virtual",  "void",      "volatile", "while",   "xor",      "y0",      "y1",       "yn",
});

/// ASCII letters and digits, independent of the locale.
bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string identifier(const std::string &wish)
{
    std::string name = wish;
    for (char &c : name) {
        if (!isLetterOrDigit(c))
            c = '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
        name.insert(0, "v");
    if (name.front() == '_' || name.starts_with("nw_")) // not ours to use
        name.insert(0, "v");
    return name;
}

} // namespace

bool isReservedWord(const std::string &word)
{
    return std::ranges::binary_search(reservedWords, std::string_view(word));
}

std::string cIdentifier(const std::string &wish)
{
    std::string name = identifier(wish);
    return isReservedWord(name) ? name + "_1" : name;
}

const std::string &CNames::of(const ir::Var &var, const std::string &wish)
{
    std::string &name = m_names[var];
    if (!name.empty())
        return name;
    const std::string base = identifier(wish);
    name = base;
    for (int i = 1; isReservedWord(name) || m_taken.contains(name); ++i)
        name = base + '_' + std::to_string(i);
    m_taken.insert(name);
    return name;
}

} // namespace nestwright::codegen
