// SPDX-License-Identifier: Apache-2.0
/// Random parallel loops over several blocks that hand each other tiles: overlapping, with gaps, with tails.
#pragma once

#include "tests/support/random.h"

#include <algorithm>
#include <format>
#include <string>
#include <vector>

namespace nestwright::tests {

class ParallelStages {
public:
    explicit ParallelStages(Random &random) : m_random(random) {}

    /// A loop "p" over two or three blocks "S0", "S1", …, each of which reads what the one before wrote.
    std::string program()
    {
        const std::int64_t stages = m_random.between(2, 3);
        m_rounds = m_random.between(2, 4);
        m_step = m_random.between(2, 6);
        m_shift = m_random.between(0, 2);
        m_extent = m_step + m_random.between(0, 6);
        std::string body, indent = "    ";
        if (m_random.chance(25)) {
            body += indent + "for o in range(2):\n";
            indent += "    ";
        }
        body += std::format("{}for p in {}({}):\n", indent, m_random.chance(85) ? "T.parallel" : "range",
                            m_rounds);
        for (std::int64_t i = 0; i < stages; ++i)
            body += stage(i, i + 1 == stages, indent + "    ");
        if (m_random.chance(30))
            body += readerBehind(stages);
        std::string head = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), W: T.Buffer((64, 4), "
                           "\"int32\"), Z: T.Buffer((64,), \"int32\"), Y: T.Buffer((64,), \"int32\")):\n";
        for (std::int64_t i = 0; i + 1 < stages; ++i)
            head += std::format("    B{} = T.alloc_buffer((64,), \"int32\")\n", i);
        return head + body;
    }

private:
    /// The part of an iteration: a part of that of the block before, seldom one beyond it.
    void nextTile(bool isLast)
    {
        if (m_random.chance(15)) {
            m_extent = std::max<std::int64_t>(1, m_step + m_random.between(-1, 3));
            m_shift = m_random.between(0, 3);
            return;
        }
        const std::int64_t cut = m_random.between(0, std::min<std::int64_t>(2, m_extent - 1));
        m_shift += m_random.between(0, cut);
        m_extent -= cut;
        if (isLast)
            m_extent = std::min(m_extent, m_step);
    }

    /// An extent as one loop or two, whose index counts by `stride`.
    std::string loopsOf(std::int64_t extent, const std::string &name, std::string &indent, std::string &body)
    {
        std::vector<std::int64_t> parts{extent};
        for (const std::int64_t by : {2, 3}) {
            if (parts.size() == 1 && extent % by == 0 && m_random.chance(50))
                parts = {extent / by, by};
        }
        if (m_random.chance(20))
            parts.insert(parts.begin(), 1);
        std::string index;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string loop = name + std::to_string(i);
            body += std::format("{}for {} in range({}):\n", indent, loop, parts[i]);
            indent += "    ";
            index = index.empty() ? loop : std::format("({}) * {} + {}", index, parts[i], loop);
        }
        return index;
    }

    std::string stage(std::int64_t number, bool isLast, std::string indent)
    {
        nextTile(isLast);
        const std::int64_t extent = m_extent, shift = m_shift, stride = m_random.chance(10) ? 2 : 1;
        const bool isSum = m_random.chance(35), isGuarded = m_random.chance(15);
        std::string body;
        std::string index = loopsOf(extent, std::format("i{}_", number), indent, body);
        index = std::format("p * {} + ({}) * {} + {}", m_step, index, stride, shift);
        if (isSum) {
            body += std::format("{}for r{} in range(4):\n", indent, number);
            indent += "    ";
        }
        const std::string out = isLast ? "Z" : std::format("B{}", number),
                          in = number ? std::format("B{}", number - 1) : "A";
        body += std::format("{}with T.block(\"S{}\"):\n", indent, number);
        indent += "    ";
        body += std::format("{}v = T.axis.spatial(64, {})\n", indent, index);
        if (isSum)
            body += std::format("{}k = T.axis.reduce(4, r{})\n", indent, number);
        if (isGuarded)
            body += std::format("{}T.where({} < {})\n", indent, index, m_rounds * m_step + shift);
        const std::string back = m_random.chance(15) ? "63 - v" : "v";
        if (isSum)
            body += std::format("{0}with T.init():\n{0}    {1}[v] = 0\n{0}{1}[v] = {1}[v] + {2}[{3}] * W[v, "
                                "k]\n",
                                indent, out, in, back);
        else
            body += std::format("{}{}[v] = {}[{}] + {}\n", indent, out, in, back, number + 1);
        return body;
    }

    /// A block outside of the loop that reads a memory of it.
    std::string readerBehind(std::int64_t stages)
    {
        const std::int64_t from = m_random.below(stages);
        return std::format("    for y in range({}):\n        with T.block(\"Y\"):\n            v = "
                           "T.axis.spatial(64, y)\n            Y[v] = {} + 1\n",
                           m_random.between(1, 12),
                           from + 1 == stages ? "Z[v]" : std::format("B{}[v]", from));
    }

    Random &m_random;
    std::int64_t m_rounds = 2, m_step = 4, m_extent = 4, m_shift = 0;
};

} // namespace nestwright::tests
