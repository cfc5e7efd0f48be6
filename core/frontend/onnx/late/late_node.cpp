// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/late/late_node.h"

#include "core/frontend/onnx/file/made_array.h"
#include "core/ir/exact_integers.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <format>
#include <limits>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

/// The sum, as far as it can be held.
std::int64_t added(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::int64_t negated(std::int64_t a)
{
    return a == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -a;
}

std::int64_t productOf(const Ints &sizes, std::size_t from, std::size_t to)
{
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(from),
                           sizes.begin() + static_cast<std::ptrdiff_t>(to), std::int64_t{1},
                           std::multiplies<>());
}

/// Whether axes of `sizes` from `from` on multiply to `product`.
bool multiplyTo(const Ints &sizes, std::size_t from, std::int64_t product)
{
    for (std::size_t to = from; to <= sizes.size(); ++to) {
        if (productOf(sizes, from, to) == product)
            return true;
    }
    return false;
}

} // namespace

Values LateNode::with(const std::map<std::size_t, Value> &others) const
{
    Values inputs;
    const std::size_t count = others.empty() ? 0 : others.rbegin()->first + 1;
    for (std::size_t i = 0; i < std::max(node.inputCount(), count); ++i) {
        const auto other = others.find(i);
        inputs.push_back(other != others.end() ? other->second : node.has(i) ? node.input(i) : Value{});
    }
    NodeImport changed = node.withInputs(std::move(inputs));
    Values results = m_row.import(changed);
    node.setResultType(changed.resultType());
    return results;
}

const LateSizes::Axes &LateNode::axes(std::size_t i) const
{
    return m_sizes.of(node.has(i) ? node.input(i) : Value{});
}

Values LateNode::give(Values results, const Axes &axes)
{
    for (const Value result : results)
        set(result, axes);
    return results;
}

LateNumber LateNode::size(Value tensor, std::int64_t axis) const
{
    const Ints shape = node.shapeOf(tensor);
    if (axis < 0 || axis >= std::ssize(shape))
        node.unsupported(std::format("a tensor of {} dimensions has no axis {}", shape.size(), axis));
    const std::int64_t most = shape[static_cast<std::size_t>(axis)];
    const Axes &late = m_sizes.of(tensor);
    const auto found = late.find(axis);
    return found == late.end() ? LateNumber{most, most, {}} : LateNumber{0, most, found->second};
}

std::vector<LateNumber> LateNode::list(std::size_t i)
{
    std::vector<LateNumber> numbers;
    const LateSizes::Bounds *bounds = m_sizes.bounds(node.input(i));
    if (!bounds || m_sizes.dataOf(node.builder(), node.input(i))) {
        for (const std::int64_t number : node.list(i))
            numbers.push_back({number, number, {}});
        return numbers;
    }
    for (std::int64_t k = 0; k < bounds->low->size(); ++k) {
        const Value whole = node.cast(node.input(i), ir::DataType::int64());
        numbers.push_back({ir::integerAt(*bounds->low, k), ir::integerAt(*bounds->high, k), {}});
        if (!bounds->areEqual(k))
            numbers.back().value = node.rank(i) == 0 ? whole : node.part(whole, 0, k);
    }
    return numbers;
}

LateNumber LateNode::number(std::size_t i)
{
    const std::vector<LateNumber> numbers = list(i);
    if (numbers.size() != 1)
        throw support::UserError(support::diagnostic(
            "onnx.value", std::format("its input \"{}\" must be one number", node.node().inputs[i])));
    return numbers[0];
}

Value LateNode::valueOf(const LateNumber &number)
{
    return number.isKnown() ? node.constant(integerArray({number.low}, {})) : number.value;
}

void LateNode::put(Axes &axes, std::int64_t axis, const LateNumber &size)
{
    if (!size.isKnown())
        axes.insert_or_assign(axis, size.value);
}

LateNumber LateNode::combined(std::string_view op, const LateNumber &a, const LateNumber &b, std::int64_t low,
                              std::int64_t high)
{
    if (low == high)
        return {low, high, {}};
    return {low, high, node.call(op, {valueOf(a), valueOf(b)})};
}

LateNumber LateNode::sum(const LateNumber &a, const LateNumber &b)
{
    if (b.isKnown() && b.low == 0)
        return a;
    return combined("add", a, b, added(a.low, b.low), added(a.high, b.high));
}

LateNumber LateNode::difference(const LateNumber &a, const LateNumber &b)
{
    if (b.isKnown() && b.low == 0)
        return a;
    return combined("subtract", a, b, added(a.low, negated(b.high)), added(a.high, negated(b.low)));
}

LateNumber LateNode::product(const LateNumber &a, const LateNumber &b)
{
    if (b.isKnown() && b.low == 1)
        return a;
    return combined("multiply", a, b, a.low * b.low, a.high * b.high);
}

LateNumber LateNode::quotient(const LateNumber &a, std::int64_t b)
{
    return b == 1 ? a : combined("divide", a, {b, b, {}}, a.low / b, a.high / b);
}

LateNumber LateNode::smaller(const LateNumber &a, const LateNumber &b)
{
    if (a.high <= b.low || b.high <= a.low)
        return a.high <= b.low ? a : b;
    return combined("minimum", a, b, std::min(a.low, b.low), std::min(a.high, b.high));
}

LateNumber LateNode::larger(const LateNumber &a, const LateNumber &b)
{
    if (a.low >= b.high || b.low >= a.high)
        return a.low >= b.high ? a : b;
    return combined("maximum", a, b, std::max(a.low, b.low), std::max(a.high, b.high));
}

LateNumber LateNode::choice(Value condition, const LateNumber &a, const LateNumber &b)
{
    if (a.isKnown() && b.isKnown() && a.low == b.low)
        return a;
    return {std::min(a.low, b.low), std::max(a.high, b.high),
            node.call("where", {condition, valueOf(a), valueOf(b)})};
}

LateNumber LateNode::unlessOne(const LateNumber &size, const LateNumber &other)
{
    return choice(node.call("equal", {size.value, node.scalarLike(1, size.value)}), other, size);
}

Value LateNode::counting(std::int64_t size, std::int64_t axis, std::int64_t rank)
{
    Ints shape(static_cast<std::size_t>(rank), 1);
    shape[static_cast<std::size_t>(axis)] = size;
    ir::NdArray places = madeArray(node, ir::DataType::int64(), shape);
    std::iota(places.data<std::int64_t>(), places.data<std::int64_t>() + size, std::int64_t{0});
    return node.constant(std::move(places));
}

Value LateNode::masked(Value x, const Axes &axes, double fill)
{
    const Ints shape = node.shapeOf(x);
    for (const auto &[axis, count] : axes) {
        if (axis >= std::ssize(shape))
            node.unsupported("its inputs differ in rank");
        const Value places =
            counting(shape[static_cast<std::size_t>(axis)], axis, static_cast<std::int64_t>(shape.size()));
        x = node.call("where", {node.call("less", {places, count}), x, node.scalarLike(fill, x)});
    }
    return x;
}

Value LateNode::fromFront(Value indices, const LateNumber &size)
{
    return size.isKnown() ? indices : counted(indices, size.value);
}

Value LateNode::tuplesFromFront(Value indices, Value tensor, std::int64_t first)
{
    const Ints shape = node.shapeOf(indices);
    if (shape.empty())
        node.unsupported("the indices need a dimension that holds the tuples");
    std::vector<LateNumber> sizes;
    for (std::int64_t i = 0; i < shape.back(); ++i)
        sizes.push_back(size(tensor, first + i));
    const bool allKnown = std::ranges::all_of(sizes, &LateNumber::isKnown);
    return allKnown ? indices : counted(indices, vector(sizes));
}

Value LateNode::counted(Value indices, Value sizes)
{
    const Value whole = node.cast(indices, ir::DataType::int64());
    return node.call("where", {node.call("less", {whole, node.scalarLike(0, whole)}),
                               node.call("add", {whole, sizes}), whole});
}

Value LateNode::vector(const std::vector<LateNumber> &numbers)
{
    Values parts;
    for (const LateNumber &number : numbers)
        parts.push_back(number.isKnown() ? node.constant(integerArray({number.low}))
                                         : node.reshape(number.value, {1}));
    if (parts.empty())
        return node.constant(integerArray({}));
    return node.concatenate(std::move(parts), 0);
}

Value LateNode::boundedVector(const std::vector<LateNumber> &numbers)
{
    const Value result = vector(numbers);
    Ints low, high;
    for (const LateNumber &number : numbers) {
        low.push_back(number.low);
        high.push_back(number.high);
    }
    if (low != high)
        m_sizes.setBounds(result, LateSizes::Bounds::between(integerArray(low), integerArray(high)));
    return result;
}

Value LateNode::boundedNumber(const LateNumber &number)
{
    const Value result = valueOf(number);
    if (!number.isKnown())
        m_sizes.setBounds(result, LateSizes::Bounds::between(integerArray({number.low}, {}),
                                                             integerArray({number.high}, {})));
    return result;
}

Value LateNode::firstAlong(Value x, std::int64_t axis, std::int64_t most)
{
    if (size(x, axis).high <= most)
        return x;
    const Value first = node.slice(x, axis, 0, most);
    set(first, m_sizes.of(x));
    return first;
}

LateNumber LateNode::common(std::span<const std::pair<Value *, std::int64_t>> tensors)
{
    std::optional<LateNumber> least;
    std::optional<std::int64_t> known;
    for (const auto &[tensor, axis] : tensors) {
        const LateNumber own = size(*tensor, axis);
        if (own.isKnown() && known.value_or(own.low) != own.low)
            node.unsupported(std::format("axes that must have one size have {} and {}", *known, own.low));
        if (own.isKnown())
            known = own.low;
        if (!least || own.high < least->high || (own.high == least->high && own.isKnown()))
            least = own;
    }
    for (const auto &[tensor, axis] : tensors)
        *tensor = firstAlong(*tensor, axis, least->high);
    return *least;
}

Value LateNode::repeated(Value x, std::int64_t axis, const LateNumber &size)
{
    Axes axes = axesOf(x);
    const Value own = axes.at(axis), last = node.call("subtract", {own, node.scalarLike(1, own)});
    const Value places = node.call("minimum", {counting(size.high, 0, 1), last});
    const Value result = node.call("take", {x, places}, {{"axis", axis}});
    axes.erase(axis);
    put(axes, axis, size);
    set(result, std::move(axes));
    return result;
}

LateNumber LateNode::broadcast(std::span<const std::pair<Value *, std::int64_t>> tensors)
{
    LateNumber result{1, 1, {}};
    bool meet = false; // late sizes and others
    for (const auto &[tensor, axis] : tensors) {
        const LateNumber own = size(*tensor, axis);
        if (own.isKnown() && own.low == 1)
            continue;
        if (result.isKnown() && result.low == 1) {
            result = own;
        } else if (own.value != result.value) {
            meet = true;
            // Of two sizes known only at run time: the first one, unless it turns out to be 1.
            if (own.isKnown() || result.isKnown())
                result = own.isKnown() ? own : result;
            else
                result = unlessOne(result, own);
        }
    }
    for (const auto &[tensor, axis] : tensors) {
        if (meet && !size(*tensor, axis).isKnown())
            *tensor = repeated(*tensor, axis, result);
    }
    return result;
}

void LateNode::requireKnown(std::size_t i, std::initializer_list<std::int64_t> others) const
{
    for (const auto &[axis, count] : axes(i)) {
        if (std::ranges::find(others, axis) == others.end())
            node.unsupported(
                std::format("axis {} of its input {} has a size that is known only when the model "
                            "runs",
                            axis, i));
    }
}

std::optional<LateSizes::Axes> LateNode::afterReshape(Value x, Value reshaped)
{
    const Ints from = node.shapeOf(x), to = node.shapeOf(reshaped);
    Axes result;
    for (const auto &[axis, count] : m_sizes.of(x)) {
        const auto place = static_cast<std::size_t>(axis);
        const std::int64_t before = productOf(from, 0, place), most = from[place];
        const LateNumber size{0, most, count};
        std::optional<std::int64_t> same, joined, parted;
        for (std::size_t j = 0; j < to.size(); ++j) {
            if (productOf(to, 0, j) != before)
                continue;
            if (to[j] == most && !same)
                same = static_cast<std::int64_t>(j);
            if (before != 1 || to[j] <= 1 || most <= 1)
                continue;
            if (to[j] % most == 0 && multiplyTo(from, place + 1, to[j] / most))
                joined = static_cast<std::int64_t>(j);
            if (most % to[j] == 0 && multiplyTo(to, j + 1, most / to[j]))
                parted = static_cast<std::int64_t>(j);
        }
        const auto sizeAt = [&](std::int64_t j) { return to[static_cast<std::size_t>(j)]; };
        if (same)
            put(result, *same, size);
        else if (joined)
            put(result, *joined, product(size, {sizeAt(*joined) / most, sizeAt(*joined) / most, {}}));
        else if (parted)
            put(result, *parted, quotient(size, most / sizeAt(*parted)));
        else
            return std::nullopt;
    }
    return result;
}

Values importLate(NodeImport &node, const ImportRow &row, LateSizes &sizes)
{
    LateNode late(node, row, sizes);
    const LateRow *rule = nullptr;
    for (const auto rows : {lateMoves(), lateExtensions(), lateSelections(), lateComputations(), lateLayers(),
                            lateProducts(), lateReshapes(), lateResizes()}) {
        const auto found = std::ranges::find(rows, row.op, &LateRow::op);
        if (found != rows.end() && node.node().domain.empty()) // rules are of ONNX's own operators
            rule = &*found;
    }
    for (std::size_t i = 0; !rule && i < node.inputCount(); ++i) {
        if (!late.axes(i).empty())
            node.unsupported(std::format(
                "axis {} of its input \"{}\" has a size that is known only when the model runs, for which "
                "this operator is not supported",
                late.axes(i).begin()->first, node.node().inputs[i]));
    }
    Values results = rule ? rule->import(late) : late.plain();
    if (results.size() == 1 && results[0])
        late.boundResult(results[0]);
    return results;
}

} // namespace nestwright::graph::onnx
