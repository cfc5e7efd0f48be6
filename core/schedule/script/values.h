// SPDX-License-Identifier: Apache-2.0
/// Values of expressions in schedule scripts.
#pragma once

#include "core/schedule/value.h"
#include "core/script/python/evaluator.h"
#include "core/script/python/fault.h"
#include "core/script/python/scope.h"

#include <functional>
#include <map>
#include <optional>

namespace nestwright::schedule {

namespace py = script::py;

/// Evaluates names, literals, lists, indexing, slicing, integer arithmetic, comparisons, conditions and
/// lambdas; calls and attributes of values go to the handlers. Throws support::UserError
/// "script.unsupported", "script.unknown-name", "script.value" with the place.
class ScriptValues : py::Evaluator<ScriptValues, ArgValue> {
    friend py::Evaluator<ScriptValues, ArgValue>;

public:
    using CallHandler = std::function<ArgValue(const py::Call &)>;
    using AttributeHandler = std::function<ArgValue(const py::Attribute &, const ArgValue &)>;

    /// `attribute`: handler of attributes; without it there are none.
    ScriptValues(std::string fileName, CallHandler call, AttributeHandler attribute = {})
        : m_fileName(std::move(fileName))
        , m_call(std::move(call))
        , m_attribute(std::move(attribute))
    {
    }

    ArgValue evaluate(const py::ExprNode &e);
    ArgValue evaluate(const py::Expr &e) { return evaluate(*e); }
    /// Whether a value counts as true, as in Python.
    bool isTrue(const py::Expr &e);
    /// Items of a list, a starred item giving all of its own.
    using Evaluator::evaluateAll;
    /// `target` is a name, or a tuple or list of targets as long as `value`.
    void assign(const py::Expr &target, const ArgValue &value) { assign(*target, value); }
    void set(const std::string &name, ArgValue value) { m_names.set(name, std::move(value)); }
    bool knows(const std::string &name) const { return m_names.holds(name); }
    const py::Scope<ArgValue> &names() const { return m_names; }

    [[noreturn]] void fail(py::Position at, std::string_view code, std::string message,
                           std::string hint = {}) const;

    [[noreturn]] void fail(py::Position at, const py::Fault &fault) const;

private:
    /// Fails where lists or formulas have grown beyond what a schedule has.
    void countParts(const ArgValue &value, py::Position at);
    [[noreturn]] void failLong(py::Position at) const;
    ArgValue name(const py::Name &node);
    ArgValue unary(const py::Unary &node);
    ArgValue combine(const py::Binary &node, const ArgValue &left, const ArgValue &right) const;
    ArgValue compareOnce(py::CompareOp op, const ArgValue &left, const ArgValue &right,
                         const py::Compare &node, const py::ExprNode &operand) const;
    ArgValue attribute(const py::Attribute &node);
    ArgValue callNode(const py::Call &node);
    ArgValue other(const py::ExprNode &e) const;
    ArgList items(const ArgValue &value, py::Position at) const;
    static ArgValue none() { return {}; }
    static ArgValue listOf(ArgList values) { return values; }
    static ArgValue tupleOf(ArgList values) { return values; }
    static ArgValue string(const py::StringLiteral &node) { return node.value; }
    ArgValue lambda(const py::Lambda &node) { return indexMap(node); }
    std::optional<bool> truth(const ArgValue &value, py::Position at) const { return isTrue(value, at); }
    static void refuseChain(const ArgValue &, py::Position) {} // a comparison gives a truth value
    void assign(const py::ExprNode &target, const ArgValue &value);
    py::Scope<ArgValue> enterScope() const { return m_names; }
    void leaveScope(py::Scope<ArgValue> outer) { m_names = std::move(outer); }
    bool isTrue(const ArgValue &value, py::Position at) const;
    ArgValue subscript(const py::Subscript &node);
    ArgValue dictionary(const py::Dict &node);
    std::int64_t integer(const py::Expr &e);

    // script_index_maps.cpp
    IndexMap indexMap(const py::Lambda &node);
    /// The lambda of `IndexMap.from_func(lambda …)`; null for another call.
    const py::Lambda *mapOfCall(const py::Call &node) const;
    void addRange(IndexMap &map, const py::Expr &item, const std::map<std::string, ir::Var> &vars);
    ir::Expr indexExpr(const py::Expr &e, const std::map<std::string, ir::Var> &vars);
    /// A number that has a name: a variable where a sampling step gave it.
    ir::Expr namedIndex(const std::string &name, std::int64_t number, std::uint32_t result);
    ir::Expr indexCall(const py::Call &node, const std::map<std::string, ir::Var> &vars);

    /// `T.int8(0)`, `tir.IntImm("int8", 0)`, …; null for another call.
    ir::Expr typedConstant(const py::Call &node);
    /// `T.vscale()`, `T.ceildiv(128, …)`, …; null for another call.
    ir::Expr formula(const py::Call &node);
    /// The operands of a formula: an integer or a formula of one.
    ir::Expr operand(const ArgValue &value, py::Position at) const;
    /// The operator of programs that computes what Python's does; the others are refused.
    ir::BinaryOp operatorOf(const py::Binary &node) const;
    /// Lists and strings joined and repeated; nothing for other operands.
    std::optional<ArgValue> combinedSequences(const py::Binary &node, const ArgValue &left,
                                              const ArgValue &right) const;
    ArgValue formulaOf(const py::Binary &node, const ArgValue &left, const ArgValue &right) const;

    std::string m_fileName;
    CallHandler m_call;
    AttributeHandler m_attribute;
    py::Scope<ArgValue> m_names;
    std::int64_t m_parts = 0;            ///< of all values so far
    std::vector<SampledIndex> m_sampled; ///< of the index map that is being read
};

/// "an integer", "a list", … as messages name it.
std::string_view kindOf(const ArgValue &value);

/// One value typed by itself: a number, string, None, truth value, list, or the lambda of an index map.
/// Errors as in scripts, with the column.
Result<ArgValue> readValue(std::string_view text);

} // namespace nestwright::schedule
