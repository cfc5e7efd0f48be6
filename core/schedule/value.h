// SPDX-License-Identifier: Apache-2.0
/// Values of a step's arguments and results.
#pragma once

#include "core/ir/node/stmt.h"
#include "core/support/errors/result.h"

#include <string>
#include <variant>
#include <vector>

namespace nestwright::schedule {

using ir::StmtId;
using support::Diagnostic;
using support::Result;

/// A variable of an index map that stands for a number that a sampling step gave.
struct SampledIndex {
    ir::Var var;
    std::int64_t value = 0;
    std::uint32_t result = 0; ///< as of an ArgValue
};

/// A map from indices to indices, as in `lambda i, j: (i, j // 4, j % 4)`.
struct IndexMap {
    std::vector<ir::Var> inputs;
    std::vector<ir::Expr> outputs;     ///< in terms of `inputs`
    std::vector<int> axisSeparators{}; ///< positions between outputs where a separator stands
    /// The input (with each output equal to it) that stands for any number of indices, as in `lambda *i, k:
    /// (*i, k)`; -1: none.
    int rest = -1;
    /// Whether outputs are pairs of the begin and end of ranges, as in `lambda i, j: [(i, i + 2), (j - 1, j +
    /// 1)]`.
    bool ranges = false;
    std::vector<SampledIndex> sampled{}; ///< kept apart so that traces can name them again; see withValues()

    /// The map with the numbers in place of the variables that stand for sampled ones.
    IndexMap withValues() const;
    /// The map with each index made into the range of it alone; the map itself when it gives ranges.
    IndexMap withRanges() const;
    /// The map with the input that stands for any number made into as many as `count` inputs need; the map
    /// itself when there is none.
    IndexMap withInputs(std::size_t count) const;

    /// Equal up to the names of the inputs. Other variables, which stand for sizes of the function, are equal
    /// by name.
    bool operator==(const IndexMap &other) const;
    /// Whether outputs are exactly the inputs.
    bool isIdentity() const;
};

/// A number that is known only where the program runs, as `T.vscale() * 4`, or a constant of a type of its
/// own, `T.int64(10)`. It has no variables.
struct Formula {
    ir::Expr value;
    bool operator==(const Formula &other) const;
};

struct ArgValue;

/// A dictionary, as annotations may be: values by their keys, which are sorted.
struct ArgMap {
    std::vector<std::string> keys;
    std::vector<ArgValue> values; ///< one per key

    void set(const std::string &key, ArgValue value);
    bool operator==(const ArgMap &other) const;
};

/// A value in a step: nothing (Python's None), a plain value, a loop or block, an index map, a list or a
/// dictionary of values, a formula.
struct ArgValue {
    using List = std::vector<ArgValue>;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, StmtId, IndexMap, List, ArgMap,
                 Formula>
        value;

    ArgValue() = default;
    ArgValue(bool b) : value(b) {}
    ArgValue(int number) : value(static_cast<std::int64_t>(number)) {}
    ArgValue(std::int64_t number) : value(number) {}
    ArgValue(double number) : value(number) {}
    ArgValue(const char *text) : value(std::string(text)) {}
    ArgValue(std::string text) : value(std::move(text)) {}
    ArgValue(StmtId id) : value(id) {}
    ArgValue(IndexMap map) : value(std::move(map)) {}
    ArgValue(List list) : value(std::move(list)) {}
    ArgValue(ArgMap map) : value(std::move(map)) {}
    ArgValue(Formula formula) : value(std::move(formula)) {}

    /// The result of the script or trace that a loop or block was read from (counted from 1), so that the
    /// same name can be written again; 0 when not known. No part of the value.
    std::uint32_t result = 0;

    bool isNone() const { return std::holds_alternative<std::monostate>(value); }
    /// The value when it is a T, else null.
    template <class T> const T *as() const { return std::get_if<T>(&value); }
    bool operator==(const ArgValue &other) const;
};

using ArgList = ArgValue::List;

/// The value in the syntax of a schedule script, with loops and blocks as "#7" instead of names: `[None, 4]`,
/// `"local"`.
std::string str(const ArgValue &value);
/// `lambda i, j: (i, j // 4, j % 4,)`
std::string str(const IndexMap &map);
/// A Python string literal with double quotes.
std::string quoted(const std::string &text);

} // namespace nestwright::schedule
