// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"

#include <format>

namespace nestwright::te {

namespace {

Value makePrimFunc(const Arguments &arguments)
{
    arguments.expect({"ops", "index_dtype_override"});
    if (arguments.find(1, "index_dtype_override"))
        arguments.fail("te.unsupported", "\"index_dtype_override\" is not supported",
                       "give the sizes the type they are to have");
    const ArgumentValue &ops = arguments.need(0, "ops");
    return KernelValue{arguments.interpreter().addKernel(ops.value, ops.at)};
}

std::shared_ptr<const Operation> outputOperation(const Arguments &arguments, const ArgumentValue &argument,
                                                 const Value &value)
{
    if (const auto *operation = value.as<OperationValue>())
        return operation->operation;
    if (const auto *tensor = value.as<Tensor>())
        return tensor->operationPointer();
    arguments.wrong(argument, "ops", "an operation such as C.op");
}

Value createSchedule(const Arguments &arguments)
{
    arguments.expect({"ops"});
    const ArgumentValue &ops = arguments.need(0, "ops");
    const auto *list = ops.value.as<ListValue>();
    std::vector<std::shared_ptr<const Operation>> outputs;
    for (const Value &value : list ? *list->items : std::vector<Value>{ops.value})
        outputs.push_back(outputOperation(arguments, ops, value));
    if (outputs.empty())
        arguments.fail("te.argument", "create_schedule() needs at least one operation");
    auto schedule = std::make_shared<LegacySchedule>(std::move(outputs));
    Interpreter &interpreter = arguments.interpreter();
    interpreter.kernels().push_back({"main", {}, schedule, arguments.at().line, interpreter.iteration()});
    return ScheduleValue{std::move(schedule)};
}

/// tvm.lower and tvm.build do nothing here, but they tell the order of a schedule's arguments.
Value lowerOrBuild(const Arguments &arguments)
{
    const ArgumentValue *input = arguments.find(0, "inputs");
    if (!input)
        input = arguments.find(0, "inp");
    const ArgumentValue *list = arguments.find(1, "args");
    const auto *schedule = input ? input->value.as<ScheduleValue>() : nullptr;
    if (schedule && list && list->value.as<ListValue>())
        arguments.interpreter().setScheduleArguments(schedule->schedule.get(), list->value, list->at);
    if (schedule && arguments.function() == "lower")
        return LoweredValue{schedule->schedule};
    return SkippedValue{"tvm." + arguments.function()};
}

/// auto_scheduler.SearchTask(func=f, args=(…)): the kernel of the workload f.
Value searchTask(const Arguments &arguments)
{
    Interpreter &interpreter = arguments.interpreter();
    const ArgumentValue *function = arguments.find(0, "func");
    const ArgumentValue *given = arguments.find(1, "args");
    const auto *closure = function ? function->value.as<ClosureValue>() : nullptr;
    if (closure && given && given->value.as<ListValue>()) {
        const Value tensors =
            interpreter.call(function->value, *given->value.as<ListValue>()->items, arguments.at());
        if (tensors.as<ListValue>())
            interpreter.addKernel(tensors, arguments.at());
    }
    return SkippedValue{"auto_scheduler.SearchTask"};
}

/// IRModule({"mmult": func}) and IRModule.from_expr(func): the function under that name.
Value irModule(const Arguments &arguments)
{
    const ArgumentValue *functions = arguments.find(0, "functions");
    if (!functions)
        return SkippedValue{"IRModule"};
    if (functions->value.as<KernelValue>())
        return functions->value;
    const auto *dict = functions->value.as<DictValue>();
    for (const auto &[key, value] : dict ? *dict->items : std::vector<std::pair<Value, Value>>()) {
        if (const auto *kernel = value.as<KernelValue>()) {
            if (const auto *name = key.as<std::string>())
                arguments.interpreter().kernels()[kernel->index].name = *name;
            return *kernel;
        }
    }
    return SkippedValue{"IRModule"};
}

/// A skipped value: the schedule's steps are taken from the text (schedule_lines.h), for the reader of
/// schedule scripts.
Value tirSchedule(const Arguments &) { return SkippedValue{tirScheduleName}; }

} // namespace

std::span<const BuiltinFunction> kernelFunctions()
{
    static const BuiltinFunction table[] = {
        {"te.create_prim_func", &makePrimFunc},
        {"te.create_schedule", &createSchedule},
        {"tvm.lower", &lowerOrBuild},
        {"tvm.build", &lowerOrBuild},
        {"tvm.compile", &lowerOrBuild},
        {"tvm.SearchTask", &searchTask},
        {"tvm.IRModule", &irModule},
        {"te.Schedule", &tirSchedule},
    };
    return table;
}

} // namespace nestwright::te
