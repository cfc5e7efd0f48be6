// SPDX-License-Identifier: Apache-2.0
/// The state in which TVMScript is read: names in scope, loops around, and how errors are raised.
#pragma once

#include "core/script/python/fault.h"
#include "core/script/tvmscript/value.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace nestwright::script {

class Context {
public:
    explicit Context(std::string fileName);

    /// Raises a UserError with the place.
    [[noreturn]] void fail(py::Position at, std::string_view code, std::string message,
                           std::string hint = {}) const;

    [[noreturn]] void fail(py::Position at, const py::Fault &fault) const;

    // Names.
    void define(const std::string &name, Value value) { m_scope->set(name, std::move(value)); }
    /// Defines a name for a statement of the function; a name stands for one thing only in its scope.
    void defineOnce(const std::string &name, Value value, py::Position at);
    /// The names of the file, which are all that is known inside a function that the file defines.
    const std::shared_ptr<Scope> &fileScope() const { return m_fileScope; }
    /// The names at the present place.
    const std::shared_ptr<Scope> &scope() const { return m_scope; }
    /// How often the macro has been expanded before; counts this time.
    int timesExpanded(const py::FunctionDef &macro) { return m_expansions[&macro]++; }
    /// Null when the name is not known.
    const Value *find(const std::string &name) const { return m_scope->find(name); }
    /// "did you mean 'vi'?" for a name that is nearly `name`, else empty.
    std::string suggestion(const std::string &name) const;

    /// Notes the names that an import brings in.
    void import(const py::Import &import);
    /// The canonical name ("T.grid", "I.ir_module", "tvm.tir.Schedule") of a name imported as `dotted`.
    std::string canonical(const std::string &dotted) const;

    /// Whether the text imports `tirx`, as those for TVM 0.27 and later do.
    bool isLater() const { return m_isLater; }
    void setLater() { m_isLater = true; }

    /// Names that `n = TypeVar("n")` makes sizes of every function that has no other of that name.
    void addTypeVar(const std::string &name) { m_typeVars.insert(name); }
    const std::set<std::string> &typeVars() const { return m_typeVars; }

    Instance &makeInstance(const py::ClassDef &type)
    {
        return *m_instances.emplace_back(std::make_unique<Instance>(&type, std::map<std::string, Value>()));
    }

    /// Loops in scope: their ranges, for T.axis.remap.
    ir::VarMap<ir::Range> loops;
    /// Variables of thread axes where no T.launch_thread around the present place launches them.
    std::unordered_set<ir::Var, ir::VarHash> idleThreads;
    bool namesThread = false; ///< while the thread axis to launch is read

    /// Notes the name of a module's class, so that its functions can call each other.
    void enterModule(const std::string &className) { m_moduleName = className; }
    void addGlobal(GlobalFunction function) { m_globals.insert_or_assign(function.name, function); }
    /// The function of the module that `dotted` ("Module.helper", "cls.helper") names, or null.
    const GlobalFunction *global(const std::string &dotted) const;

private:
    friend class ScopeGuard;
    friend class CallGuard;
    std::string m_file;
    std::shared_ptr<Scope> m_fileScope = std::make_shared<Scope>(), m_scope = m_fileScope;
    std::map<std::string, std::string> m_imports;
    std::set<std::string> m_typeVars;
    bool m_isLater = false;
    int m_calls = 0;     ///< of functions that the file defines
    int m_callDepth = 0; ///< those that have not returned yet
    std::map<const py::FunctionDef *, int> m_expansions;
    std::vector<std::unique_ptr<Instance>> m_instances;
    std::string m_moduleName;
    std::map<std::string, GlobalFunction, std::less<>> m_globals;
};

/// A scope of names for as long as it lives, inside the present one or `outer`.
class ScopeGuard {
public:
    explicit ScopeGuard(Context &context) : ScopeGuard(context, context.m_scope) {}
    ScopeGuard(Context &context, std::shared_ptr<Scope> outer)
        : m_context(context)
        , m_before(std::exchange(context.m_scope, std::make_shared<Scope>(std::move(outer))))
    {
    }
    ~ScopeGuard() { m_context.m_scope = std::move(m_before); }
    ScopeGuard(const ScopeGuard &) = delete;
    ScopeGuard &operator=(const ScopeGuard &) = delete;

private:
    Context &m_context;
    std::shared_ptr<Scope> m_before;
};

/// A call of a function that the file defines; refuses those without end.
class CallGuard {
public:
    CallGuard(Context &context, const std::string &function, py::Position at);
    ~CallGuard() { --m_context.m_callDepth; }
    CallGuard(const CallGuard &) = delete;
    CallGuard &operator=(const CallGuard &) = delete;

private:
    Context &m_context;
};

/// The word of `words` nearest to `word` by edit distance, or empty when none is near.
std::string nearestWord(std::string_view word, const std::vector<std::string> &words);

} // namespace nestwright::script
