// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program.h"

#include <algorithm>
#include <map>

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

MemoryPlan planMemory(const Function &function)
{
    const auto count = function.nodes.size();
    std::vector<int> lastReader(count, -1);
    std::vector<bool> isOutput(count);
    for (std::size_t i = 0; i < count; ++i) {
        for (const Value input : function.nodes[i].inputs)
            lastReader[static_cast<std::size_t>(input.node)] = static_cast<int>(i);
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
        if (node.kind == NodeKind::Operator || node.kind == NodeKind::Group) {
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
