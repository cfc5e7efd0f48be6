// SPDX-License-Identifier: Apache-2.0
/// Expressions of a function in double precision, each with a bound on its error, and the buffers and
/// variables that take the place of the function's own.
#pragma once

#include "core/ir/node/buffer.h"
#include "core/measure/verify/inexact_memory.h"
#include "core/measure/verify/rounding_rules.h"

namespace nestwright::measure {

/// All members throw NoBounds where there is no such expression.
class BoundedExpressions {
public:
    explicit BoundedExpressions(const InexactMemory &memory) : m_memory(memory) {}

    /// The buffer in double precision, and that of its errors.
    ir::Buffer value(const ir::Buffer &b);
    ir::Buffer error(const ir::Buffer &b);
    /// The pointer to the errors of what lies at `data`.
    ir::Var errorData(const ir::Var &data);
    bool hasErrorData(const ir::Var &data) const { return m_errorData.contains(data); }
    ir::Var variable(const ir::Var &var);
    /// The variable stands for a value with this error from now on; null is none.
    void bind(const ir::Var &var, const ir::Expr &error);

    Bounded expr(const ir::Expr &e, Locals &locals);
    /// The expression with locals of its own, for code under a condition, which must not be evaluated
    /// outside.
    Bounded apart(const ir::Expr &e);
    /// An expression in which no floating-point number occurs.
    static ir::Expr plain(const ir::Expr &e);
    /// Indices that no error can change.
    std::vector<ir::Expr> indices(const std::vector<ir::Expr> &all);

private:
    Bounded binary(const ir::Binary &e, Locals &locals);
    /// `isLazy`: only the value that is chosen may be computed.
    Bounded choice(const ir::Expr &condition, const ir::Expr &a, const ir::Expr &b, Locals &locals,
                   bool isLazy);
    Bounded let(const ir::Let &e, Locals &locals);
    Bounded load(const ir::BufferLoad &e);
    Bounded call(const ir::Call &e, Locals &locals);

    const InexactMemory &m_memory;
    ir::BufferMap<ir::Buffer> m_values, m_errors;
    ir::VarMap<ir::Var> m_errorData, m_variables;
    ir::VarMap<ir::Expr> m_variableErrors;
};

} // namespace nestwright::measure
