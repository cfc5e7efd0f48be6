// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/codes.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/support/text/near_names.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

namespace {

/// Modules of TVM whose functions describe kernels. They share most of their names, and moved between
/// versions, so that one table serves them all.
bool isExpressionModule(std::string_view name)
{
    static constexpr std::string_view names[] = {"tvm",        "tvm.te",          "tvm.tir",
                                                 "tvm.tirx",   "tvm.s_tir",       "tvm.ir",
                                                 "tvm.driver", "tvm.ir.module",   "tvm.auto_scheduler",
                                                 "tvm.tir.op", "tvm.te.operation"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Names of tvm.te and tvm.tir that are known to have nothing to do with what a kernel computes.
bool isIgnoredName(std::string_view name)
{
    static constexpr std::string_view names[] = {
        "tag_scope",  "transform", "analysis", "schedule", "Schedule",    "TensorIntrin",  "stmt_functor",
        "ir_builder", "PrimFunc",  "Tensor",   "Buffer",   "decl_buffer", "CallEffectKind"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::vector<std::string_view> expressionNames()
{
    std::vector<std::string_view> names;
    for (const auto &table : {teFunctions(), mathFunctions(), kernelFunctions()}) {
        for (const BuiltinFunction &function : table)
            names.push_back(function.name.substr(function.name.find('.') + 1));
    }
    return names;
}

} // namespace

const BuiltinFunction *findBuiltin(std::string_view name)
{
    for (const auto &table : {teFunctions(), mathFunctions(), kernelFunctions(), pythonFunctions()}) {
        for (const BuiltinFunction &function : table) {
            if (function.name == name)
                return &function;
        }
    }
    return nullptr;
}

Value importedValue(Interpreter &interpreter, const std::string &path, py::Position at)
{
    if (path == "tvm")
        return ModuleValue{"tvm"};
    if (!path.starts_with("tvm."))
        return SkippedValue{path.substr(0, path.find('.'))};
    if (path.starts_with("tvm.script"))
        return SkippedValue{"tvm.script"};
    const std::size_t dot = path.rfind('.');
    if (isExpressionModule(path))
        return ModuleValue{path};
    return moduleAttribute(interpreter, {path.substr(0, dot)}, path.substr(dot + 1), at);
}

Value moduleAttribute(Interpreter &interpreter, const ModuleValue &module, const std::string &name,
                      py::Position at)
{
    const std::string full = module.name + "." + name;
    if (isExpressionModule(full))
        return ModuleValue{full};
    if (!isExpressionModule(module.name))
        return SkippedValue{full};
    for (const char *prefix : {"te.", "tvm."}) {
        if (findBuiltin(prefix + name))
            return BuiltinValue{prefix + name};
    }
    const bool expressions = module.name == "tvm.te" || module.name == "tvm.tir" || module.name == "tvm.tirx";
    if (!expressions || isIgnoredName(name))
        return SkippedValue{full};
    interpreter.fail(at, codes::unknownFunction,
                     std::format("\"{}\" has no function \"{}\"", module.name, name),
                     support::didYouMean(name, expressionNames()));
}

const Value *findItem(const DictValue &dict, const Value &key)
{
    for (const auto &[known, value] : *dict.items) {
        if (plainEqual(known, key).value_or(false))
            return &value;
    }
    return nullptr;
}

void setItem(const DictValue &dict, const Value &key, const Value &value)
{
    for (auto &[known, item] : *dict.items) {
        if (plainEqual(known, key).value_or(false)) {
            item = value;
            return;
        }
    }
    dict.items->emplace_back(key, value);
}

namespace {

/// `steps` are left; lists that hold one another twice have far more parts than memory holds.
std::optional<bool> plainEqual(const Value &a, const Value &b, int &steps)
{
    if (--steps < 0)
        return std::nullopt;
    const auto left = py::numberOf(a.variant()), right = py::numberOf(b.variant());
    if (left && right)
        return py::order(*left, *right) == 0;
    if (a.variant().index() != b.variant().index())
        return false;
    if (a.isNone())
        return true;
    if (const auto *text = a.as<std::string>())
        return *text == *b.as<std::string>();
    if (const auto *tensor = a.as<Tensor>())
        return *tensor == *b.as<Tensor>();
    if (const auto *list = a.as<ListValue>()) {
        const auto &other = *b.as<ListValue>();
        if (list->isTuple != other.isTuple || list->items->size() != other.items->size())
            return false;
        for (std::size_t i = 0; i < list->items->size(); ++i) {
            const std::optional<bool> equal = plainEqual((*list->items)[i], (*other.items)[i], steps);
            if (!equal.value_or(false))
                return equal;
        }
        return true;
    }
    return std::nullopt;
}

} // namespace

std::optional<bool> plainEqual(const Value &a, const Value &b)
{
    int steps = 10'000;
    return plainEqual(a, b, steps);
}

} // namespace nestwright::te
