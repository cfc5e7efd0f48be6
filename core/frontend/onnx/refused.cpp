// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/refused.h"

#include "core/frontend/onnx/importer.h"

#include <algorithm>
#include <format>

namespace nestwright::graph::onnx {

namespace {

struct RefusedRow {
    std::string_view op;
    std::string_view reason;
    std::string_view domain = "";
};

constexpr std::string_view often = "how often it runs at most must be known when the model is opened";
constexpr std::string_view random =
    "random numbers are not supported: a model must give the same result each time";
constexpr std::string_view text = "text is not supported";
constexpr std::string_view map = "its input is a map, which is no tensor: export the model from behind it";
constexpr std::string_view list = "`nestc list onnx` names those that are read";

constexpr RefusedRow refusedRows[] = {
    {"Bernoulli", random},
    {"CastMap", map, "ai.onnx.ml"},
    {"DictVectorizer", map, "ai.onnx.ml"},
    {"If",
     "its branches give sequences, or tensors of different kinds: which one is taken must then be known "
     "when the model is opened"},
    {"ImageDecoder", "decoding of images is not supported"},
    {"Loop", often},
    {"Multinomial", random},
    {"RandomNormal", random},
    {"RandomNormalLike", random},
    {"RandomUniform", random},
    {"RandomUniformLike", random},
    {"RegexFullMatch", text},
    {"StringConcat", text},
    {"StringNormalizer", text},
    {"StringSplit", text},
    {"TfIdfVectorizer", text},
};

} // namespace

support::Diagnostic refusal(const OnnxNode &node, std::int64_t opset)
{
    if (node.domain == "com.microsoft.nchwc" || node.domain == "com.ms.internal.nhwc") {
        return support::diagnostic("onnx.refused",
                                   std::format("{}: the model was saved for one machine, in whose order of "
                                               "memory \"{}\" has its images",
                                               node.str(), node.domain))
            .withHint("save it anew by ONNX Runtime with graph_optimization_level = ORT_ENABLE_EXTENDED, not "
                      "ORT_ENABLE_ALL, or open the model that it was made from");
    }
    const auto found = std::ranges::find_if(
        refusedRows, [&](const RefusedRow &row) { return row.op == node.op && row.domain == node.domain; });
    if (found != std::end(refusedRows))
        return support::diagnostic("onnx.refused", std::format("{}: {}", node.str(), found->reason));
    if (!node.domain.empty()) {
        return support::diagnostic("onnx.refused",
                                   std::format("{}: the operator \"{}\" of \"{}\" is not supported",
                                               node.str(), node.op, node.domain))
            .withHint(std::string(list));
    }
    return support::diagnostic(
               "onnx.operator",
               std::format("{}: there is no operator \"{}\" (operator set {})", node.str(), node.op, opset))
        .withHint(std::string(list));
}

std::vector<std::pair<OperatorName, std::string_view>> refusedOperators()
{
    std::vector<std::pair<OperatorName, std::string_view>> result;
    for (const RefusedRow &row : refusedRows)
        result.emplace_back(OperatorName{std::string(row.domain), std::string(row.op)}, row.reason);
    return result;
}

} // namespace nestwright::graph::onnx
