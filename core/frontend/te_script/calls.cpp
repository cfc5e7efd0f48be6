// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/frontend/te_script/operators.h"

#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

Value Interpreter::callNode(const py::Call &e)
{
    const Value callee = evaluate(*e.callee);
    if (const auto *skipped = callee.as<SkippedValue>())
        return skipCall(e, skipped->what);
    const auto *builtin = callee.as<BuiltinValue>();
    if (!builtin
        || (builtin->name != "tvm.build" && builtin->name != "tvm.lower" && builtin->name != "tvm.compile"))
        return callWith(callee, e);
    try {
        return callWith(callee, e);
    } catch (const support::UserError &error) {
        // Building does not change the kernel.
        noteSkipped(e.at, std::format("{}, because {}", builtin->name, error.diagnostic().message));
        return SkippedValue{builtin->name};
    }
}

Value Interpreter::callWith(const Value &callee, const py::Call &e)
{
    // A function of the reader goes by its own name, however it was imported.
    const auto *builtin = callee.as<BuiltinValue>();
    std::string written = builtin ? builtin->name : py::dottedName(e.callee);
    if (const std::size_t dot = written.rfind('.'); dot != std::string::npos)
        written = written.substr(dot + 1);
    if (const auto *method = e.callee->as<py::Attribute>(); method && written.empty())
        written = method->name; // of something without a name: s[C].split
    Arguments arguments(*this, written.empty() ? "the function" : written, e.at);
    for (const py::Expr &argument : e.args) {
        const auto *starred = argument->as<py::Starred>();
        if (!starred) {
            arguments.add({}, evaluate(*argument), argument->at);
            continue;
        }
        const Value spread = evaluate(*starred->value);
        if (spread.isSkipped())
            return spread;
        for (const Value &value : items(spread, argument->at))
            arguments.add({}, value, argument->at);
    }
    for (const py::Keyword &keyword : e.keywords) {
        const Value value = evaluate(*keyword.value);
        if (!keyword.name.empty()) {
            arguments.add(keyword.name, value, keyword.value->at);
            continue;
        }
        const auto *dict = value.as<DictValue>();
        if (!dict)
            fail(keyword.at, "te.type", std::format("** needs a dict, but this is {}", value.kindText()));
        for (const auto &[key, item] : *dict->items) {
            if (const auto *text = key.as<std::string>())
                arguments.add(*text, item, keyword.value->at);
        }
    }
    return call(callee, arguments);
}

Value Interpreter::skipCall(const py::Call &e, const std::string &what)
{
    // print(tvm.lower(s, [A, B, C])) still tells the order of the arguments; what goes wrong here does not
    // matter.
    bool isShown = false;
    const auto quietly = [&](const py::Expr &argument) {
        try {
            const Value value = evaluate(*argument);
            isShown = isShown || (what == "print" && value.as<LoweredValue>());
        } catch (const support::UserError &) { // NOLINT(bugprone-empty-catch)
        }
    };
    for (const py::Expr &argument : e.args)
        quietly(argument);
    for (const py::Keyword &keyword : e.keywords)
        quietly(keyword.value);
    return isShown ? Value() : SkippedValue{what};
}

Value Interpreter::call(const Value &callee, std::vector<Value> positional, py::Position at)
{
    const auto *closure = callee.as<ClosureValue>();
    Arguments arguments(*this, closure ? closure->name : "the function", at);
    for (Value &value : positional)
        arguments.add({}, std::move(value), at);
    return call(callee, arguments);
}

Value Interpreter::call(const Value &callee, const Arguments &arguments)
{
    if (callee.isSkipped())
        return callee;
    if (const auto *closure = callee.as<ClosureValue>())
        return callClosure(*closure, arguments);
    if (const auto *builtin = callee.as<BuiltinValue>())
        return findBuiltin(builtin->name)->call(arguments);
    if (const auto *method = callee.as<MethodValue>())
        return callMethod(*method, arguments);
    if (const auto *reducer = callee.as<ReducerValue>())
        return applyReducer(*reducer, arguments);
    if (const auto *tensor = callee.as<Tensor>()) {
        std::vector<Expr> indices;
        for (std::size_t i = 0; i < arguments.all().size(); ++i)
            indices.push_back(arguments.expr(i, "index"));
        Expr element = tensor->at(std::move(indices));
        m_loads.emplace(element.get(), std::pair(element, arguments.at()));
        return element;
    }
    fail(arguments.at(), "te.type", std::format("{} cannot be called", callee.kindText()));
}

namespace {

std::optional<Value> stringMethod(const std::string &text, const std::string &name,
                                  const Arguments &arguments)
{
    if (name == "startswith" || name == "endswith") {
        const std::string part = arguments.string(0, "prefix", {});
        return Value(name == "startswith" ? text.starts_with(part) : text.ends_with(part));
    }
    if (name == "lower" || name == "upper") {
        std::string changed = text;
        std::transform(changed.begin(), changed.end(), changed.begin(), [&](unsigned char c) {
            return static_cast<char>(name == "lower" ? std::tolower(c) : std::toupper(c));
        });
        return Value(changed);
    }
    return Value(SkippedValue{"a string's " + name + "()"});
}

std::optional<Value> containerMethod(Interpreter &interpreter, const Value &self, const std::string &name,
                                     const Arguments &arguments)
{
    if (const auto *list = self.as<ListValue>()) {
        interpreter.keepChanged(self);
        if (name == "append") {
            arguments.expect({"item"});
            const ArgumentValue *item = arguments.find(0, "item");
            list->items->push_back(item ? item->value : Value());
            return Value();
        }
        if (name == "extend") {
            const ArgumentValue &more = arguments.need(0, "items");
            for (const Value &value : interpreter.items(more.value, more.at))
                list->items->push_back(value);
            return Value();
        }
    }
    if (const auto *dict = self.as<DictValue>()) {
        std::vector<Value> values;
        if (name == "get") {
            const Value *found = findItem(*dict, arguments.need(0, "key").value);
            const ArgumentValue *otherwise = arguments.find(1, "default");
            return found ? *found : otherwise ? otherwise->value : Value();
        }
        for (const auto &[key, value] : *dict->items)
            values.push_back(name == "keys" ? key : name == "values" ? value : Value::tuple({key, value}));
        if (name == "keys" || name == "values" || name == "items")
            return Value::list(std::move(values));
    }
    return std::nullopt;
}

std::optional<Value> kernelMethod(Interpreter &interpreter, const KernelValue &kernel,
                                  const std::string &name, const Arguments &arguments)
{
    if (name == "with_attr") {
        const ArgumentValue &given = arguments.need(0, "attr_key_or_dict");
        const auto *dict = given.value.as<DictValue>();
        const Value symbol = std::string(ir::globalSymbolKey);
        const Value *value = dict ? findItem(*dict, symbol) : nullptr;
        if (!dict && plainEqual(given.value, symbol).value_or(false))
            value = &arguments.need(1, "attr_value").value;
        if (const auto *text = value ? value->as<std::string>() : nullptr)
            interpreter.kernels()[kernel.index].name = *text;
        return Value(kernel);
    }
    if (name == "script" || name == "show" || name == "astext" || name == "attrs" || name == "without_attr")
        return Value(SkippedValue{"printing a function"});
    return std::nullopt;
}

} // namespace

Value Interpreter::callMethod(const MethodValue &method, const Arguments &arguments)
{
    const Value &self = *method.self;
    std::optional<Value> result;
    if (const auto *text = self.as<std::string>())
        result = stringMethod(*text, method.name, arguments);
    else if (self.as<ListValue>() || self.as<DictValue>())
        result = containerMethod(*this, self, method.name, arguments);
    else if (const auto *kernel = self.as<KernelValue>())
        result = kernelMethod(*this, *kernel, method.name, arguments);
    else if (const auto *schedule = self.as<ScheduleValue>())
        result = schedule->schedule->callMethod(schedule->schedule, method.name, arguments);
    else if (const auto *stage = self.as<StageValue>())
        result = stage->schedule->callStageMethod(stage->schedule, stage->stage, method.name, arguments);
    else if (self.as<LoweredValue>())
        result = method.name == "show" ? Value() : self;
    else if (const auto *operation = self.as<OperationValue>(); operation && method.name == "output")
        result = Value(Tensor(operation->operation, static_cast<int>(arguments.integer(0, "index"))));
    else if (const auto *builtin = self.as<BuiltinValue>(); builtin && method.name == "from_expr")
        result = findBuiltin(builtin->name)->call(arguments);
    else if (const Expr e = toExpr(self); e && method.name == "astype")
        result = Value(ir::converted(arguments.dtype(0, "dtype", e.dtype()), e));
    else if (const Expr left = toExpr(self); left && method.name == "equal")
        result = Value(ir::eq(left, arguments.expr(0, "other")));
    if (result)
        return *result;
    fail(arguments.at(), "te.unknown-attribute",
         std::format("{} has no attribute \"{}\"", self.kindText(), method.name));
}

} // namespace nestwright::te
