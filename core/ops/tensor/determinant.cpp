// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/script_function.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

std::vector<TensorType> inferDeterminant(const CallSite &site)
{
    requireFloat(site);
    const TensorType &x = site.input();
    if (x.rank() < 2 || !sameSize(x.shape[x.shape.size() - 1], x.shape[x.shape.size() - 2]))
        typeError(std::format("it needs square matrices, not {}", x.str()));
    if (constantSize(x.shape.back(), "the size of the matrices") < 1)
        typeError("the matrices are empty");
    return {{Shape(x.shape.begin(), x.shape.end() - 2), x.dtype}};
}

/// Gaussian elimination with the largest pivot of each column; the determinant is the product of the pivots.
ir::Function determinantFunction(const CallSite &site, std::span<const TensorType> results)
{
    const std::vector<std::int64_t> shape = constantSizes(site.input().shape, "the input's shape");
    const std::int64_t n = shape.back();
    const std::string type = site.input().dtype.str();
    std::vector<ScriptAxis> copied = scriptAxes(shape, "v");
    std::vector<ScriptAxis> axes(copied.begin(), copied.end() - 2);
    std::vector<std::string> batch, all;
    for (const ScriptAxis &axis : axes)
        batch.push_back(axis.name);
    for (const ScriptAxis &axis : copied)
        all.push_back(axis.name);
    axes.push_back({"k", n, 'o'});
    const auto element = [&](const std::string &row, const std::string &column) {
        std::vector<std::string> at = batch;
        at.insert(at.end(), {row, column});
        return scriptElement("w", at);
    };
    const std::string whole = std::format("0:{}", n), result = scriptElement("r0", batch);
    std::string state;
    for (std::size_t i = 0; i + 2 < shape.size(); ++i)
        state += std::to_string(shape[i]) + ", ";
    const std::string pivot = scriptElement("pivot", batch), kept = scriptElement("kept", batch);
    const std::string diagonal = element("k", "k"),
                      regions = std::format("{}, {}, {}, {}", element(whole, whole), result, pivot, kept);
    const std::string statements =
        std::format("if k == 0:\n    {} = T.Cast(\"{}\", 1)\n{} = k\n", result, type, pivot)
        + std::format("for i in range({} - k):\n    if T.abs({}) > T.abs({}):\n        {} = i + k + 1\n",
                      n - 1, element("i + k + 1", "k"), element(pivot, "k"), pivot)
        + std::format("if {} != k:\n    {} = T.Cast(\"{}\", 0) - {}\n    for j in range({}):\n", pivot,
                      result, type, result, n)
        + std::format("        {} = {}\n        {} = {}\n        {} = {}\n", kept, element("k", "j"),
                      element("k", "j"), element(pivot, "j"), element(pivot, "j"), kept)
        + std::format("{} = {} * {}\nif {} != T.Cast(\"{}\", 0):\n", result, result, diagonal, diagonal, type)
        + std::format("    for i, j in T.grid({0} - k, {0} - k):\n", n - 1)
        + std::format("        {0} = {0} - {1} / {2} * {3}\n", element("i + k + 1", "j + k + 1"),
                      element("i + k + 1", "k"), diagonal, element("k", "j + k + 1"));
    std::string sizes;
    for (const std::int64_t size : shape)
        sizes += std::to_string(size) + ", ";
    return scriptFunction(
        site, results,
        std::format("    w = T.alloc_buffer(({}), \"{}\")\n", sizes, type)
            + std::format("    pivot = T.alloc_buffer(({}), \"int32\")\n", state)
            + std::format("    kept = T.alloc_buffer(({}), \"{}\")\n", state, type)
            + scriptBlock("copy", copied, scriptElement("p0", all), scriptElement("w", all),
                          std::format("{} = {}\n", scriptElement("w", all), scriptElement("p0", all)))
            + scriptBlock("eliminate", axes, regions, regions, statements));
}

} // namespace

void addDeterminant(TensorOps &table)
{
    table.push_back({.name = "linalg.det",
                     .summary = "determinants of matrices",
                     .fusion = FusionKind::Opaque,
                     .infer = &inferDeterminant,
                     .function = &determinantFunction});
}

} // namespace nestwright::ops
