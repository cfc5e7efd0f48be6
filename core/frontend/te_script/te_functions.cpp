// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/operators.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/te/body_parts.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

namespace {

Value var(const Arguments &arguments)
{
    arguments.expect({"name", "dtype", "span"});
    const DataType dtype = arguments.dtype(1, "dtype", DataType::int32());
    return Expr(Var(arguments.string(0, "name", "tindex"), dtype));
}

Value constant(const Arguments &arguments)
{
    arguments.expect({"value", "dtype", "span"});
    const Expr value = arguments.expr(0, "value");
    return ir::converted(arguments.dtype(1, "dtype", value.dtype()), value);
}

Value placeholder(const Arguments &arguments)
{
    arguments.expect({"shape", "dtype", "name"});
    Tensor tensor = arguments.interpreter().builder().placeholder(
        arguments.shape(0, "shape"), arguments.dtype(1, "dtype", DataType::float32()),
        arguments.string(2, "name", "placeholder"));
    arguments.interpreter().addTensors({tensor});
    return tensor;
}

Value reduceAxisOf(const Arguments &arguments)
{
    arguments.expect({"dom", "name", "thread_tag", "span"});
    const ArgumentValue &domain = arguments.need(0, "dom");
    const auto *ends = domain.value.as<ListValue>();
    if (!ends || ends->items->size() != 2)
        arguments.wrong(domain, "dom", "a pair (begin, end)");
    const Expr begin = toSize((*ends->items)[0]), end = toSize((*ends->items)[1]);
    if (!begin || !end)
        arguments.wrong(domain, "dom", "a pair of whole numbers or size expressions");
    const Expr extent = end - begin;
    if (const std::int64_t *count = ir::asInt(extent); count && *count <= 0) {
        arguments.interpreter().fail(domain.at, "te.bad-shape",
                                     std::format("a reduce axis over {} elements is empty", *count),
                                     "its end comes after its begin: te.reduce_axis((0, n), \"k\")");
    }
    IterVar axis = reduceAxis(begin, extent, arguments.string(1, "name", "rv"));
    arguments.interpreter().addAxis(axis);
    return axis;
}

/// The names of the axes that a compute function takes for `rank` dimensions.
std::vector<std::string> axisNames(const Arguments &arguments, const ArgumentValue &function,
                                   std::size_t rank)
{
    const auto *closure = function.value.as<ClosureValue>();
    std::vector<std::string> names;
    bool variadic = !closure;
    if (closure) {
        for (const py::Param &param : *closure->params) {
            if (param.kind == py::Param::Kind::VarArgs)
                variadic = true;
            else if (param.kind == py::Param::Kind::Plain && !param.defaultValue)
                names.push_back(param.name);
        }
    }
    if (names.size() > rank || (names.size() < rank && !variadic)) {
        arguments.interpreter().fail(
            function.at, "te.index-count",
            std::format("the shape has {} dimension{}, but the function takes {} ind{}", rank,
                        rank == 1 ? "" : "s", names.size(), names.size() == 1 ? "ex" : "ices"),
            "give the lambda one argument per dimension");
    }
    for (std::size_t i = 0; names.size() < rank; ++i)
        names.push_back(std::format("i{}", i));
    return names;
}

Body toBody(const Arguments &arguments, const ArgumentValue &function, const Value &value)
{
    Interpreter &interpreter = arguments.interpreter();
    if (const auto *reduction = value.as<Reduction>())
        return *reduction;
    if (const auto *skipped = value.as<SkippedValue>()) {
        interpreter.fail(
            function.at, "te.skipped-value",
            std::format("the compute function needs {}, which is not carried out", skipped->what));
    }
    const auto *list = value.as<ListValue>();
    std::vector<Expr> values;
    for (const Value &item : list ? *list->items : std::vector<Value>{value}) {
        if (const auto *slice = item.as<TensorSliceValue>()) {
            interpreter.fail(slice->at, "te.index-count",
                             std::format("\"{}\" has {} dimensions but is read with {} ind{}",
                                         slice->tensor.name(), slice->tensor.shape().size(),
                                         slice->indices.size(), slice->indices.size() == 1 ? "ex" : "ices"),
                             "give one index per dimension");
        }
        const Expr e = toExpr(item);
        if (!e) {
            interpreter.fail(
                function.at, "te.body-type",
                std::format("the compute function gives {}, not the value of an element", item.kindText()),
                item.isNone() ? "does the function return its value?" : "");
        }
        values.push_back(e);
    }
    return values;
}

/// Axes stand for elements only where an operation runs over them: its own, and those that it reduces over.
void checkOwnAxes(const Arguments &arguments, const Operation &operation)
{
    ir::VarSet own;
    for (const IterVar &axis : operation.axes)
        own.insert(axis.var);
    for (const IterVar &axis : operation.reduction ? operation.reduction->axes : std::vector<IterVar>())
        own.insert(axis.var);
    const auto check = [&](const Expr &e) {
        const Var var = Var::from(e);
        const IterVar *axis = var && !own.contains(var) ? arguments.interpreter().axisOf(var) : nullptr;
        if (!axis)
            return true;
        if (axis->kind == ir::IterKind::Reduce)
            arguments.fail("te.foreign-axis",
                           std::format("\"{}\" uses the reduce axis \"{}\", but does not reduce over it",
                                       operation.name, var.name()),
                           std::format("te.sum(…, axis={}) does", var.name()));
        arguments.fail(
            "te.foreign-axis",
            std::format("\"{}\" uses \"{}\", an axis of another tensor", operation.name, var.name()),
            "use the arguments of its own function");
    };
    for (const Expr &part : bodyParts(operation))
        ir::forEachExpr(part, check);
}

/// Attributes that are ints or strings; they become annotations of the block.
ir::Attrs computeAttrs(const Arguments &arguments)
{
    ir::Attrs attrs;
    const ArgumentValue *given = arguments.find(4, "attrs");
    const auto *dict = given ? given->value.as<DictValue>() : nullptr;
    for (const auto &[key, value] : dict ? *dict->items : std::vector<std::pair<Value, Value>>()) {
        const auto *name = key.as<std::string>();
        if (const auto *number = value.as<std::int64_t>(); number && name)
            attrs.emplace(*name, ir::AttrValue(*number));
        else if (const auto *text = value.as<std::string>(); text && name)
            attrs.emplace(*name, ir::AttrValue(*text));
        else
            arguments.interpreter().note(
                given->at, "te.not-carried-over",
                "not carried over: an attribute that is neither an int nor a string");
    }
    return attrs;
}

Value compute(const Arguments &arguments)
{
    arguments.expect({"shape", "fcompute", "name", "tag", "attrs", "varargs_names"});
    Interpreter &interpreter = arguments.interpreter();
    const std::vector<Expr> shape = arguments.shape(0, "shape");
    const ArgumentValue &function = arguments.need(1, "fcompute");
    const std::string name = arguments.string(2, "name", "compute");
    const auto body = [&](const std::vector<Expr> &axes) {
        std::vector<Value> values(axes.begin(), axes.end());
        return toBody(arguments, function, interpreter.call(function.value, std::move(values), function.at));
    };
    const std::vector<Tensor> tensors = interpreter.builder().computeAll(
        shape, axisNames(arguments, function, shape.size()), body, name, computeAttrs(arguments));
    const Operation &operation = tensors.front().operation();
    checkOwnAxes(arguments, operation);
    interpreter.addTensors(tensors);
    for (const IterVar &axis : operation.axes)
        interpreter.addAxis(axis);
    if (tensors.size() == 1)
        return tensors[0];
    return Value::tuple(std::vector<Value>(tensors.begin(), tensors.end()));
}

/// `where` and `init` of a reducer.
Reduction withOptions(Reduction reduction, const Arguments &arguments)
{
    if (arguments.find(2, "where"))
        reduction.condition = arguments.expr(2, "where");
    if (const ArgumentValue *init = arguments.find(3, "init")) {
        const auto *list = init->value.as<ListValue>();
        for (const Value &value : list ? *list->items : std::vector<Value>{init->value}) {
            const Expr e = toExpr(value);
            if (!e || reduction.init.size() == reduction.sources.size())
                arguments.wrong(*init, "init", "one value per output");
            reduction.init.push_back(ir::converted(reduction.sources[reduction.init.size()].dtype(), e));
        }
    }
    return reduction;
}

using Reducer = Reduction (*)(const Expr &, std::vector<IterVar>);
using Combine = Expr (*)(const Expr &, const Expr &);

/// te.sum(value, axis=k), or the operation itself on two values: te.max(a, b).
Value reduceOrCombine(const Arguments &arguments, Reducer reducer, Combine combine)
{
    arguments.expect({"expr", "axis", "where", "init"});
    const ArgumentValue &axis = arguments.need(1, "axis");
    if (!axis.value.as<IterVar>() && !axis.value.as<ListValue>() && toExpr(axis.value))
        return combine(arguments.expr(0, "expr"), arguments.expr(1, "axis"));
    return withOptions(reducer(arguments.expr(0, "expr"), arguments.axes(1, "axis")), arguments);
}

Value sumOf(const Arguments &arguments)
{
    return reduceOrCombine(arguments, &sum, [](const Expr &a, const Expr &b) { return a + b; });
}
Value maxOf(const Arguments &arguments)
{
    return reduceOrCombine(arguments, &max, [](const Expr &a, const Expr &b) { return ir::max(a, b); });
}
Value minOf(const Arguments &arguments)
{
    return reduceOrCombine(arguments, &min, [](const Expr &a, const Expr &b) { return ir::min(a, b); });
}
Value prodOf(const Arguments &arguments)
{
    return reduceOrCombine(arguments, &prod, [](const Expr &a, const Expr &b) { return a * b; });
}

Value commReducer(const Arguments &arguments)
{
    arguments.expect({"fcombine", "fidentity", "name"});
    return ReducerValue{arguments.string(2, "name", "reduce"),
                        std::make_shared<Value>(arguments.need(0, "fcombine").value),
                        std::make_shared<Value>(arguments.need(1, "fidentity").value)};
}

Value threadAxis(const Arguments &arguments)
{
    // te.thread_axis("blockIdx.x"), or (dom, "blockIdx.x").
    arguments.expect({"dom", "tag", "name", "span"});
    const ArgumentValue *first = arguments.find(0, "dom");
    if (first && first->value.as<std::string>())
        return ThreadAxisValue{*first->value.as<std::string>()};
    if (!arguments.find(1, "tag"))
        arguments.fail("te.argument", "te.thread_axis() is given no thread",
                       "name it: te.thread_axis(\"threadIdx.x\")");
    return ThreadAxisValue{arguments.string(1, "tag", {})};
}

Value domain(const Arguments &arguments)
{
    arguments.expect({"begin", "end"});
    const ArgumentValue *end = arguments.find(1, "end");
    const Value &first = arguments.need(0, "begin").value;
    return end ? Value::tuple({first, end->value}) : Value::tuple({std::int64_t{0}, first});
}

Value unsupported(const Arguments &arguments)
{
    arguments.fail("te.unsupported", std::format("te.{}() is not supported", arguments.function()),
                   "describe the kernel with te.compute, or as TVMScript");
}

} // namespace

Value applyReducer(const ReducerValue &reducer, const Arguments &arguments)
{
    Interpreter &interpreter = arguments.interpreter();
    const ArgumentValue &source = arguments.need(0, "expr");
    const auto *several = source.value.as<ListValue>();
    std::vector<Expr> sources;
    for (const Value &value : several ? *several->items : std::vector<Value>{source.value}) {
        const Expr e = toExpr(value);
        if (!e)
            arguments.wrong(source, "expr", "a value, or a tuple of values");
        sources.push_back(e);
    }
    const auto results = [&](const Value &function, std::vector<Value> given) {
        const Value value = interpreter.call(function, std::move(given), arguments.at());
        const auto *list = value.as<ListValue>();
        std::vector<Expr> all;
        for (const Value &item : list ? *list->items : std::vector<Value>{value}) {
            const Expr e = toExpr(item);
            if (!e)
                arguments.fail("te.body-type", std::format("a function of the reducer \"{}\" gives {}",
                                                           reducer.name, item.kindText()));
            all.push_back(e);
        }
        return all;
    };
    const auto operand = [&](const std::vector<Expr> &values) {
        return several ? Value::list(std::vector<Value>(values.begin(), values.end())) : Value(values[0]);
    };
    const auto combine = [&](const std::vector<Expr> &lhs, const std::vector<Expr> &rhs) {
        return results(*reducer.combine, {operand(lhs), operand(rhs)});
    };
    const auto identity = [&](const std::vector<DataType> &types) {
        std::vector<Value> names;
        for (const DataType &type : types)
            names.emplace_back(type.str());
        return results(*reducer.identity, std::move(names));
    };
    const ArgumentValue &axis = arguments.need(1, "axis");
    if (!several && !axis.value.as<IterVar>() && !axis.value.as<ListValue>() && toExpr(axis.value))
        return results(*reducer.combine, {Value(sources[0]), axis.value})[0];
    return withOptions(reduce(reducer.name, combine, identity, sources, arguments.axes(1, "axis")),
                       arguments);
}

std::span<const BuiltinFunction> teFunctions()
{
    static const BuiltinFunction table[] = {
        {"te.var", &var},
        {"te.size_var", &var},
        {"te.Var", &var},
        {"te.SizeVar", &var},
        {"te.const", &constant},
        {"te.placeholder", &placeholder},
        {"te.compute", &compute},
        {"te.reduce_axis", &reduceAxisOf},
        {"te.sum", &sumOf},
        {"te.max", &maxOf},
        {"te.min", &minOf},
        {"te.prod", &prodOf},
        {"te.comm_reducer", &commReducer},
        {"te.thread_axis", &threadAxis},
        {"te.Range", &domain},
        {"te.extern", &unsupported},
        {"te.extern_primfunc", &unsupported},
        {"te.scan", &unsupported},
        {"te.state", &unsupported},
        {"te.hybrid", &unsupported},
        {"te.gradient", &unsupported},
        {"te.decl_tensor_intrin", &unsupported},
    };
    return table;
}

} // namespace nestwright::te
