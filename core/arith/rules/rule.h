// SPDX-License-Identifier: Apache-2.0
/// Rewrite rules as text, compiled once into small trees.
///
/// A rule reads "from -> to" or "from -> to if condition"; several forms with one result are written "from;
/// from -> to".
/// "=>" instead of "->" has the result simplified again. In it
///   x y z w u v        stand for any expression (twice the same letter: equal expressions),
///   c1 c2 … c9         for integer constants, numbers for themselves,
///   + - * ( )          are as usual, / is floordiv and % floormod,
///   min max tdiv tmod select are functions,
///   < <= == != && || ! are as usual (<= and the like in patterns mean those nodes).
/// A rule holds for scalar integers of 32 and 64 bits, for all types when it begins with "any". Operands
/// match in the order in which they are written, and the first rule that fits is taken. In the condition, a
/// comparison between constants is computed; "x >= 0", "x < c1" and "x == 0" have to be proven.
#pragma once

#include "core/ir/node/expr.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nestwright::arith {

struct PatternNode {
    enum class Kind : std::uint8_t { Any, Constant, Number, Binary, Not, Select };
    Kind kind = Kind::Number;
    ir::BinaryOp op = ir::BinaryOp::Add;
    bool computed = false;      ///< only constants below: its value is known as soon as the rule matches
    std::int64_t value = 0;     ///< slot of Any and Constant, value of Number
    std::array<int, 3> child{}; ///< indices into the rule's nodes
};

/// The expressions and constants bound to the letters of a matched rule.
struct Bindings {
    static constexpr int slots = 10;
    std::array<const ir::Expr *, slots> exprs{};
    std::array<std::int64_t, slots> constants{};
    std::uint32_t boundConstants = 0;
};

struct Rule {
    std::string_view text;
    std::vector<PatternNode> nodes;
    std::vector<int> forms; ///< the left sides
    int to = 0;
    int condition = -1;        ///< -1: none
    bool resimplifies = false; ///< the result is simplified again
    bool allTypes = false;     ///< not only index types

    const PatternNode &at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
    /// Whether the left side `node` fits an operator node with these operands.
    bool matches(int node, ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b, Bindings &bindings) const;
    bool matches(int node, const ir::Expr &e, Bindings &bindings) const;
    /// Value of a computed node; nothing on overflow or division by 0.
    std::optional<std::int64_t> compute(int node, const Bindings &bindings) const;
};

/// Rules of one operator, indexed by the kinds of its operands.
class RuleSet {
public:
    RuleSet(ir::BinaryOp op, std::span<const std::string_view> texts);

    struct Candidate {
        const Rule *rule;
        int form;
    };
    /// The rules whose outermost shape fits, in the order of the table.
    std::span<const Candidate> candidates(const ir::Expr &a, const ir::Expr &b) const;
    std::span<const Rule> rules() const { return m_rules; }

private:
    static constexpr std::size_t keys = 24;
    std::vector<Rule> m_rules;
    std::array<std::vector<Candidate>, keys * keys> m_index;
};

/// The table for `op`; null when there is none.
const RuleSet *rulesFor(ir::BinaryOp op);

// The tables, one file each.
std::span<const std::string_view> addRules();
std::span<const std::string_view> subRules();
std::span<const std::string_view> mulRules();
std::span<const std::string_view> divRules();
std::span<const std::string_view> modRules();
std::span<const std::string_view> floorDivRules();
std::span<const std::string_view> floorModRules();
std::span<const std::string_view> minRules();
std::span<const std::string_view> maxRules();
std::span<const std::string_view> equalRules();
std::span<const std::string_view> lessRules();
std::span<const std::string_view> andRules();
std::span<const std::string_view> orRules();

} // namespace nestwright::arith
