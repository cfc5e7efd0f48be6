// SPDX-License-Identifier: Apache-2.0
/// Values of annotations and attributes: an expression (constant or string) or a list of such values.
#pragma once

#include "core/ir/expr.h"

#include <map>
#include <variant>

namespace nestwright::ir {

struct AttrValue {
    std::variant<Expr, std::vector<AttrValue>> value;

    AttrValue() = default;
    AttrValue(Expr e) : value(std::move(e)) {}
    AttrValue(std::int64_t number) : value(Expr(number)) {}
    AttrValue(int number) : value(Expr(number)) {}
    AttrValue(const std::string &text);
    AttrValue(std::vector<AttrValue> list) : value(std::move(list)) {}

    /// The constant integer or string, where it is one.
    const std::int64_t *asInt() const;
    const std::string *asString() const;
    const Expr *asExpr() const { return std::get_if<Expr>(&value); }
    const std::vector<AttrValue> *asList() const { return std::get_if<std::vector<AttrValue>>(&value); }
};

/// Sorted by key, so that printing and hashing are stable.
using Attrs = std::map<std::string, AttrValue>;

} // namespace nestwright::ir
