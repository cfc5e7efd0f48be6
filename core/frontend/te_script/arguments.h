// SPDX-License-Identifier: Apache-2.0
/// The arguments of a call in a TE script.
#pragma once

#include "core/frontend/te_script/value.h"
#include "core/script/python/call_binding.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace nestwright::te {

class Interpreter;

using ArgumentValue = py::Argument<Value>;

/// Positional arguments first, then keywords, each with its place; the accessors check types and throw
/// support::UserError ("te.argument") at the argument concerned.
class Arguments {
public:
    Arguments(Interpreter &interpreter, std::string function, py::Position at)
        : m_interpreter(&interpreter)
        , m_function(std::move(function))
        , m_at(at)
    {
    }

    void add(std::string keyword, Value value, py::Position at);

    /// The function as messages name it.
    py::Callee callee() const { return {m_function + "()", '"'}; }
    const std::string &function() const { return m_function; }
    py::Position at() const { return m_at; }
    const std::vector<ArgumentValue> &all() const { return m_all; }
    std::size_t positionalCount() const;

    /// Checks that every argument is one of `names` (positional ones in that order) and is given once.
    void expect(std::initializer_list<std::string_view> names) const;

    /// The argument at `index` or by `name`; null when it is not given. None counts as not given.
    const ArgumentValue *find(std::size_t index, std::string_view name) const;
    /// The same, but it has to be there.
    const ArgumentValue &need(std::size_t index, std::string_view name) const;

    std::string string(std::size_t index, std::string_view name, std::string defaultValue) const;
    DataType dtype(std::size_t index, std::string_view name, DataType defaultValue) const;
    Expr expr(std::size_t index, std::string_view name) const;
    std::int64_t integer(std::size_t index, std::string_view name) const;
    /// Sizes: ints, expressions, or floats that are whole; one alone counts as a list of one.
    std::vector<Expr> shape(std::size_t index, std::string_view name) const;
    /// One reduce axis or a list of them.
    std::vector<IterVar> axes(std::size_t index, std::string_view name) const;

    [[noreturn]] void wrong(const ArgumentValue &argument, std::string_view name,
                            std::string_view expected) const;
    [[noreturn]] void fail(std::string_view code, std::string message, std::string hint = {}) const;
    Interpreter &interpreter() const { return *m_interpreter; }

private:
    Interpreter *m_interpreter;
    std::string m_function;
    py::Position m_at;
    std::vector<ArgumentValue> m_all;
};

/// A size as an expression; null when `value` is none.
Expr toSize(const Value &value);

} // namespace nestwright::te
