// SPDX-License-Identifier: Apache-2.0
/// The state in which TVMScript is read: names in scope, loops around, and how errors are raised.
#pragma once

#include "core/script/tvmscript_value.h"

#include <map>
#include <string_view>

namespace nestwright::script {

class Context {
public:
    explicit Context(std::string fileName);

    /// Raises a ScheduleError with the place.
    [[noreturn]] void fail(py::Position at, std::string code, std::string message,
                           std::string hint = {}) const;

    // Names.
    void define(const std::string &name, Value value) { m_scopes.back()[name] = std::move(value); }
    /// Null when the name is not known.
    const Value *find(const std::string &name) const;
    /// "did you mean 'vi'?" for a name that is nearly `name`, else empty.
    std::string suggestion(const std::string &name) const;

    /// Notes what a name stands for that an import brings in.
    void import(const py::Import &import);
    /// The canonical name ("T.grid", "I.ir_module", "tvm.tir.Schedule") of what an import named `dotted` refers to.
    std::string canonical(const std::string &dotted) const;

    /// Whether the text imports `tirx`, as those for TVM 0.27 and later do.
    bool isLater() const { return m_isLater; }

    /// Loops in scope: their ranges, for T.axis.remap.
    ir::VarMap<ir::Range> loops;

private:
    friend class ScopeGuard;
    std::string m_file;
    std::vector<std::map<std::string, Value>> m_scopes;
    std::map<std::string, std::string> m_imports;
    bool m_isLater = false;
};

/// A scope of names for as long as it lives.
class ScopeGuard {
public:
    explicit ScopeGuard(Context &context) : m_context(context) { m_context.m_scopes.emplace_back(); }
    ~ScopeGuard() { m_context.m_scopes.pop_back(); }
    ScopeGuard(const ScopeGuard &) = delete;
    ScopeGuard &operator=(const ScopeGuard &) = delete;

private:
    Context &m_context;
};

/// The word of `words` nearest to `word` by edit distance, or empty when none is near.
std::string nearestWord(std::string_view word, const std::vector<std::string> &words);

} // namespace nestwright::script
