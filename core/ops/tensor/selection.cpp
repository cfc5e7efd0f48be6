// SPDX-License-Identifier: Apache-2.0
/// Elements picked by their values: the results have room for as many as there can be, and say how many there
/// are. What stands behind those is 0.
#include "core/ir/build/builder.h"
#include "core/ops/table/script_function.h"
#include "core/ops/table/script_sort.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

namespace {

const ir::DataType int64 = ir::DataType::int64();

std::vector<TensorType> inferNonZero(const CallSite &site)
{
    const std::vector<std::int64_t> shape = constantSizes(site.input().shape, "the input's shape");
    std::int64_t elements = 1;
    for (const std::int64_t size : shape)
        elements *= size;
    return {{{dimension(site.input().rank()), dimension(elements)}, int64}, {{}, int64}};
}

/// A block that fills the result r0 with zeros.
std::string cleared(const TensorType &type)
{
    const std::vector<std::int64_t> shape = constantSizes(type.shape, "the result's shape");
    return scriptBlock("clear", scriptAxes(shape, "z"), "", "r0[z0, z1]", "r0[z0, z1] = T.int64(0)\n");
}

/// A block that sets the count r1 to 0, for loops of no iterations, which would not.
std::string countOfNone() { return scriptBlock("none", {}, "", "r1[()]", "r1[()] = T.int64(0)\n"); }

ir::Function nonZeroFunction(const CallSite &site, std::span<const TensorType> results)
{
    const std::vector<std::int64_t> shape = constantSizes(site.input().shape, "the input's shape");
    if (std::ranges::contains(shape, 0))
        return scriptFunction(site, results, countOfNone());
    std::vector<ScriptAxis> axes = scriptAxes(shape, "v");
    std::vector<std::string> at;
    std::string first, found;
    for (ScriptAxis &axis : axes) {
        axis.kind = 'o';
        first += std::format("{}{} == 0", at.empty() ? "" : " and ", axis.name);
        found += std::format("    r0[{}, T.Cast(\"int32\", r1[()])] = T.Cast(\"int64\", {})\n", at.size(),
                             axis.name);
        at.push_back(axis.name);
    }
    const std::string x = scriptElement("p0", at),
                      all = std::format("r0[0:{}, 0:{}]", shape.size(), *ir::asInt(results[0].shape[1]));
    const std::string statements =
        (first.empty() ? "r1[()] = T.int64(0)\n" : std::format("if {}:\n    r1[()] = T.int64(0)\n", first))
        + std::format("if {} != T.Cast(\"{}\", 0):\n{}    r1[()] = r1[()] + T.int64(1)\n", x,
                      site.input().dtype.str(), found);
    return scriptFunction(site, results,
                          cleared(results[0])
                              + scriptBlock("non_zero", axes, std::format("{}, {}, r1[()]", x, all),
                                            std::format("{}, r1[()]", all), statements));
}

struct SuppressionSizes {
    std::int64_t batch, classes, boxes, most; ///< most: that one class may keep
};

SuppressionSizes suppressionSizes(const CallSite &site)
{
    const TensorType &boxes = site.input(0), &scores = site.input(1);
    if (boxes.dtype != ir::DataType::float32() || scores.dtype != boxes.dtype
        || !(site.input(2) == TensorType{{}, int64}))
        typeError("boxes and scores must be float32, their number an int64");
    requireRank(boxes, 3, "the boxes");
    requireRank(scores, 3, "the scores");
    const std::vector<std::int64_t> b = constantSizes(boxes.shape, "every size"),
                                    s = constantSizes(scores.shape, "every size");
    if (b[2] != 4 || s[0] != b[0] || s[2] != b[1])
        typeError(
            std::format("boxes must be batch × boxes × 4, and scores batch × classes × boxes, not {}, {}",
                        boxes.str(), scores.str()));
    return {s[0], s[1], s[2], std::clamp(site.integer("most"), std::int64_t{0}, s[2])};
}

std::vector<TensorType> inferSuppression(const CallSite &site)
{
    const auto [batch, classes, boxes, most] = suppressionSizes(site);
    return {{{dimension(batch * classes * most), dimension(3)}, int64}, {{}, int64}};
}

/// The boxes of a class from the best on: one that no better one has taken away is kept, and takes away those
/// behind it that overlap with it too much.
ir::Function suppressionFunction(const CallSite &site, std::span<const TensorType> results)
{
    const auto [batch, classes, boxes, most] = suppressionSizes(site);
    if (batch * classes * boxes == 0)
        return scriptFunction(site, results, countOfNone());
    const ScriptSort sort{"float32", boxes, "left_over[0]", true};
    const auto number = [](double value) { return std::format("T.Cast(\"float32\", T.float64({}))", value); };
    const auto box = [&](int i) { return std::format("p0[b, places[{}, i], {}]", scriptSortedRow(sort), i); };
    std::string text = scriptSortBuffers(sort);
    for (const char *name : {"top", "side", "bottom", "far", "area"})
        text += std::format("{0} = T.alloc_buffer(({1},), \"float32\")\n"
                            "{0}_i = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n",
                            name, std::max<std::int64_t>(boxes, 1));
    text += std::format("stays = T.alloc_buffer(({},), \"int32\")\n", std::max<std::int64_t>(boxes, 1))
            + "left_over = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
              "kept = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
              "if b == 0 and c == 0:\n    r1[()] = T.int64(0)\n"
              "left_over[0] = 0\nkept[0] = 0\n"
            + std::format("for i in range({}):\n", boxes)
            + std::format("    if T.Cast(\"int64\", i) < p2[()]{}:\n",
                          site.flag("has_least")
                              ? std::format(" and p1[b, c, i] > {}", number(site.real("least")))
                              : "")
            + "        keys[0, left_over[0]] = p1[b, c, i]\n        places[0, left_over[0]] = i\n"
              "        left_over[0] = left_over[0] + 1\n"
            + scriptSortStatements(sort) + "for i in range(left_over[0]):\n";
    if (site.flag("by_center")) {
        text += std::format("    top[i] = {1} - {3} / {4}\n    side[i] = {0} - {2} / {4}\n"
                            "    bottom[i] = {1} + {3} / {4}\n    far[i] = {0} + {2} / {4}\n",
                            box(0), box(1), box(2), box(3), number(2));
    } else {
        text += std::format("    top[i] = T.min({0}, {2})\n    side[i] = T.min({1}, {3})\n"
                            "    bottom[i] = T.max({0}, {2})\n    far[i] = T.max({1}, {3})\n",
                            box(0), box(1), box(2), box(3));
    }
    text += "    area[i] = (bottom[i] - top[i]) * (far[i] - side[i])\n    stays[i] = 1\n";
    const std::string row = "T.Cast(\"int32\", r1[()])";
    text +=
        std::format("for i in range(left_over[0]):\n    if stays[i] == 1 and kept[0] < {}:\n", most)
        + std::format("        r0[{0}, 0] = T.Cast(\"int64\", b)\n        r0[{0}, 1] = T.Cast(\"int64\", c)\n"
                      "        r0[{0}, 2] = T.Cast(\"int64\", places[{1}, i])\n",
                      row, scriptSortedRow(sort))
        + "        r1[()] = r1[()] + T.int64(1)\n        kept[0] = kept[0] + 1\n";
    for (const char *name : {"top", "side", "bottom", "far", "area"})
        text += std::format("        {0}_i[0] = {0}[i]\n", name);
    const std::string zero = number(0);
    const std::string common =
        std::format("T.max(T.min(bottom[i + 1 + j], bottom_i[0]) - T.max(top[i + 1 + j], top_i[0]), {0}) * "
                    "T.max(T.min(far[i + 1 + j], far_i[0]) - T.max(side[i + 1 + j], side_i[0]), {0})",
                    zero);
    text +=
        "        for j in range(left_over[0] - 1 - i):\n"
        + std::format("            stays[i + 1 + j] = T.Select({0} / (area[i + 1 + j] + area_i[0] - {0}) > "
                      "{1}, 0, stays[i + 1 + j])\n",
                      common, number(site.real("overlap")));
    const std::string rows = std::format("r0[0:{}, 0:3]", batch * classes * most);
    return scriptFunction(
        site, results,
        cleared(results[0])
            + scriptBlock("suppress", {{"b", batch, 'o'}, {"c", classes, 'o'}},
                          std::format("p0[b, 0:{0}, 0:4], p1[b, c, 0:{0}], p2[()], {1}, r1[()]", boxes, rows),
                          rows + ", r1[()]", text));
}

} // namespace

void addSelection(TensorOps &table)
{
    table.push_back({.name = "nonzero",
                     .summary =
                         "where the elements that are not 0 lie, a column of indices each, and how many "
                         "they are",
                     .fusion = FusionKind::Opaque,
                     .infer = &inferNonZero,
                     .function = &nonZeroFunction});
    table.push_back(
        {.name = "nn.non_max_suppression",
         .summary =
             "for each image and class the boxes of best score that do not overlap too much, as rows "
             "(image, class, box), and how many they are; of the boxes those count that the third input "
             "says",
         .fusion = FusionKind::Opaque,
         .minInputs = 3,
         .maxInputs = 3,
         .attributes = {{"most", std::int64_t{0}, "boxes kept for each class"},
                        {"overlap", 0.0, "part of two boxes' common area from which the worse one goes"},
                        {"has_least", false, "scores must lie above a least one"},
                        {"least", 0.0, "that score"},
                        {"by_center", false, "boxes are middle, width and height, not two corners"}},
         .infer = &inferSuppression,
         .function = &suppressionFunction});
}

} // namespace nestwright::ops
