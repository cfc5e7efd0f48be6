// SPDX-License-Identifier: Apache-2.0
/// Each rewrite rule by itself: both sides have one value wherever the condition holds.
#include "core/arith/rules/rule.h"

#include "core/ir/build/builder.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace nestwright;
using arith::PatternNode;
using arith::Rule;
using ir::BinaryOp;
using Kind = PatternNode::Kind;

namespace {

struct Values {
    std::array<std::int64_t, 10> exprs{}, constants{};
};

/// Value of a side; nothing where a divisor is 0.
std::optional<std::int64_t> value(const Rule &rule, int node, const Values &values)
{
    const PatternNode &pattern = rule.at(node);
    const auto slot = static_cast<std::size_t>(pattern.value);
    std::array<std::int64_t, 3> operands{};
    const int arity = pattern.kind == Kind::Select ? 3 : pattern.kind == Kind::Not ? 1 : 2;
    switch (pattern.kind) {
    case Kind::Any: return values.exprs[slot];
    case Kind::Constant: return values.constants[slot];
    case Kind::Number: return pattern.value;
    default: break;
    }
    for (int i = 0; i < arity; ++i) {
        const auto operand = value(rule, pattern.child[static_cast<std::size_t>(i)], values);
        if (!operand)
            return std::nullopt;
        operands[static_cast<std::size_t>(i)] = *operand;
    }
    const auto [a, b, c] = operands;
    if (pattern.kind == Kind::Not)
        return a == 0;
    if (pattern.kind == Kind::Select)
        return a != 0 ? b : c;
    const bool divides = pattern.op == BinaryOp::Div || pattern.op == BinaryOp::Mod
                         || pattern.op == BinaryOp::FloorDiv || pattern.op == BinaryOp::FloorMod;
    if (divides && b == 0)
        return std::nullopt;
    const ir::DataType wide = ir::DataType::int64();
    const ir::Expr folded = ir::binary(pattern.op, ir::intImm(a, wide), ir::intImm(b, wide));
    return *ir::asInt(folded);
}

/// Letters of boolean rules stand for truth values, unless they are compared.
bool isLogic(BinaryOp op) { return op == BinaryOp::And || op == BinaryOp::Or; }

} // namespace

class RulesTest : public QObject {
    Q_OBJECT

private:
    void checkRule(const Rule &rule, BinaryOp op, std::mt19937 &random)
    {
        const auto number = [&](int low, int high) {
            return std::uniform_int_distribution(low, high)(random);
        };
        const std::size_t arrow = std::min(rule.text.find("->"), rule.text.find("=>"));
        const bool truthValues = isLogic(op) && rule.text.find_first_of("<=c") >= arrow;
        int tried = 0;
        for (int attempt = 0; attempt < 20000 && tried < 400; ++attempt) {
            Values values;
            for (std::int64_t &slot : values.exprs)
                slot = truthValues ? number(0, 1) : number(-20, 20);
            for (std::int64_t &slot : values.constants)
                slot = number(0, 1) ? number(-8, 12) : number(1, 4) * number(1, 4);
            const auto from = value(rule, rule.forms.front(), values);
            if (!from)
                continue;
            if (rule.condition >= 0 && value(rule, rule.condition, values).value_or(0) == 0)
                continue;
            ++tried;
            for (const int form : rule.forms)
                QCOMPARE(value(rule, form, values), from);
            const auto to = value(rule, rule.to, values);
            std::string text(rule.text);
            for (const char letter : std::string_view("xyzwuv"))
                text += std::string("  ") + letter + '='
                        + std::to_string(values.exprs[std::string_view("xyzwuv").find(letter)]);
            for (int i = 1; i < 4; ++i)
                text += "  c" + std::to_string(i) + '='
                        + std::to_string(values.constants[static_cast<std::size_t>(i)]);
            QVERIFY2(to == from, text.c_str());
        }
        QVERIFY2(tried >= 20, ("the condition hardly ever holds: " + std::string(rule.text)).c_str());
    }

private Q_SLOTS:
    void eachIsTrue()
    {
        std::mt19937 random(7);
        int rules = 0;
        for (int op = 0; op <= static_cast<int>(BinaryOp::Or); ++op) {
            const arith::RuleSet *set = arith::rulesFor(static_cast<BinaryOp>(op));
            if (!set)
                continue;
            for (const Rule &rule : set->rules()) {
                checkRule(rule, static_cast<BinaryOp>(op), random);
                ++rules;
            }
        }
        QVERIFY(rules > 200);
    }

    void readsFormsAndArrows()
    {
        const auto rules = arith::rulesFor(BinaryOp::Sub)->rules();
        const auto find = [&](std::string_view text) {
            const auto found = std::ranges::find(rules, text, &Rule::text);
            return found == rules.end() ? nullptr : &*found;
        };
        const Rule *two = find("(x + y) - y; (y + x) - y -> x");
        QVERIFY(two && two->forms.size() == 2 && !two->resimplifies && !two->allTypes && two->condition < 0);
        const Rule *again = find("x - y * c1 => x + y * (0 - c1)");
        QVERIFY(again && again->forms.size() == 1 && again->resimplifies);
        const Rule *any = find("any select(x, y, z) - select(x, w, u) -> select(x, y - w, z - u)");
        QVERIFY(any && any->allTypes);
    }
};

QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
