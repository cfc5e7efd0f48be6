// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/name_table.h"

#include "core/script/python/token_stream.h"

#include <algorithm>

namespace nestwright::script {

namespace {

bool isNamePart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// `hint` with every other character replaced, so that it is a Python identifier.
std::string identifier(const std::string &hint, const std::string &fallback)
{
    std::string name = hint.empty() ? fallback : hint;
    std::ranges::replace_if(name, [](char c) { return !isNamePart(c); }, '_');
    if (name.front() >= '0' && name.front() <= '9')
        name.insert(0, 1, '_');
    return name;
}

} // namespace

NameTable::NameTable() : m_used{"T", "I", "range", "float", "Module", "main", "tvm"}, m_scopes(1) {}

std::string NameTable::fresh(const std::string &hint, const std::string &fallback)
{
    const std::string base = identifier(hint, fallback);
    std::string name = base;
    for (int suffix = 1; m_used.contains(name) || py::isKeyword(name); ++suffix)
        name = base + '_' + std::to_string(suffix);
    m_used.insert(name);
    m_scopes.back().names.push_back(name);
    return name;
}

const std::string &NameTable::define(const ir::Var &var)
{
    m_scopes.back().vars.push_back(var);
    return m_vars[var] = fresh(var.name(), "v");
}

const std::string &NameTable::define(const ir::Buffer &buffer)
{
    m_scopes.back().buffers.push_back(buffer);
    return m_buffers[buffer] = fresh(buffer.name(), "buffer");
}

void NameTable::alias(const ir::Var &var, std::string text)
{
    m_scopes.back().vars.push_back(var);
    m_vars[var] = std::move(text);
}

const std::string *NameTable::find(const ir::Var &var) const
{
    const auto found = m_vars.find(var);
    return found == m_vars.end() ? nullptr : &found->second;
}

const std::string *NameTable::find(const ir::Buffer &buffer) const
{
    const auto found = m_buffers.find(buffer);
    return found == m_buffers.end() ? nullptr : &found->second;
}

void NameTable::pop()
{
    for (const std::string &name : m_scopes.back().names)
        m_used.erase(name);
    for (const ir::Var &var : m_scopes.back().vars)
        m_vars.erase(var);
    for (const ir::Buffer &buffer : m_scopes.back().buffers)
        m_buffers.erase(buffer);
    m_scopes.pop_back();
}

} // namespace nestwright::script
