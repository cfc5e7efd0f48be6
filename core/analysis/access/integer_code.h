// SPDX-License-Identifier: Apache-2.0
/// Index expressions made ready to be evaluated many times.
#pragma once

#include "core/ir/node/expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nestwright::analysis {

/// A scalar integer expression over some variables, as steps of a stack machine.
class IntegerCode {
public:
    /// Nothing where `e` uses another variable, or is more than arithmetic on integers.
    static std::optional<IntegerCode> of(const ir::Expr &e, std::span<const ir::Var> vars);

    /// The value for `values`, one for each variable; nothing where it divides by 0.
    std::optional<std::int64_t> eval(std::span<const std::int64_t> values);

private:
    enum class Kind : std::uint8_t { Constant, Variable, Binary, Not, Cast, Choose };
    struct Step {
        Kind kind = Kind::Constant;
        ir::BinaryOp op = ir::BinaryOp::Add;
        ir::DataType dtype{};
        std::int64_t value = 0; ///< the constant, or the place of the variable
    };

    bool add(const ir::Expr &e, std::span<const ir::Var> vars);

    std::vector<Step> m_steps;
    std::vector<std::int64_t> m_stack;
};

} // namespace nestwright::analysis
