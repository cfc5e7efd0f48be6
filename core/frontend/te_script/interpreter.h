// SPDX-License-Identifier: Apache-2.0
/// Following a TE script statement by statement. Nothing is executed as Python: names stand for tensors, axes
/// and numbers, and what only builds, runs or times a kernel is skipped.
#pragma once

#include "core/frontend/te_script/arguments.h"
#include "core/script/python/evaluator.h"
#include "core/script/python/fault.h"
#include "core/support/errors/errors.h"
#include "core/te/create_prim_func.h"

#include <map>
#include <optional>
#include <utility>

namespace nestwright::te {

/// A function the script makes: by te.create_prim_func, or by the schedule that it lowers or builds.
struct ScriptKernel {
    std::string name = "main";
    std::vector<Argument>
        arguments; ///< empty for a schedule that was never lowered: found from its outputs then
    std::shared_ptr<LegacySchedule> schedule;
    int line = 0;
    std::string label; ///< of a schedule: the turn of the loop that makes it, or the variable that holds it
};

/// The rule that the script gives for an intrinsic of its own on a target.
struct IntrinsicRule {
    std::string intrinsic; ///< without its package: "mylog"
    std::string target;    ///< "llvm", "opencl", "default", …
    Value rule;            ///< a function from the call to what stands for it
    std::int64_t level = 10;
    py::Position at;
};

/// Two programs that the script lowers and hands to a function of its own, as tutorials show a difference.
struct ScriptComparison {
    const LegacySchedule *before = nullptr, *after = nullptr;
    std::string function;
    py::Position at;
};

class Interpreter : py::Evaluator<Interpreter, Value> {
    friend py::Evaluator<Interpreter, Value>;

public:
    explicit Interpreter(std::string fileName);
    ~Interpreter();
    Interpreter(const Interpreter &) = delete;
    Interpreter &operator=(const Interpreter &) = delete;

    /// Throws support::UserError with a location.
    void run(const py::Module &module);

    using Sizes = std::map<std::string, std::int64_t>;
    /// Numbers that take the place of those which the script states for these names at its top, and for
    /// parameters of functions called from there.
    void setGivenSizes(Sizes given) { m_givenSizes = std::move(given); }
    std::optional<std::int64_t> givenSize(const std::string &name) const;
    /// All such names with their numbers.
    const Sizes &sizes() const { return m_sizes; }

    Builder &builder() { return m_builder; }
    std::vector<ScriptKernel> &kernels() { return m_kernels; }
    const std::vector<ScriptComparison> &comparisons() const { return m_comparisons; }
    void addIntrinsicRule(IntrinsicRule rule) { m_rules.push_back(std::move(rule)); }
    const std::vector<IntrinsicRule> &intrinsicRules() const { return m_rules; }
    /// The name of the turn that the innermost loop of the script takes; empty outside of loops.
    const std::string &iteration() const { return m_iteration; }
    /// An axis that the script can name from now on, of a tensor or to reduce over.
    void addAxis(const IterVar &axis) { m_axes.emplace(axis.var, axis); }
    /// The axis whose variable it is; null where it is another variable.
    const IterVar *axisOf(const Var &var) const
    {
        const auto found = m_axes.find(var);
        return found == m_axes.end() ? nullptr : &found->second;
    }
    /// Tensors in the order they were made.
    const std::vector<Tensor> &tensors() const { return m_tensors; }
    std::vector<support::Diagnostic> takeNotes() { return std::move(m_notes); }
    const Scope &globals() const { return *m_globals; }
    /// Functions of the script that have been called.
    bool wasCalled(const std::string &function) const { return m_called.contains(function); }

    /// Whether `value` counts as true; nothing where that is not known when the script is read.
    std::optional<bool> truth(const Value &value, py::Position at);
    /// Count what is made of lists and strings, and fail above te::limits; `count` and `bytes` are of one of
    /// them.
    void countList(std::int64_t count, py::Position at);
    void countText(std::int64_t bytes, py::Position at);
    /// Likewise what is only gone through, or copied for a moment.
    void countItems(std::int64_t count, py::Position at);
    /// Keeps a list or dict that the script changes: it may hold itself, and is emptied with the interpreter.
    void keepChanged(const Value &container);
    /// The items of a list, tuple or dict (its keys).
    std::vector<Value> items(const Value &value, py::Position at);

    Value evaluate(const py::ExprNode &e);
    /// Calls a closure, builtin or method. Errors are at `at`.
    Value call(const Value &callee, const Arguments &arguments);
    /// Calls with plain values.
    Value call(const Value &callee, std::vector<Value> positional, py::Position at);

    [[noreturn]] void fail(py::Position at, std::string_view code, std::string message,
                           std::string hint = {}) const;
    [[noreturn]] void fail(py::Position at, const py::Fault &fault) const;
    /// Notes that a line is not carried out.
    void noteSkipped(py::Position at, const std::string &what);
    void note(py::Position at, std::string_view code, std::string message);

    void addTensors(const std::vector<Tensor> &tensors)
    {
        m_tensors.insert(m_tensors.end(), tensors.begin(), tensors.end());
    }
    /// Makes a kernel of the tensors (and size variables) in `arguments`.
    std::size_t addKernel(const Value &arguments, py::Position at);
    /// Remembers `arguments` as those of the kernel that `schedule` makes.
    void setScheduleArguments(const LegacySchedule *schedule, const Value &arguments, py::Position at);
    /// The place where an element was read, for reports about its indices; a null line when unknown.
    py::Position placeOf(const Expr &load) const;
    /// The line of the statement that was begun last.
    int line() const { return m_line; }

private:
    // Expressions (expressions.cpp).
    Value name(const py::Name &e);
    Value string(const py::StringLiteral &e);
    Value unary(const py::Unary &e);
    Value combine(const py::Binary &e, const Value &left, const Value &right);
    Value binary(py::BinaryOp op, const Value &a, const Value &b, py::Position at);
    Value compareOnce(py::CompareOp op, const Value &a, const Value &b, const py::Compare &e,
                      const py::ExprNode &operand);
    void refuseChain(const Value &value, py::Position at) const;
    Value dictionary(const py::Dict &e);
    Value other(const py::ExprNode &e);
    static Value none() { return NoneValue{}; }
    static Value listOf(std::vector<Value> values) { return Value::list(std::move(values)); }
    static Value tupleOf(std::vector<Value> values) { return Value::tuple(std::move(values)); }
    std::shared_ptr<Scope> enterScope() { return std::exchange(m_scope, newScope(m_scope)); }
    void leaveScope(std::shared_ptr<Scope> outer) { m_scope = std::move(outer); }
    Value lambda(const py::Lambda &e);
    Value attribute(const py::Attribute &e);
    Value attributeOf(const Value &object, const std::string &name, py::Position at);
    Value subscript(const py::Subscript &e);
    Value indexTensor(const Tensor &tensor, std::vector<Expr> indices, const py::Subscript &e);
    Value indexSequence(const Value &sequence, const py::Subscript &e);
    std::int64_t placeIn(const Value &index, std::int64_t size, const Value &sequence,
                         const py::Subscript &e);
    std::vector<std::int64_t> placesIn(std::int64_t size, const py::Slice &slice);
    Value callNode(const py::Call &e);
    Value callWith(const Value &callee, const py::Call &e);
    Value skipCall(const py::Call &e, const std::string &what);
    Value callMethod(const MethodValue &method, const Arguments &arguments);

    // Statements (statements.cpp).
    enum class Flow { Next, Return, Break, Continue };
    Flow execute(const py::Body &body);
    Flow execute(const py::Stmt &s);
    void executeAssign(const py::Assign &s);
    void executeAssert(const py::Assert &s);
    Flow executeWith(const py::With &s);
    Flow executeTry(const py::Try &s);
    Flow executeIf(const py::If &s);
    Flow executeFor(const py::For &s);
    Flow executeWhile(const py::While &s);
    void import(const py::Import &s);
    void define(const py::FunctionDef &s);
    void assign(const py::ExprNode &target, const Value &value);
    /// A number that the script states for a name the first time: the given one, where there is one.
    Value sized(const std::string &name, const Value &value);
    /// The same for the names and tuples of names that a line at the top gives plain numbers.
    Value sized(const py::ExprNode &target, const Value &value);
    void skipBody(const py::Body &body, const SkippedValue &why);
    void countStep(py::Position at);
    /// A schedule made outside of loops goes by the variable that it is first given to.
    void nameSchedule(const LegacySchedule *schedule, const std::string &variable);
    /// tvm, te and their like, which pages take for granted; nothing for other names.
    std::optional<Value> usualImport(const std::string &name, py::Position at);
    std::shared_ptr<Scope> newScope(std::shared_ptr<Scope> outer);
    Value callClosure(const ClosureValue &closure, const Arguments &arguments);
    void bindParameters(const ClosureValue &closure, const Arguments &arguments, Scope &scope);

    std::string m_fileName;
    Builder m_builder;
    std::vector<std::shared_ptr<Scope>> m_scopes; ///< all that were made
    std::map<const void *, Value> m_changed;      ///< lists and dicts by their items
    std::shared_ptr<Scope> m_globals;
    std::shared_ptr<Scope> m_scope;
    Value m_returned;
    std::vector<ScriptKernel> m_kernels;
    std::vector<Tensor> m_tensors;
    std::vector<support::Diagnostic> m_notes;
    std::vector<ScriptComparison> m_comparisons;
    ir::VarMap<IterVar> m_axes;
    std::vector<IntrinsicRule> m_rules;
    std::optional<support::Diagnostic> m_caught; ///< by the handler that is being followed
    std::string m_iteration;
    std::map<const ir::ExprNode *, std::pair<Expr, py::Position>> m_loads;
    std::unordered_map<std::string, int> m_called;
    std::int64_t m_steps = 0;
    std::int64_t m_items = 0; ///< of lists and strings, made or gone through
    int m_line = 1;
    Sizes m_givenSizes, m_sizes;
    int m_calls = 0;   ///< of the script's functions, within each other
    int m_nesting = 0; ///< of expressions being evaluated
};

} // namespace nestwright::te
