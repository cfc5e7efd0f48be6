// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/rule_list.h"

#include "core/arith/rules/rule.h"
#include "core/arith/rules/rule_parser.h"
#include "core/support/text/json.h"

#include <utility>

namespace nestwright::workbench {

using arith::PatternNode;
using arith::Rule;
using support::Json;

namespace {

Json treeOf(const Rule &rule, int node)
{
    const PatternNode &pattern = rule.at(node);
    const auto call = [&](std::string_view name, std::size_t operands) {
        Json list = Json::array({name});
        for (std::size_t i = 0; i < operands; ++i)
            list.push_back(treeOf(rule, pattern.child[i]));
        return list;
    };
    switch (pattern.kind) {
    case PatternNode::Kind::Any:
        return std::string(1, arith::ruleLetters[static_cast<std::size_t>(pattern.value)]);
    case PatternNode::Kind::Constant: return 'c' + std::to_string(pattern.value);
    case PatternNode::Kind::Number: return pattern.value;
    case PatternNode::Kind::Binary: return call(arith::spelling(pattern.op), 2);
    case PatternNode::Kind::Not: return call("!", 1);
    case PatternNode::Kind::Select: return call("select", 3);
    }
    std::unreachable();
}

} // namespace

Json ruleList()
{
    Json list = Json::array();
    for (int op = 0; op <= static_cast<int>(ir::BinaryOp::Or); ++op) {
        const arith::RuleSet *set = arith::rulesFor(static_cast<ir::BinaryOp>(op));
        if (!set)
            continue;
        for (const Rule &rule : set->rules()) {
            Json forms = Json::array();
            for (const int form : rule.forms)
                forms.push_back(treeOf(rule, form));
            list.push_back({{"name", arith::spelling(static_cast<ir::BinaryOp>(op))},
                            {"summary", rule.text},
                            {"forms", std::move(forms)},
                            {"result", treeOf(rule, rule.to)},
                            {"condition", rule.condition < 0 ? Json() : treeOf(rule, rule.condition)},
                            {"types", rule.allTypes ? "all" : "index"},
                            {"simplified-again", rule.resimplifies}});
        }
    }
    return list;
}

} // namespace nestwright::workbench
