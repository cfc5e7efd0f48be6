// SPDX-License-Identifier: Apache-2.0
/// Reading expressions of TVMScript.
#pragma once

#include "core/ir/node/attr.h"
#include "core/script/tvmscript/context.h"

#include <optional>

namespace nestwright::script {

/// The arguments of a call, taken by place or name; `done` refuses what is left.
class CallArgs {
public:
    CallArgs(const Context &context, std::string function, py::Position at, std::vector<Argument> arguments)
        : m_context(context)
        , m_function(std::move(function))
        , m_at(at)
        , m_arguments(std::move(arguments))
    {
    }

    /// The next positional argument, or the one of this name; null when there is neither.
    const Argument *take(std::string_view name);
    /// The same where it must not be absent.
    const Argument &need(std::string_view name);
    /// The argument of that name; positional arguments do not count.
    const Argument *takeNamed(std::string_view name);
    /// All positional arguments that are left.
    std::vector<Argument> takeRest();
    /// Refuses arguments that nothing has taken.
    void done() const;

    /// The function as messages name it.
    py::Callee callee() const { return {'\'' + m_function + '\''}; }
    const std::string &function() const { return m_function; }
    py::Position at() const { return m_at; }
    const Context &context() const { return m_context; }

private:
    const Context &m_context;
    std::string m_function;
    py::Position m_at;
    std::vector<Argument> m_arguments; ///< those not taken yet
};

// Conversions; each raises an error at `at` when the value is something else.

ir::Expr toExpr(const Context &context, const Value &value, py::Position at);
/// The same, but a bare `1.5` takes the floating type of `other`.
ir::Expr toExprLike(const Context &context, const Value &value, const Value &other, py::Position at);
std::int64_t toInt(const Context &context, const Value &value, py::Position at, std::string_view what);
std::string toText(const Context &context, const Value &value, py::Position at, std::string_view what);
bool toBool(const Context &context, const Value &value, py::Position at, std::string_view what);
ir::DataType toType(const Context &context, const Value &value, py::Position at);
/// One expression counts as a list of one.
std::vector<ir::Expr> toExprList(const Context &context, const Value &value, py::Position at);
ir::BufferRegion toRegion(const Context &context, const Value &value, py::Position at);
ir::AttrValue toAttr(const Context &context, const Value &value, py::Position at);
ir::Attrs toAttrs(const Context &context, const Value &value, py::Position at);
/// A condition: what is no bool is compared with zero.
ir::Expr toCondition(const Context &context, const Value &value, py::Position at);

class ExprReader {
public:
    explicit ExprReader(Context &context) : m_context(context) {}

    Value value(const py::Expr &e);
    ir::Expr expr(const py::Expr &e) { return toExpr(m_context, value(e), e->at); }
    ir::Expr condition(const py::Expr &e) { return toCondition(m_context, value(e), e->at); }

    /// The type that `callee` names, as in T.int32(1).
    std::optional<ir::DataType> typeOf(const py::Expr &callee);
    /// The canonical name of the function that `call` calls ("T.grid"), or empty for anything else.
    std::string functionName(const py::Expr &callee);
    std::vector<Argument> arguments(const py::Call &call);
    /// The values of all of them; `*list` gives the items of the list.
    std::vector<Value> items(const std::vector<py::Expr> &expressions);
    CallArgs callArgs(const py::Call &call, const std::string &function)
    {
        return {m_context, function, call.at, arguments(call)};
    }
    /// Defines the parameters of a function that the file itself defines, from the arguments of a call.
    void bindParameters(const py::FunctionDef &definition, const std::vector<Argument> &arguments,
                        py::Position at);
    /// Gives the names of `target` (a name, or a tuple with at most one starred name) the parts of `value`,
    /// which stands at `at`.
    void bindTarget(const py::Expr &target, const Value &value, py::Position at);
    /// Indices of the access to `buffer` by `A.vload(begin, dtype)` or `A.vstore(begin, value)`.
    std::vector<ir::Expr> vectorIndices(const ir::Buffer &buffer, const Argument &begin, int lanes);
    /// A buffer and one index per dimension, as the target of an assignment.
    std::pair<ir::Buffer, std::vector<ir::Expr>> element(const py::Subscript &subscript);

private:
    Value dispatch(const py::Expr &e);
    Value name(const py::Name &node);
    Value attribute(const py::Expr &e, const py::Attribute &node);
    Value member(const Value &object, const py::Attribute &node);
    Value unary(const py::Unary &node);
    Value binary(const py::Binary &node);
    std::optional<Value> combinedLists(const py::Binary &node, const Value &left, const Value &right);
    Value compare(const py::Compare &node);
    Value boolOp(const py::BoolOp &node);
    Value conditional(const py::Conditional &node);
    Value subscript(const py::Subscript &node);
    Value listItem(const ListValue &list, const py::Expr &index);
    std::vector<Value> spreadIndices(const py::Subscript &node);
    std::vector<ir::Expr> toIndices(const ir::Buffer &buffer, const std::vector<Value> &values,
                                    py::Position at);
    Value pointer(CallArgs &args);
    Value bufferElement(const ir::Buffer &buffer, const py::Subscript &node);
    Value call(const py::Call &node);
    Value method(const MethodValue &method, CallArgs args);
    Value let(const py::Call &node);
    Value reducer(const py::Call &node);
    Value indexMap(const py::Call &node);
    std::vector<ir::Expr> mapped(const py::Lambda &lambda, std::vector<ir::Expr> &variables);
    Value callDefinition(const FunctionValue &function, const std::vector<Argument> &arguments,
                         py::Position at);

    Context &m_context;
    std::vector<py::Expr> m_constants; ///< of classes, whose values are being found
};

/// The value of `name` in the body of the class, as in `name = 128`; null when it gives none.
py::Expr classConstant(const py::ClassDef &definition, const std::string &name);

/// Calls the expression function `T.<name>`; nothing when there is none of that name.
std::optional<Value> callFunction(std::string_view name, CallArgs &args);
/// Names of all expression functions, for suggestions.
std::vector<std::string> functionNames();

/// `a op b` as written by a function (T.min, T.Add, …): never folded away.
ir::Expr keepBinary(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
/// Most parts of a named value: names may stand for expressions, so that each line of a text could double
/// what the line before says.
constexpr std::int64_t mostParts = 100'000;
/// Refuses a value of more parts.
void requireModestSize(const Context &context, const Value &value, py::Position at);
[[noreturn]] void failLarge(const Context &context, py::Position at);
/// `stop - start` with equal terms cancelled.
ir::Expr difference(const ir::Expr &stop, const ir::Expr &start);
/// The index that `range` is where a value is wanted: one element, or consecutive ones of a constant number.
ir::Expr vectorIndex(const Context &context, const ir::Range &range, py::Position at);
/// The element, or the elements of the lanes of the last index; no other may have several.
ir::Expr loadAt(const Context &context, const ir::Buffer &buffer, std::vector<ir::Expr> indices,
                py::Position at);
/// A Ramp of integers; `lanes` as toLanes gives them.
ir::Expr checkedRamp(const Context &context, const ir::Expr &base, const ir::Expr &stride, int lanes,
                     py::Position at);

} // namespace nestwright::script
