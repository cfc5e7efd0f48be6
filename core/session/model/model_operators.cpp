// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/model_operators.h"

#include "core/graph/onnx/importer.h"

#include <algorithm>
#include <tuple>

namespace nestwright::session {

std::vector<ModelOperator> modelOperators()
{
    std::vector<ModelOperator> operators;
    const auto add = [&](const graph::onnx::OperatorName &name, std::string_view refusal) {
        operators.push_back({name.domain.empty() ? "ai.onnx" : name.domain, name.op,
                             graph::onnx::readVersions(name.domain), std::string(refusal)});
    };
    const std::vector<graph::onnx::OperatorName> read = graph::onnx::importedOperators();
    for (const graph::onnx::OperatorName &name : read)
        add(name, {});
    for (const auto &[name, reason] : graph::onnx::refusedOperators()) {
        if (!std::ranges::contains(read, name)) // some only in forms that are told where one is met
            add(name, reason);
    }
    std::ranges::sort(operators, {},
                      [](const ModelOperator &each) { return std::tie(each.domain, each.name); });
    return operators;
}

} // namespace nestwright::session
