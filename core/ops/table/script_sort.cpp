// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/script_sort.h"

#include <bit>
#include <format>

namespace nestwright::ops {

namespace {

/// Merges that turn runs of one key into one run.
int merges(const ScriptSort &sort)
{
    return sort.most < 2 ? 0 : std::bit_width(static_cast<std::uint64_t>(sort.most - 1));
}

} // namespace

std::string scriptStandsBefore(const std::string &key, const std::string &other, const std::string &keyType,
                               bool largestFirst)
{
    const char *order = largestFirst ? ">" : "<";
    if (!keyType.contains("float"))
        return std::format("{} {} {}", key, order, other);
    const std::string &isNan = largestFirst ? key : other, &isNone = largestFirst ? other : key;
    return std::format("({0} {1} {2} or ({3} != {3} and {4} == {4}))", key, order, other, isNan, isNone);
}

std::string scriptSortBuffers(const ScriptSort &sort)
{
    return std::format("keys = T.alloc_buffer((2, {0}), \"{1}\")\n"
                       "places = T.alloc_buffer((2, {0}), \"int32\")\n"
                       "left = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
                       "right = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n",
                       sort.most + 1, sort.keyType);
}

std::string scriptSortStatements(const ScriptSort &sort)
{
    std::string text;
    for (int merge = 0; merge < merges(sort); ++merge) {
        const int from = merge % 2, to = 1 - from;
        const std::int64_t run = std::int64_t{1} << merge;
        const std::string first = std::format("d // {0} * {0}", 2 * run);
        const auto take = [&](const std::string &side) {
            return std::format("        keys[{1}, d] = keys[{0}, {2}[0]]\n"
                               "        places[{1}, d] = places[{0}, {2}[0]]\n"
                               "        {2}[0] = {2}[0] + 1\n",
                               from, to, side);
        };
        text +=
            std::format("for d in range({}):\n", sort.count)
            + std::format("    if d % {} == 0:\n        left[0] = d\n        right[0] = T.min(d + {}, {})\n",
                          2 * run, run, sort.count)
            + std::format("    if left[0] < T.min({0} + {1}, {2}) and (right[0] >= T.min({0} + {3}, {2}) or "
                          "not {4}):\n",
                          first, run, sort.count, 2 * run,
                          scriptStandsBefore(std::format("keys[{}, right[0]]", from),
                                             std::format("keys[{}, left[0]]", from), sort.keyType,
                                             sort.largestFirst))
            + take("left") + "    else:\n" + take("right");
    }
    return text;
}

int scriptSortedRow(const ScriptSort &sort) { return merges(sort) % 2; }

} // namespace nestwright::ops
