// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/legacy_schedule.h"

#include "core/frontend/te_script/interpreter.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>
#include <functional>
#include <unordered_set>

namespace nestwright::te {

LegacySchedule::LegacySchedule(std::vector<std::shared_ptr<const Operation>> outputs)
    : m_outputs(std::move(outputs))
{
    std::unordered_set<const Operation *> seen;
    const std::function<void(const std::shared_ptr<const Operation> &)> visit = [&](const auto &operation) {
        if (!seen.insert(operation.get()).second)
            return;
        for (const Tensor &input : operation->inputs)
            visit(input.operationPointer());
        if (!operation->isPlaceholder)
            m_order.push_back(addStage(operation, LegacyStage::Kind::Compute));
    };
    for (const auto &output : m_outputs)
        visit(output);
}

int LegacySchedule::addStage(const std::shared_ptr<const Operation> &operation, LegacyStage::Kind kind)
{
    const int index = static_cast<int>(m_stages.size());
    LegacyStage stage;
    stage.kind = kind;
    stage.operation = operation;
    stage.written = operation->outputs[0];
    m_stages.push_back(std::move(stage));
    std::vector<IterVar> axes = operation->axes;
    if (operation->reduction && (kind == LegacyStage::Kind::Compute || kind == LegacyStage::Kind::Factored))
        axes.insert(axes.end(), operation->reduction->axes.begin(), operation->reduction->axes.end());
    for (const IterVar &axis : axes)
        m_stages[static_cast<std::size_t>(index)].own.push_back(addAxis(index, axis.var.name(), axis.var));
    m_stages[static_cast<std::size_t>(index)].leaves = m_stages[static_cast<std::size_t>(index)].own;
    return index;
}

int LegacySchedule::addAxis(int stage, std::string name, Var var)
{
    m_axes.push_back({std::move(name), stage, std::move(var)});
    return static_cast<int>(m_axes.size()) - 1;
}

int LegacySchedule::findStage(const Operation *operation) const
{
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
        if (m_stages[i].operation.get() == operation || m_stages[i].former.get() == operation)
            return static_cast<int>(i);
    }
    return -1;
}

Value LegacySchedule::stageOf(Interpreter &interpreter, const std::shared_ptr<LegacySchedule> &self,
                              const Value &key, py::Position at) const
{
    const Operation *operation = nullptr;
    if (const auto *tensor = key.as<Tensor>())
        operation = &tensor->operation();
    if (const auto *value = key.as<OperationValue>())
        operation = value->operation.get();
    if (key.isSkipped())
        return key;
    if (!operation)
        interpreter.fail(at, "te.type",
                         std::format("a schedule is indexed with a tensor, not with {}", key.kindText()));
    const int stage = findStage(operation);
    if (stage < 0) {
        interpreter.fail(at, "te.no-stage",
                         std::format("\"{}\" has no stage in this schedule", operation->name),
                         operation->isPlaceholder ? "a placeholder is not computed"
                                                  : "create the schedule from the operation that uses it");
    }
    return StageValue{self, stage};
}

std::optional<Value> LegacySchedule::stageAttribute(int stage, const std::string &name) const
{
    if (name == "op")
        return Value(OperationValue{m_stages[static_cast<std::size_t>(stage)].operation});
    return std::nullopt;
}

int LegacySchedule::stageArgument(const Arguments &arguments, std::size_t index, std::string_view name) const
{
    const ArgumentValue &argument = arguments.need(index, name);
    if (const auto *stage = argument.value.as<StageValue>(); stage && stage->schedule.get() == this)
        return stage->stage;
    const Operation *operation = nullptr;
    if (const auto *tensor = argument.value.as<Tensor>())
        operation = &tensor->operation();
    if (const auto *value = argument.value.as<OperationValue>())
        operation = value->operation.get();
    const int stage = operation ? findStage(operation) : -1;
    if (stage < 0)
        arguments.wrong(argument, name, "a tensor computed in this schedule");
    return stage;
}

std::optional<int> LegacySchedule::axisArgument(const Arguments &arguments, const ArgumentValue &argument,
                                                std::string_view name, int stage) const
{
    const LegacyStage &owner = m_stages[static_cast<std::size_t>(stage)];
    int axis = -1;
    std::string axisName;
    if (argument.value.isSkipped())
        return std::nullopt;
    if (const auto *made = argument.value.as<StageAxisValue>(); made && made->schedule.get() == this) {
        axis = made->axis;
        axisName = m_axes[static_cast<std::size_t>(axis)].name;
    } else if (const auto *original = argument.value.as<IterVar>()) {
        axisName = original->var.name();
        for (const int own : owner.own) {
            if (m_axes[static_cast<std::size_t>(own)].var == original->var)
                axis = own;
        }
    } else {
        arguments.wrong(argument, name, "an axis of the stage");
    }
    Interpreter &interpreter = arguments.interpreter();
    if (axis < 0 || m_axes[static_cast<std::size_t>(axis)].stage != stage) {
        interpreter.fail(
            argument.at, "te.not-an-axis",
            std::format("\"{}\" is no axis of the stage \"{}\"", axisName, owner.operation->name));
    }
    if (std::find(owner.leaves.begin(), owner.leaves.end(), axis) == owner.leaves.end()) {
        interpreter.fail(argument.at, "te.not-a-leaf",
                         std::format("the axis \"{}\" of \"{}\" has been split or fused already", axisName,
                                     owner.operation->name),
                         "use the axes that the split or fuse gave");
    }
    return axis;
}

std::optional<Value> LegacySchedule::callMethod(const std::shared_ptr<LegacySchedule> &,
                                                const std::string &name, const Arguments &arguments)
{
    if (name == "cache_read")
        return cacheRead(arguments);
    if (name == "cache_write")
        return cacheWrite(arguments);
    if (name == "rfactor")
        return factorReduction(arguments);
    if (name == "normalize")
        return Value();
    if (name == "create_group") {
        arguments.interpreter().note(arguments.at(), "te.not-carried-over",
                                     std::format("not carried over: {} of a legacy schedule", name));
        return Value(SkippedValue{name});
    }
    return std::nullopt;
}

namespace {

/// An operation with one output like `tensor`, for a cache of it.
std::shared_ptr<const Operation> cacheOperation(const Tensor &tensor, const std::string &scope,
                                                const std::vector<IterVar> &likeAxes,
                                                std::optional<Reduction> reduction)
{
    Operation operation;
    operation.name = tensor.name() + "_" + scope;
    operation.outputs.emplace_back(operation.name, tensor.shape(), tensor.dtype());
    for (std::size_t i = 0; i < tensor.shape().size(); ++i) {
        const std::string name = i < likeAxes.size() ? likeAxes[i].var.name() : std::format("ax{}", i);
        operation.axes.push_back({{ir::intImm(0, tensor.shape()[i].dtype()), tensor.shape()[i]},
                                  Var(name, tensor.shape()[i].dtype()),
                                  ir::IterKind::Spatial});
    }
    operation.reduction = std::move(reduction);
    return std::make_shared<const Operation>(std::move(operation));
}

std::string cacheScope(const Arguments &arguments)
{
    const ArgumentValue &argument = arguments.need(1, "scope");
    const auto *scope = argument.value.as<std::string>();
    if (!scope)
        arguments.wrong(argument, "scope", "a storage scope such as \"shared\"");
    return scope->empty() ? "global" : *scope;
}

} // namespace

Value LegacySchedule::cacheRead(const Arguments &arguments)
{
    arguments.expect({"tensor", "scope", "readers"});
    const ArgumentValue &argument = arguments.need(0, "tensor");
    const auto *tensor = argument.value.as<Tensor>();
    if (!tensor)
        arguments.wrong(argument, "tensor", "a tensor");
    const std::string scope = cacheScope(arguments);
    const auto operation = cacheOperation(*tensor, scope, {}, std::nullopt);

    const ArgumentValue &readers = arguments.need(2, "readers");
    const auto *list = readers.value.as<ListValue>();
    std::vector<int> readerStages;
    for (const Value &value : list ? *list->items : std::vector<Value>{readers.value}) {
        Arguments one(arguments.interpreter(), "cache_read", readers.at);
        one.add({}, value, readers.at);
        readerStages.push_back(stageArgument(one, 0, "readers"));
    }
    if (readerStages.empty())
        arguments.wrong(readers, "readers", "the tensors that read from the cache");

    const int source = findStage(&tensor->operation());
    const bool ofCache =
        source >= 0 && m_stages[static_cast<std::size_t>(source)].kind == LegacyStage::Kind::CacheRead;
    const ir::Buffer cached = ofCache ? m_stages[static_cast<std::size_t>(source)].cached : tensor->buffer();
    for (const int reader : readerStages) {
        const LegacyStage &stage = m_stages[static_cast<std::size_t>(reader)];
        const std::vector<Tensor> &inputs = stage.operation->inputs;
        const bool isKnown = stage.kind == LegacyStage::Kind::Compute && !inputs.empty();
        if (isKnown && !std::ranges::contains(inputs, cached, &Tensor::buffer)) {
            arguments.fail("te.argument",
                           std::format("\"{}\" does not read \"{}\"", stage.operation->name, tensor->name()),
                           "give the tensors that read it as the readers of the cache");
        }
    }
    const int index = addStage(operation, LegacyStage::Kind::CacheRead);
    LegacyStage &stage = m_stages[static_cast<std::size_t>(index)];
    stage.cached = cached;
    stage.scope = scope;
    stage.readers = readerStages;
    stage.line = arguments.at().line;
    const auto first = std::find_if(m_order.begin(), m_order.end(), [&](int s) {
        return std::find(readerStages.begin(), readerStages.end(), s) != readerStages.end();
    });
    m_order.insert(first, index);
    m_caches.push_back(index);
    return Tensor(operation, 0);
}

Value LegacySchedule::cacheWrite(const Arguments &arguments)
{
    arguments.expect({"tensor", "scope"});
    const ArgumentValue &argument = arguments.need(0, "tensor");
    const auto *tensor = argument.value.as<Tensor>();
    if (!tensor)
        arguments.wrong(argument, "tensor", "a tensor");
    const int copy = stageArgument(arguments, 0, "tensor");
    LegacyStage &before = m_stages[static_cast<std::size_t>(copy)];
    if (before.kind != LegacyStage::Kind::Compute || !before.actions.empty() || before.attachStage >= 0) {
        arguments.fail("te.cache-after-schedule",
                       std::format("cache_write of \"{}\" comes after other steps on it", tensor->name()),
                       "move cache_write before them");
    }
    const std::string scope = cacheScope(arguments);
    const auto operation =
        cacheOperation(*tensor, scope, tensor->operation().axes, tensor->operation().reduction);
    const int compute = addStage(operation, LegacyStage::Kind::Compute);
    LegacyStage &stage = m_stages[static_cast<std::size_t>(copy)];
    m_stages[static_cast<std::size_t>(compute)].written = tensor->buffer();
    stage.kind = LegacyStage::Kind::CacheWrite;
    stage.scope = scope;
    stage.source = compute;
    stage.line = arguments.at().line;
    stage.own.resize(tensor->shape().size());
    stage.leaves = stage.own;
    m_order.insert(std::find(m_order.begin(), m_order.end(), copy), compute);
    m_caches.push_back(copy);
    return Tensor(operation, 0);
}

std::optional<Value> LegacySchedule::callStageMethod(const std::shared_ptr<LegacySchedule> &self, int stage,
                                                     const std::string &name, const Arguments &arguments)
{
    if (name == "split")
        return split(self, stage, arguments);
    if (name == "tile")
        return tile(self, stage, arguments);
    if (name == "fuse")
        return fuse(self, stage, arguments);
    if (name == "reorder")
        return reorder(stage, arguments);
    if (name == "vectorize")
        return annotate(stage, LegacyAction::Kind::Vectorize, arguments);
    if (name == "parallel")
        return annotate(stage, LegacyAction::Kind::Parallel, arguments);
    if (name == "unroll")
        return annotate(stage, LegacyAction::Kind::Unroll, arguments);
    if (name == "bind")
        return annotate(stage, LegacyAction::Kind::Bind, arguments);
    if (name == "pragma")
        return annotate(stage, LegacyAction::Kind::Pragma, arguments);
    if (name == "double_buffer") {
        LegacyAction action;
        action.kind = LegacyAction::Kind::DoubleBuffer;
        action.line = arguments.at().line;
        m_stages[static_cast<std::size_t>(stage)].actions.push_back(std::move(action));
        return Value();
    }
    if (name == "compute_at")
        return computeAt(stage, arguments);
    if (name == "compute_inline") {
        m_stages[static_cast<std::size_t>(stage)].isInlined = true;
        m_stages[static_cast<std::size_t>(stage)].inlineLine = arguments.at().line;
        return Value();
    }
    if (name == "compute_root") {
        m_stages[static_cast<std::size_t>(stage)].attachStage = -1;
        m_stages[static_cast<std::size_t>(stage)].isInlined = false;
        return Value();
    }
    static constexpr std::string_view others[] = {"set_scope",      "storage_align",   "tensorize",
                                                  "prefetch",       "env_threads",     "set_store_predicate",
                                                  "rolling_buffer", "transform_layout"};
    if (std::find(std::begin(others), std::end(others), name) != std::end(others)) {
        arguments.interpreter().note(arguments.at(), "te.not-carried-over",
                                     std::format("not carried over: {} of a legacy schedule", name));
        return Value(SkippedValue{name});
    }
    return std::nullopt;
}

} // namespace nestwright::te
