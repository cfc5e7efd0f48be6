// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/graph/program/memory_plan.h"

#include <map>
#include <tuple>

namespace nestwright::graph {

namespace {

/// Largest constant compared: larger ones are weights, two of which are hardly ever equal. Constants of
/// different names stay apart, since the names tell people something.
constexpr std::int64_t mostComparedBytes = 1 << 16;

} // namespace

Function eliminateCommonSubexpr(const Function &function)
{
    struct Key {
        const ops::TensorOp *op;
        std::vector<Value> inputs;
        std::string attributes;
        auto operator<=>(const Key &) const = default;
    };
    std::map<Key, int> known;
    std::map<std::tuple<std::string, std::string, std::string_view>, Value> constants;
    return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
        if (r.node.isConstant() && r.node.data && bytesOf(r.node.types[0]) <= mostComparedBytes) {
            const auto bytes = r.node.data->bytes();
            const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            const Value own{static_cast<int>(r.builder.function().nodes.size()), 0};
            const auto [found, isNew] =
                constants.try_emplace({r.node.name, r.node.types[0].str(), text}, own);
            return isNew ? std::nullopt : std::optional(std::vector{found->second});
        }
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
