// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/codes.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/frontend/te_script/operators.h"

#include "core/ir/build/builder.h"
#include "core/script/python/parser.h"
#include "core/support/text/near_names.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

Value Interpreter::dictionary(const py::Dict &e)
{
    DictValue dict{std::make_shared<std::vector<std::pair<Value, Value>>>()};
    for (const auto &[key, value] : e.items) {
        if (key)
            setItem(dict, evaluate(*key), evaluate(*value));
    }
    return dict;
}

Value Interpreter::other(const py::ExprNode &e)
{
    if (e.as<py::EllipsisLiteral>())
        return SkippedValue{"..."};
    if (e.as<py::Comprehension>())
        fail(e.at, "te.unsupported", "only comprehensions that make a list are understood");
    fail(e.at, "te.unsupported", "this is not understood here");
}

Value Interpreter::name(const py::Name &e)
{
    if (const Value *value = m_scope->find(e.id))
        return *value;
    if (findBuiltin("py." + e.id))
        return BuiltinValue{"py." + e.id};
    if (isSkippedPythonFunction(e.id))
        return SkippedValue{e.id};
    if (std::optional<Value> imported = usualImport(e.id, e.at))
        return *std::move(imported);
    const std::vector<std::string_view> known = m_scope->names();
    const std::string near = support::didYouMean(e.id, known);
    fail(e.at, codes::unknownName, std::format("\"{}\" is not defined", e.id),
         near.starts_with("did you mean")
             ? near
             : std::format(
                   "a line above is missing that gives it a value: a size as in {0} = 1024, a tensor as "
                   "in {0} = te.placeholder((n, m))",
                   e.id));
}

std::optional<Value> Interpreter::usualImport(const std::string &name, py::Position at)
{
    static const std::map<std::string_view, std::string> modules = {
        {"tvm", "tvm"},   {"te", "tvm.te"},   {"tir", "tvm.tir"},     {"T", "tvm.script.tir"},
        {"np", "numpy"},  {"numpy", "numpy"}, {"relay", "tvm.relay"}, {"IPython", "IPython"},
        {"onnx", "onnx"}, {"torch", "torch"}, {"timeit", "timeit"},   {"difflib", "difflib"},
        {"time", "time"}, {"os", "os"},       {"relax", "tvm.relax"}, {"topi", "tvm.topi"},
    };
    const auto found = modules.find(name);
    if (found == modules.end())
        return std::nullopt;
    Value value = importedValue(*this, found->second, at);
    if (!value.isSkipped() && found->second != name)
        note(at, "te.missing-import",
             std::format("\"{}\" is taken for {}, which the script does not import", name, found->second));
    m_globals->set(name, value);
    return value;
}

Value Interpreter::string(const py::StringLiteral &e)
{
    if (!e.formatted)
        return e.value;
    std::string text;
    for (std::size_t i = 0; i < e.value.size();) {
        const std::size_t open = e.value.find('{', i);
        const std::size_t close = e.value.find('}', i);
        if (open == std::string::npos) {
            text += e.value.substr(i);
            break;
        }
        text += e.value.substr(i, open - i);
        if (close == std::string::npos || close < open)
            return SkippedValue{"a formatted string"};
        const auto inner = py::parseExpression(e.value.substr(open + 1, close - open - 1), m_fileName);
        if (!inner)
            return SkippedValue{"a formatted string"};
        const std::optional<std::string> part = textOf(evaluate(**inner));
        if (!part)
            return SkippedValue{"a formatted string"};
        countText(static_cast<std::int64_t>(text.size() + part->size()), e.at);
        text += *part;
        i = close + 1;
    }
    return text;
}

Value Interpreter::unary(const py::Unary &e)
{
    Value operand = evaluate(*e.operand);
    if (operand.isSkipped())
        return operand;
    if (e.op == py::UnaryOp::Not) {
        if (const auto *expr = operand.as<Expr>(); expr && expr->dtype().isBool())
            return ir::logicalNot(*expr);
        return !*truth(operand, e.at);
    }
    return unaryOperator(*this, e.op, operand, e.at);
}

Value Interpreter::combine(const py::Binary &e, const Value &left, const Value &right)
{
    return binary(e.op, left, right, e.at);
}

Value Interpreter::binary(py::BinaryOp op, const Value &a, const Value &b, py::Position at)
{
    return binaryOperator(*this, op, a, b, at);
}

Value Interpreter::compareOnce(py::CompareOp op, const Value &a, const Value &b, const py::Compare &e,
                               const py::ExprNode & /*operand*/)
{
    return compareOperator(*this, op, a, b, e.at);
}

void Interpreter::refuseChain(const Value &value, py::Position at) const
{
    if (value.as<Expr>())
        fail(at, "te.condition", "comparisons of expressions cannot be chained",
             "write te.all(a <= b, b < c)");
}

Value Interpreter::lambda(const py::Lambda &e)
{
    ClosureValue closure{"lambda", &e.params, e.body.get(),
                         nullptr,  m_scope,   std::make_shared<std::vector<Value>>()};
    for (const py::Param &param : e.params)
        closure.defaults->push_back(param.defaultValue ? evaluate(*param.defaultValue) : Value());
    return closure;
}

Value Interpreter::attribute(const py::Attribute &e) { return attributeOf(evaluate(*e.value), e.name, e.at); }

namespace {

Value shapeValue(const std::vector<Expr> &shape)
{
    std::vector<Value> sizes;
    for (const Expr &size : shape) {
        if (const std::int64_t *value = ir::asInt(size))
            sizes.emplace_back(*value);
        else
            sizes.emplace_back(size);
    }
    return Value::tuple(std::move(sizes));
}

Value axesValue(const std::vector<IterVar> &axes)
{
    std::vector<Value> values;
    for (const IterVar &axis : axes)
        values.emplace_back(axis);
    return Value::list(std::move(values));
}

/// Attributes of a tensor and of its operation; nothing when there is no such attribute.
std::optional<Value> tensorAttribute(const Tensor &tensor, const std::string &name)
{
    if (name == "shape")
        return shapeValue(tensor.shape());
    if (name == "dtype")
        return Value(tensor.dtype().str());
    if (name == "name")
        return Value(tensor.name());
    if (name == "ndim")
        return Value(static_cast<std::int64_t>(tensor.shape().size()));
    if (name == "op")
        return Value(OperationValue{tensor.operationPointer()});
    if (name == "value_index")
        return Value(static_cast<std::int64_t>(tensor.outputIndex()));
    return std::nullopt;
}

std::optional<Value> operationAttribute(const std::shared_ptr<const Operation> &operation,
                                        const std::string &name)
{
    if (name == "axis")
        return axesValue(operation->axes);
    if (name == "reduce_axis")
        return axesValue(operation->reduction ? operation->reduction->axes : std::vector<IterVar>());
    if (name == "name")
        return Value(operation->name);
    if (name == "num_outputs")
        return Value(static_cast<std::int64_t>(operation->outputs.size()));
    if (name == "input_tensors") {
        std::vector<Value> inputs(operation->inputs.begin(), operation->inputs.end());
        return Value::list(std::move(inputs));
    }
    return std::nullopt;
}

} // namespace

Value Interpreter::attributeOf(const Value &object, const std::string &name, py::Position at)
{
    if (object.isSkipped())
        return object;
    if (const auto *module = object.as<ModuleValue>())
        return moduleAttribute(*this, *module, name, at);
    if (const auto *tensor = object.as<Tensor>()) {
        if (auto value = tensorAttribute(*tensor, name))
            return *value;
    }
    if (const auto *operation = object.as<OperationValue>()) {
        if (auto value = operationAttribute(operation->operation, name))
            return *value;
    }
    if (const auto *stage = object.as<StageValue>()) {
        if (auto value = stage->schedule->stageAttribute(stage->stage, name))
            return *value;
    }
    if (Expr e = object.as<Expr>() || object.as<IterVar>() ? toExpr(object) : Expr()) {
        if (name == "dtype")
            return e.dtype().str();
        if (name == "var")
            return e;
        if (const auto *call = e.as<ir::Call>(); call && name == "args")
            return Value::tuple(std::vector<Value>(call->args.begin(), call->args.end()));
        if (name == "name" && e.kind() == ir::ExprKind::Var)
            return Var::from(e).name();
    }
    if (object.as<LoweredValue>() && name != "script" && name != "astext" && name != "show")
        return SkippedValue{std::format("{} of a lowered program", name)};
    if (object.as<ThreadAxisValue>() && name == "var")
        return SkippedValue{"the index of a thread"};
    if (const auto *axis = object.as<IterVar>(); axis && name == "dom")
        return Value::tuple({axis->domain.min, axis->domain.min + axis->domain.extent});
    return MethodValue{std::make_shared<Value>(object), name};
}

} // namespace nestwright::te
