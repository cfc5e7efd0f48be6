// SPDX-License-Identifier: Apache-2.0
/// Identifiers for variables and buffers: close to the names people gave, valid in C, and different from each
/// other.
#pragma once

#include "core/ir/node/expr.h"

#include <string>
#include <unordered_set>

namespace nestwright::codegen {

class CNames {
public:
    /// Words that no variable may have (keywords are known already).
    void reserve(const std::string &word) { m_taken.insert(word); }
    /// The identifier of `var`, made from `wish` where it has none yet.
    const std::string &of(const ir::Var &var, const std::string &wish);
    const std::string &of(const ir::Var &var) { return of(var, var.name()); }

private:
    ir::VarMap<std::string> m_names;
    std::unordered_set<std::string> m_taken;
};

/// `wish` made an identifier: nothing that a person named can be more than a name in emitted text.
std::string cIdentifier(const std::string &wish);

/// Whether C, OpenCL C or CUDA C++ gives the word a meaning, or the emitted code does.
bool isReservedWord(const std::string &word);

} // namespace nestwright::codegen
