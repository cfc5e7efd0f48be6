// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/memory_plan.h"

#include <algorithm>
#include <map>
#include <optional>

namespace nestwright::graph {

namespace {

/// Free stretches by where they begin, never two next to each other; grows at its end.
class Arena {
public:
    /// The smallest free stretch that is large enough, else new memory at the end.
    std::int64_t take(std::int64_t bytes)
    {
        auto best = m_free.end();
        for (auto it = m_free.begin(); it != m_free.end(); ++it) {
            if (it->second >= bytes && (best == m_free.end() || it->second < best->second))
                best = it;
        }
        if (best == m_free.end())
            return grow(bytes);
        const auto [begin, length] = *best;
        m_free.erase(best);
        if (length > bytes)
            m_free.emplace(begin + bytes, length - bytes);
        return begin;
    }

    void give(std::int64_t begin, std::int64_t bytes)
    {
        if (bytes == 0)
            return;
        auto next = m_free.lower_bound(begin);
        if (next != m_free.end() && next->first == begin + bytes) {
            bytes += next->second;
            next = m_free.erase(next);
        }
        if (next != m_free.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == begin) {
                before->second += bytes;
                return;
            }
        }
        m_free.emplace(begin, bytes);
    }

    std::int64_t size() const { return m_size; }

private:
    /// A free stretch at the end becomes part of the added one.
    std::int64_t grow(std::int64_t bytes)
    {
        std::int64_t begin = m_size;
        if (!m_free.empty()) {
            const auto last = std::prev(m_free.end());
            if (last->first + last->second == m_size) {
                begin = last->first;
                m_free.erase(last);
            }
        }
        m_size = begin + bytes;
        return begin;
    }

    std::map<std::int64_t, std::int64_t> m_free;
    std::int64_t m_size = 0;
};

} // namespace

std::int64_t bytesOf(const TensorType &type)
{
    std::int64_t bytes = type.dtype.bytes();
    for (const std::int64_t size : type.constantShape().value_or(std::vector<std::int64_t>{0}))
        bytes *= size;
    return bytes;
}

namespace {

/// How far into its input a view begins, in bytes; nothing for a node that is none.
std::optional<std::int64_t> viewOffset(const Function &function, const Node &node)
{
    if (node.kind != NodeKind::Operator)
        return std::nullopt;
    if (node.op->name == "reshape")
        return 0;
    const auto whole = node.inputs.empty() ? std::nullopt : function.typeOf(node.inputs[0]).constantShape();
    if (node.op->name != "strided_slice" || !whole)
        return std::nullopt;
    const auto list = [&](std::string_view name) {
        return std::get<std::vector<std::int64_t>>(node.attributes.find(name)->second);
    };
    const std::vector<std::int64_t> axes = list("axes");
    if (axes.size() != 1 || list("strides") != std::vector<std::int64_t>{1})
        return std::nullopt;
    const auto rank = static_cast<std::int64_t>(whole->size());
    const auto axis = static_cast<std::size_t>(axes[0] < 0 ? axes[0] + rank : axes[0]);
    std::int64_t bytes = node.types[0].dtype.bytes(), begin = list("begin")[0];
    begin = std::clamp<std::int64_t>(begin < 0 ? begin + (*whole)[axis] : begin, 0, (*whole)[axis]);
    for (std::size_t i = 0; i < whole->size(); ++i) {
        if (i < axis && (*whole)[i] != 1)
            return std::nullopt;
        bytes *= i > axis ? (*whole)[i] : 1;
    }
    return begin * bytes;
}

} // namespace

bool isView(const Function &function, int node)
{
    return viewOffset(function, function.at(node))
           && std::ranges::none_of(function.outputs, [&](Value output) { return output.node == node; });
}

StorageLocation storageOf(const Function &function, Value value)
{
    StorageLocation storage{value};
    while (isView(function, storage.value.node)) {
        const Node &node = function.at(storage.value);
        storage.bytes += viewOffset(function, node).value_or(0);
        storage.value = node.inputs[0];
    }
    return storage;
}

namespace {

class Planner {
public:
    Planner(const Function &function, const InPlacePairs &inPlace)
        : m_function(function)
        , m_inPlace(inPlace)
        , m_lastReader(function.nodes.size(), -1)
        , m_lengths(function.nodes.size())
        , m_dying(function.nodes.size())
    {
        for (std::size_t i = 0; i < function.nodes.size(); ++i) {
            for (const Value input : function.nodes[i].inputs)
                m_lastReader[static_cast<std::size_t>(storageOf(function, input).value.node)] =
                    static_cast<int>(i);
        }
        m_plan.offsets.resize(function.nodes.size());
    }

    MemoryPlan plan()
    {
        std::vector<bool> isOutput(m_function.nodes.size());
        for (const Value output : m_function.outputs)
            isOutput[static_cast<std::size_t>(output.node)] = true;
        for (std::size_t i = 0; i < m_function.nodes.size(); ++i) {
            const Node &node = m_function.nodes[i];
            m_plan.offsets[i].assign(node.types.size(), MemoryPlan::none);
            m_lengths[i].assign(node.types.size(), 0);
            const bool computed = node.kind == NodeKind::Operator || node.kind == NodeKind::Group;
            if (computed && !isView(m_function, static_cast<int>(i))) {
                for (std::size_t k = 0; k < node.types.size() && !isOutput[i]; ++k)
                    place({static_cast<int>(i), static_cast<int>(k)});
                const int end = std::max(m_lastReader[i], static_cast<int>(i));
                m_dying[static_cast<std::size_t>(end)].push_back(static_cast<int>(i));
            }
            for (const int dead : m_dying[i]) {
                for (int k = 0; k < static_cast<int>(m_function.at(dead).types.size()); ++k)
                    m_arena.give(offset({dead, k}), length({dead, k}));
            }
        }
        m_plan.bytes = m_plan.resultBytes = m_arena.size();
        return std::move(m_plan);
    }

private:
    void place(Value result)
    {
        const std::int64_t bytes = wholeLines(bytesOf(m_function.typeOf(result)));
        if (bytes == 0)
            return;
        if (const auto dying = dyingInput(result, bytes)) {
            offset(result) = offset(*dying);
            m_arena.give(offset(*dying) + bytes, length(*dying) - bytes);
            length(*dying) = 0;
            m_plan.inPlaceOf.emplace(result, *dying);
        } else {
            offset(result) = m_arena.take(bytes);
        }
        length(result) = bytes;
    }

    /// An input that dies at the node and that its kernel may overwrite with that result.
    std::optional<Value> dyingInput(Value result, std::int64_t bytes)
    {
        const auto place = static_cast<std::size_t>(result.node);
        if (place >= m_inPlace.size())
            return std::nullopt;
        const std::vector<Value> &inputs = m_function.at(result).inputs;
        const int written = static_cast<int>(inputs.size()) + result.output;
        for (const analysis::InPlace &pair : m_inPlace[place]) {
            if (pair.written != written || pair.read >= static_cast<int>(inputs.size()))
                continue;
            const Value storage = storageOf(m_function, inputs[static_cast<std::size_t>(pair.read)]).value;
            if (length(storage) >= bytes
                && m_lastReader[static_cast<std::size_t>(storage.node)] == result.node
                && isOverwrittenInPlace(storage, result.node, written))
                return storage;
        }
        return std::nullopt;
    }

    /// Whether all that the node reads from there may be overwritten with that result.
    bool isOverwrittenInPlace(Value storage, int node, int written) const
    {
        const std::vector<Value> &inputs = m_function.at(node).inputs;
        const auto &pairs = m_inPlace[static_cast<std::size_t>(node)];
        for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
            const StorageLocation read = storageOf(m_function, inputs[static_cast<std::size_t>(i)]);
            if (read.value == storage
                && (read.bytes != 0 || !std::ranges::contains(pairs, analysis::InPlace{i, written})))
                return false;
        }
        return true;
    }

    std::int64_t &offset(Value value) { return at(m_plan.offsets, value); }
    /// Length of the memory that the value holds; 0 where it has none of its own.
    std::int64_t &length(Value value) { return at(m_lengths, value); }
    static std::int64_t &at(std::vector<std::vector<std::int64_t>> &of, Value value)
    {
        return of[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
    }

    const Function &m_function;
    const InPlacePairs &m_inPlace;
    std::vector<int> m_lastReader;
    std::vector<std::vector<std::int64_t>> m_lengths;
    std::vector<std::vector<int>> m_dying;
    Arena m_arena;
    MemoryPlan m_plan;
};

} // namespace

MemoryPlan planMemory(const Function &function, const InPlacePairs &inPlace)
{
    return Planner(function, inPlace).plan();
}

} // namespace nestwright::graph
