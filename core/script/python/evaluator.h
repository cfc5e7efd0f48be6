// SPDX-License-Identifier: Apache-2.0
/// Evaluation of Python expressions, whatever their values are: the order in which parts are evaluated, and
/// the parts that are not.
#pragma once

#include "core/script/python/ast.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace nestwright::script::py {

/// Base of a reader, which says what its values are and do:
/// - `evaluate(e)`: evaluateNode with what the reader counts around it;
/// - `none()`, `listOf(values)`, `tupleOf(values)`, and values from bool, int64 and double;
/// - `string`, `name`, `unary`, `lambda`, `attribute`, `subscript`, `dictionary`, `callNode` of their nodes;
/// - `combine(node, left, right)`, the value of a binary operation;
/// - `compareOnce(op, left, right, node, operand)`: a bool, or what is not known yet;
/// - `truth(value, at)`: whether it counts as true; nothing where that is not known yet;
/// - `items(value, at)`: those of a list, a tuple or the like;
/// - `enterScope()` and `leaveScope(…)`, with what the first gave, around a comprehension; `assign(target,
///   value)`;
/// - `refuseChain(value, at)`: fails for a chain of comparisons that gives such a value;
/// - `other(node)`: the value of an expression of any further kind; may fail.
/// `Value` has `as<bool>()`.
template <class Reader, class Value> class Evaluator {
    friend Reader;
    Evaluator() = default;

protected:
    Value evaluateNode(const ExprNode &e)
    {
        switch (e.kind) {
        case ExprKind::Name: return reader().name(*e.as<Name>());
        case ExprKind::IntLiteral: return e.as<IntLiteral>()->value;
        case ExprKind::FloatLiteral: return e.as<FloatLiteral>()->value;
        case ExprKind::StringLiteral: return reader().string(*e.as<StringLiteral>());
        case ExprKind::BoolLiteral: return e.as<BoolLiteral>()->value;
        case ExprKind::NoneLiteral: return reader().none();
        case ExprKind::Unary: return reader().unary(*e.as<Unary>());
        case ExprKind::Binary: return binaryNode(*e.as<Binary>());
        case ExprKind::Compare: return compare(*e.as<Compare>());
        case ExprKind::BoolOp: return boolOp(*e.as<BoolOp>());
        case ExprKind::Conditional: return conditional(*e.as<Conditional>());
        case ExprKind::Lambda: return reader().lambda(*e.as<Lambda>());
        case ExprKind::Attribute: return reader().attribute(*e.as<Attribute>());
        case ExprKind::Subscript: return reader().subscript(*e.as<Subscript>());
        case ExprKind::Call: return reader().callNode(*e.as<Call>());
        case ExprKind::Tuple: return reader().tupleOf(evaluateAll(e.as<Tuple>()->items));
        case ExprKind::List: return reader().listOf(evaluateAll(e.as<List>()->items));
        case ExprKind::Dict: return reader().dictionary(*e.as<Dict>());
        case ExprKind::Comprehension:
            if (const auto *list = e.as<Comprehension>(); !list->value && list->brackets != '{')
                return comprehension(*list);
            break;
        default: break;
        }
        return reader().other(e);
    }

    /// Values of items; a starred one gives all of its own.
    std::vector<Value> evaluateAll(const std::vector<Expr> &items)
    {
        std::vector<Value> values;
        for (const Expr &item : items) {
            if (const auto *starred = item->as<Starred>()) {
                for (Value &value : reader().items(reader().evaluate(*starred->value), item->at))
                    values.push_back(std::move(value));
            } else {
                values.push_back(reader().evaluate(*item));
            }
        }
        return values;
    }

private:
    Reader &reader() { return static_cast<Reader &>(*this); }

    Value binaryNode(const Binary &e)
    {
        const Value left = reader().evaluate(*e.left);
        return reader().combine(e, left, reader().evaluate(*e.right));
    }

    Value compare(const Compare &e)
    {
        Value left = reader().evaluate(*e.first);
        Value result = true;
        for (const auto &[op, operand] : e.rest) {
            Value right = reader().evaluate(*operand);
            result = reader().compareOnce(op, left, right, e, *operand);
            const bool *holds = result.template as<bool>();
            if (!holds && e.rest.size() > 1)
                reader().refuseChain(result, e.at);
            if (!holds || !*holds)
                break;
            left = std::move(right);
        }
        return result;
    }

    Value boolOp(const BoolOp &e)
    {
        Value value;
        for (const Expr &operand : e.operands) {
            value = reader().evaluate(*operand);
            if (reader().truth(value, operand->at) != std::optional(e.isAnd))
                break;
        }
        return value;
    }

    Value conditional(const Conditional &e)
    {
        Value condition = reader().evaluate(*e.condition);
        const std::optional<bool> taken = reader().truth(condition, e.condition->at);
        if (!taken)
            return condition;
        return reader().evaluate(*taken ? *e.trueValue : *e.falseValue);
    }

    Value comprehension(const Comprehension &e)
    {
        auto outer = reader().enterScope();
        std::vector<Value> values;
        comprehend(e, 0, values);
        reader().leaveScope(std::move(outer));
        return reader().listOf(std::move(values));
    }

    void comprehend(const Comprehension &e, std::size_t clause, std::vector<Value> &out)
    {
        if (clause == e.clauses.size()) {
            out.push_back(reader().evaluate(*e.element));
            return;
        }
        const Comprehension::Clause &current = e.clauses[clause];
        for (const Value &item : reader().items(reader().evaluate(*current.iterable), current.iterable->at)) {
            reader().assign(*current.target, item);
            bool wanted = true;
            for (const Expr &condition : current.conditions)
                wanted =
                    wanted && reader().truth(reader().evaluate(*condition), condition->at).value_or(false);
            if (wanted)
                comprehend(e, clause + 1, out);
        }
    }
};

} // namespace nestwright::script::py
