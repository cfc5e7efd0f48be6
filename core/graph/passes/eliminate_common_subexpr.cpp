// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"

#include <map>

namespace nestwright::graph {

Function eliminateCommonSubexpr(const Function &function)
{
    struct Key {
        const ops::TensorOp *op;
        std::vector<Value> inputs;
        std::string attributes;
        auto operator<=>(const Key &) const = default;
    };
    std::map<Key, int> known;
    return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
        if (r.node.kind != NodeKind::Operator)
            return std::nullopt;
        Key key{r.node.op, r.inputs, textOf(r.node.attributes)};
        const auto [found, isNew] =
            known.try_emplace(std::move(key), static_cast<int>(r.builder.function().nodes.size()));
        if (isNew)
            return std::nullopt;
        std::vector<Value> values;
        for (std::size_t i = 0; i < r.node.types.size(); ++i)
            values.push_back({found->second, static_cast<int>(i)});
        return values;
    });
}

} // namespace nestwright::graph
