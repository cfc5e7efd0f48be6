// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/script_function.h"
#include "core/ops/table/script_sort.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

std::vector<TensorType> inferTopK(const CallSite &site)
{
    TensorType values = site.input();
    const std::size_t axis = axisOf(site.integer("axis"), values.rank());
    const std::int64_t size = constantSize(values.shape[axis], "the size of the axis"), k = site.integer("k");
    if (k < 0 || k > size)
        typeError(std::format("it cannot give {} of {} elements", k, size));
    values.shape[axis] = dimension(k);
    return {values, {values.shape, ir::DataType::int64()}};
}

/// Sorts all elements along the axis and takes the first k.
ir::Function sortedTopK(const CallSite &site, std::span<const TensorType> results)
{
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    const std::vector<std::int64_t> shape = constantSizes(site.input().shape, "the input's shape");
    const std::int64_t k = site.integer("k");
    std::vector<ScriptAxis> axes = scriptAxes(shape, "v");
    const auto along = [&](std::string_view buffer, const std::string &index) {
        std::vector<std::string> at;
        for (std::size_t i = 0; i < axes.size(); ++i)
            at.push_back(i == axis ? index : std::format("v{}", i));
        return scriptElement(buffer, at);
    };
    const ScriptSort sort{site.input().dtype.str(), shape[axis], std::to_string(shape[axis]),
                          site.flag("largest")};
    const std::string statements =
        scriptSortBuffers(sort)
        + std::format("for i in range({}):\n    keys[0, i] = {}\n    places[0, i] = i\n", shape[axis],
                      along("p0", "i"))
        + scriptSortStatements(sort)
        + std::format("for i in range({0}):\n    {1} = keys[{3}, i]\n"
                      "    {2} = T.Cast(\"int64\", places[{3}, i])\n",
                      k, along("r0", "i"), along("r1", "i"), scriptSortedRow(sort));
    const std::string all = std::format("0:{}", k), read = along("p0", std::format("0:{}", shape[axis]));
    const std::string written = along("r0", all) + ", " + along("r1", all);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
    return scriptFunction(site, results, scriptBlock("top_k", axes, read, written, statements));
}

/// Keeps the best k found so far in order; an element that is among them is put in its place, the others move
/// down. Most elements are compared with the last one only.
ir::Function topKFunction(const CallSite &site, std::span<const TensorType> results)
{
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    const std::vector<std::int64_t> shape = constantSizes(site.input().shape, "the input's shape");
    const std::int64_t k = site.integer("k");
    // On average an element moves k² ln(n / k) / 2 others, and a sort n log n.
    if (k * k > 8 * shape[axis])
        return sortedTopK(site, results);
    std::vector<ScriptAxis> axes = scriptAxes(shape, "v");
    axes[axis].kind = 'o';
    const auto along = [&](std::string_view buffer, const std::string &index) {
        std::vector<std::string> at;
        for (const ScriptAxis &each : axes)
            at.push_back(each.kind == 'o' ? index : each.name);
        return scriptElement(buffer, at);
    };
    const std::string i = axes[axis].name, x = along("p0", i), all = std::format("0:{}", k);
    // Place `back` counts from the last of the k; one that holds nothing yet gives way to all.
    const auto place = [&](std::string_view buffer, int more) {
        return along(buffer, std::format("{} - back", k - 1 - more));
    };
    const std::string type = site.input().dtype.str();
    const auto standsBefore = [&](const std::string &other) {
        return scriptStandsBefore(x, other, type, site.flag("largest"));
    };
    const auto beats = [&](int more) {
        return std::format("({} - back >= {} or {})", k - 1 - more, i, standsBefore(place("r0", more)));
    };
    const std::string regions = along("r0", all) + ", " + along("r1", all);
    const std::string statements =
        std::format("if {} < {} or {}:\n", i, k, standsBefore(along("r0", std::to_string(k - 1))))
        + std::format("    for back in range({}):\n        if {}:\n", k, beats(0))
        + std::format("            if back < {} and {}:\n", k - 1, beats(1))
        + std::format("                {} = {}\n", place("r0", 0), place("r0", 1))
        + std::format("                {} = {}\n", place("r1", 0), place("r1", 1))
        + std::format("            else:\n                {} = {}\n", place("r0", 0), x)
        + std::format("                {} = T.Cast(\"int64\", {})\n", place("r1", 0), i);
    return scriptFunction(site, results, scriptBlock("top_k", axes, x + ", " + regions, regions, statements));
}

} // namespace

void addTopK(TensorOps &table)
{
    table.push_back(
        {.name = "topk",
         .summary = "the k largest or smallest elements along an axis in their order, and where they lie; "
                    "of equal ones the first; NaN counts as the largest number",
         .fusion = FusionKind::Opaque,
         .attributes = {{"k", std::int64_t{1}, "how many"},
                        {"axis", std::int64_t{-1}, "axis to search along"},
                        {"largest", true, "the largest ones"}},
         .infer = &inferTopK,
         .function = &topKFunction});
}

} // namespace nestwright::ops
