// SPDX-License-Identifier: Apache-2.0
/// Probabilities of classes from those of each pair of classes: T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability
/// Estimates for Multi-class Classification by Pairwise Coupling" (2004), their second approach with its
/// bounds, which LIBSVM uses.
#include "core/ops/table/script_function.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

std::vector<TensorType> inferCoupling(const CallSite &site)
{
    const TensorType &pairs = site.input();
    requireFloat(site);
    requireRank(pairs, 2, "the probabilities of pairs");
    const std::int64_t classes = site.integer("classes");
    if (classes < 2 || constantSize(pairs.shape[1], "the number of pairs") != classes * (classes - 1) / 2)
        typeError(std::format("{} is not a column for each pair of {} classes", pairs.str(), classes));
    return {{{pairs.shape[0], dimension(classes)}, pairs.dtype}};
}

ir::Function couplingFunction(const CallSite &site, std::span<const TensorType> results)
{
    const std::int64_t k = site.integer("classes"), pairs = k * (k - 1) / 2;
    const std::string type = site.input().dtype.str();
    const auto number = [&](double value) { return std::format("T.{}({})", type, value); };
    std::string text =
        std::format("q = T.alloc_buffer(({0}, {0}), \"{1}\")\nqp = T.alloc_buffer(({0},), \"{1}\")\n"
                    "sums = T.alloc_buffer((3,), \"{1}\")\ndone = T.alloc_buffer((1,), \"int32\")\n",
                    k, type);
    text += std::format("done[0] = 0\nfor i in range({0}):\n    r0[row, i] = {1}\n    q[i, i] = {2}\n", k,
                        number(1.0 / static_cast<double>(k)), number(0));
    // q[i, i]: squares of what the others have against i; elsewhere products, negative.
    for (std::int64_t i = 0, pair = 0; i < k; ++i) {
        for (std::int64_t j = i + 1; j < k; ++j, ++pair) {
            const std::string p = std::format("p0[row, {}]", pair),
                              other = std::format("({} - {})", number(1), p);
            text +=
                std::format("q[{0}, {0}] = q[{0}, {0}] + {3} * {3}\nq[{1}, {1}] = q[{1}, {1}] + {2} * {2}\n"
                            "q[{0}, {1}] = {4} - {2} * {3}\nq[{1}, {0}] = q[{0}, {1}]\n",
                            i, j, p, other, number(0));
        }
    }
    text += std::format(
        "for turn in range(100):\n"
        "    if done[0] == 0:\n"
        "        sums[0] = {1}\n"
        "        for i in range({0}):\n"
        "            qp[i] = {1}\n"
        "            for j in range({0}):\n"
        "                qp[i] = qp[i] + q[i, j] * r0[row, j]\n"
        "            sums[0] = sums[0] + r0[row, i] * qp[i]\n"
        "        sums[1] = {1}\n"
        "        for i in range({0}):\n"
        "            sums[1] = T.max(sums[1], T.max(qp[i] - sums[0], sums[0] - qp[i]))\n"
        "        if sums[1] < {2}:\n"
        "            done[0] = 1\n"
        "        if done[0] == 0:\n"
        "            for i in range({0}):\n"
        "                sums[2] = (sums[0] - qp[i]) / q[i, i]\n"
        "                r0[row, i] = r0[row, i] + sums[2]\n"
        "                sums[0] = (sums[0] + sums[2] * (sums[2] * q[i, i] + {4} * qp[i])) / ({3} + sums[2])"
        " / ({3} + sums[2])\n"
        "                for j in range({0}):\n"
        "                    qp[j] = (qp[j] + sums[2] * q[i, j]) / ({3} + sums[2])\n"
        "                    r0[row, j] = r0[row, j] / ({3} + sums[2])\n",
        k, number(0), number(0.005 / static_cast<double>(k)), number(1), number(2));
    const std::vector<std::int64_t> shape = constantSizes(results[0].shape, "the shape of the result");
    const std::string row = std::format("r0[row, 0:{}]", k);
    return scriptFunction(site, results,
                          scriptBlock("coupling", {{"row", shape[0]}},
                                      std::format("p0[row, 0:{}], {}", pairs, row), row, text));
}

} // namespace

void addCoupling(TensorOps &table)
{
    table.push_back({.name = "ml.couple_pairs",
                     .summary = "probabilities of classes from those of the first of each pair: 0 against 1, "
                                "0 against 2, …, 1 against 2, …",
                     .fusion = FusionKind::Opaque,
                     .attributes = {{"classes", std::int64_t{2}, "how many"}},
                     .infer = &inferCoupling,
                     .function = &couplingFunction});
}

} // namespace nestwright::ops
