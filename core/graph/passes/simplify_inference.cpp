// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"

namespace nestwright::graph {

Function simplifyInference(const Function &function)
{
    return rewrite(function, [](Rewritten &r) -> std::optional<std::vector<Value>> {
        if (!isCall(r.node, "nn.batch_norm"))
            return std::nullopt;
        const ir::DataType type = r.node.types[0].dtype;
        const Value epsilon =
            r.builder.scalar(std::get<double>(r.node.attributes.find("epsilon")->second), type);
        const Value deviation = r.call("sqrt", {r.call("add", {r.inputs[4], epsilon})});
        const Value scale = r.call("divide", {r.inputs[1], deviation});
        const Value shift = r.call("subtract", {r.inputs[2], r.call("multiply", {r.inputs[3], scale})});
        std::vector<std::int64_t> shape(static_cast<std::size_t>(r.node.types[0].rank() - 1), 1);
        shape[0] = -1;
        const auto perChannel = [&](Value vector) {
            return r.call("reshape", {vector}, {{"newshape", shape}});
        };
        return std::vector{
            r.call("add", {r.call("multiply", {r.inputs[0], perChannel(scale)}), perChannel(shift)})};
    });
}

} // namespace nestwright::graph
