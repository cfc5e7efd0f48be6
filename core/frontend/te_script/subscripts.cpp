// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/script/python/sequences.h"

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
    if (object.as<ListValue>() || object.as<std::string>())
        return indexSequence(object, e);
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

Value Interpreter::indexSequence(const Value &sequence, const py::Subscript &e)
{
    const auto *list = sequence.as<ListValue>();
    const auto *text = sequence.as<std::string>();
    const auto size = static_cast<std::int64_t>(list ? list->items->size() : text->size());
    if (e.items.size() != 1)
        fail(e.at, "te.type", std::format("{} is indexed with one number", sequence.kindText()));
    std::vector<std::int64_t> places;
    const auto *slice = e.items[0]->as<py::Slice>();
    if (slice) {
        places = placesIn(size, *slice);
        const auto count = static_cast<std::int64_t>(places.size());
        list ? countList(count, e.at) : countText(count, e.at);
    } else {
        const Value index = evaluate(*e.items[0]);
        if (index.isSkipped())
            return index;
        places = {placeIn(index, size, sequence, e)};
    }
    if (text)
        return py::itemsAt(*text, places);
    if (!slice)
        return (*list->items)[static_cast<std::size_t>(places.front())];
    std::vector<Value> part = py::itemsAt(*list->items, places);
    return list->isTuple ? Value::tuple(std::move(part)) : Value::list(std::move(part));
}

/// The place, from 0, that `index` means among `size` elements of `sequence`.
std::int64_t Interpreter::placeIn(const Value &index, std::int64_t size, const Value &sequence,
                                  const py::Subscript &e)
{
    const auto number = asInteger(index);
    if (!number)
        fail(e.items[0]->at, "te.type",
             std::format("{} is indexed with an int, not with {}", sequence.kindText(), index.kindText()));
    return orFail(*this, py::placeOf(*number, size, sequence.kindText()), e.at);
}

/// The places, from 0, that a slice takes of `size` elements, in its order.
std::vector<std::int64_t> Interpreter::placesIn(std::int64_t size, const py::Slice &slice)
{
    const auto bounds = py::boundsOf(slice, [&](const py::Expr &bound) {
        const Value value = evaluate(*bound);
        const auto number = asInteger(value);
        if (!number && !value.isNone())
            fail(bound->at, "te.type",
                 std::format("a slice is bounded by ints, not by {}", value.kindText()));
        return number;
    });
    return orFail(*this, py::placesOf(bounds, size), slice.at);
}

} // namespace nestwright::te
