// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program.h"

#include <algorithm>
#include <map>
#include <optional>

namespace nestwright::graph {

namespace {

constexpr std::int64_t alignment = 64;

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
    /// A free stretch at the end becomes part of what is added.
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

Home homeOf(const Function &function, Value value)
{
    Home home{value};
    while (isView(function, home.value.node)) {
        const Node &node = function.at(home.value);
        home.bytes += viewOffset(function, node).value_or(0);
        home.value = node.inputs[0];
    }
    return home;
}

MemoryPlan planMemory(const Function &function)
{
    const auto count = function.nodes.size();
    std::vector<int> lastReader(count, -1);
    std::vector<bool> isOutput(count);
    for (std::size_t i = 0; i < count; ++i) {
        for (const Value input : function.nodes[i].inputs)
            lastReader[static_cast<std::size_t>(homeOf(function, input).value.node)] = static_cast<int>(i);
    }
    for (const Value output : function.outputs)
        isOutput[static_cast<std::size_t>(output.node)] = true;

    MemoryPlan plan;
    plan.offsets.resize(count);
    Arena arena;
    const auto rounded = [](std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
    std::vector<std::vector<int>> dying(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Node &node = function.nodes[i];
        plan.offsets[i].assign(node.types.size(), MemoryPlan::none);
        const bool computed = node.kind == NodeKind::Operator || node.kind == NodeKind::Group;
        if (computed && !isView(function, static_cast<int>(i))) {
            for (std::size_t k = 0; k < node.types.size() && !isOutput[i]; ++k) {
                if (const std::int64_t bytes = bytesOf(node.types[k]); bytes > 0)
                    plan.offsets[i][k] = arena.take(rounded(bytes));
            }
            const int end = std::max(lastReader[i], static_cast<int>(i));
            dying[static_cast<std::size_t>(end)].push_back(static_cast<int>(i));
        }
        for (const int dead : dying[i]) {
            const auto d = static_cast<std::size_t>(dead);
            for (std::size_t k = 0; k < plan.offsets[d].size(); ++k) {
                if (plan.offsets[d][k] != MemoryPlan::none)
                    arena.give(plan.offsets[d][k], rounded(bytesOf(function.nodes[d].types[k])));
            }
        }
    }
    plan.bytes = arena.size();
    return plan;
}

} // namespace nestwright::graph
