// SPDX-License-Identifier: Apache-2.0
#include "core/te/script/builtins.h"
#include "core/te/script/interpreter.h"
#include "core/te/script/legacy_schedule.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

Value Interpreter::subscript(const py::Subscript &e)
{
    Value object = evaluate(*e.value);
    if (object.isSkipped() || object.as<LoweredValue>())
        return object;
    if (const auto *tensor = object.as<Tensor>())
        return indexTensor(*tensor, {}, e);
    if (const auto *slice = object.as<TensorSliceValue>())
        return indexTensor(slice->tensor, slice->indices, e);
    if (const auto *list = object.as<ListValue>())
        return indexList(*list, e);
    if (const auto *schedule = object.as<ScheduleValue>(); schedule && e.items.size() == 1)
        return schedule->schedule->stageOf(*this, schedule->schedule, evaluate(*e.items[0]), e.items[0]->at);
    if (const auto *dict = object.as<DictValue>(); dict && e.items.size() == 1) {
        const Value key = evaluate(*e.items[0]);
        if (const Value *found = findItem(*dict, key))
            return *found;
        fail(e.at, "te.unknown-key", "the dict has no such key");
    }
    fail(e.at, "te.type", std::format("{} cannot be indexed", object.kindText()));
}

Value Interpreter::indexTensor(const Tensor &tensor, std::vector<Expr> indices, const py::Subscript &e)
{
    // A[()] of a scalar, and A[t] where t is a tuple of indices.
    std::vector<Value> values;
    for (const py::Expr &item : e.items) {
        if (item->kind == py::ExprKind::Slice) {
            fail(item->at, "te.unsupported",
                 std::format("\"{}\" is sliced; an element needs one index per dimension", tensor.name()));
        }
        const auto *starred = item->as<py::Starred>();
        const Value value = evaluate(starred ? *starred->value : *item);
        if (value.as<ListValue>())
            std::ranges::copy(this->items(value, item->at), std::back_inserter(values));
        else
            values.push_back(value);
    }
    for (const Value &value : values) {
        if (const auto *skipped = value.as<SkippedValue>()) {
            fail(e.at, "te.skipped-value",
                 std::format("an index of \"{}\" comes from {}, which is not carried out", tensor.name(),
                             skipped->what));
        }
        const Expr index = toExpr(value);
        if (!index)
            fail(e.at, "te.type",
                 std::format("an index of \"{}\" is {}, not an integer", tensor.name(), value.kindText()));
        indices.push_back(index);
    }
    // A[i][k] gives its indices one after the other.
    if (!e.isTuple && !values.empty() && indices.size() < tensor.shape().size())
        return TensorSliceValue{tensor, std::move(indices), e.at};
    Expr element = tensor.at(std::move(indices));
    m_loads.emplace(element.get(), std::pair(element, e.at));
    return element;
}

Value Interpreter::indexList(const ListValue &list, const py::Subscript &e)
{
    const auto size = static_cast<std::int64_t>(list.items->size());
    if (e.items.size() != 1)
        fail(e.at, "te.type", "a list is indexed with one number");
    const auto bound = [&](const py::Expr &end, std::int64_t otherwise) {
        if (!end)
            return otherwise;
        const Value value = evaluate(*end);
        const auto *number = value.as<std::int64_t>();
        if (!number)
            fail(end->at, "te.type",
                 std::format("a list is indexed with an int, not with {}", value.kindText()));
        return std::clamp(*number < 0 ? *number + size : *number, std::int64_t{0}, size);
    };
    if (const auto *slice = e.items[0]->as<py::Slice>()) {
        if (slice->step)
            fail(slice->at, "te.unsupported", "slices with a step are not understood");
        const std::int64_t begin = bound(slice->lower, 0), end = std::max(begin, bound(slice->upper, size));
        countList(end - begin, e.at);
        std::vector<Value> part(list.items->begin() + begin, list.items->begin() + end);
        return list.isTuple ? Value::tuple(std::move(part)) : Value::list(std::move(part));
    }
    Value value = evaluate(*e.items[0]);
    if (value.isSkipped())
        return value;
    const auto *number = value.as<std::int64_t>();
    if (!number)
        fail(e.items[0]->at, "te.type",
             std::format("a list is indexed with an int, not with {}", value.kindText()));
    const std::int64_t index = *number < 0 ? *number + size : *number;
    if (index < 0 || index >= size) {
        fail(e.at, "te.index",
             std::format("index {} of {} with {} element{}", *number, list.isTuple ? "a tuple" : "a list",
                         size, size == 1 ? "" : "s"));
    }
    return (*list.items)[static_cast<std::size_t>(index)];
}

} // namespace nestwright::te
