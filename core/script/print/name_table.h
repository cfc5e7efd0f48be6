// SPDX-License-Identifier: Apache-2.0
/// Names for variables and buffers in a text: Python identifiers, unique among those in scope.
#pragma once

#include "core/ir/node/buffer.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace nestwright::script {

class NameTable {
public:
    NameTable();

    /// A name like `hint` that nothing in scope has; it is free again when the present scope ends.
    std::string fresh(const std::string &hint, const std::string &fallback);

    const std::string &define(const ir::Var &var);
    const std::string &define(const ir::Buffer &buffer);
    /// The variable is written as an expression ("A.data").
    void alias(const ir::Var &var, std::string text);

    /// Null when it has no name yet.
    const std::string *find(const ir::Var &var) const;
    const std::string *find(const ir::Buffer &buffer) const;

    void push() { m_scopes.emplace_back(); }
    void pop();

private:
    struct Scope {
        std::vector<std::string> names;
        std::vector<ir::Var> vars;
        std::vector<ir::Buffer> buffers;
    };
    std::unordered_set<std::string> m_used;
    ir::VarMap<std::string> m_vars;
    ir::BufferMap<std::string> m_buffers;
    std::vector<Scope> m_scopes;
};

} // namespace nestwright::script
