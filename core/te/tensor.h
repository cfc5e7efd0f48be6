// SPDX-License-Identifier: Apache-2.0
/// Tensor expressions: placeholders and computed tensors, and the builder that makes them.
#pragma once

#include "core/ir/node/attr.h"
#include "core/ir/node/stmt.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright::te {

using ir::DataType;
using ir::Expr;
using ir::IterVar;
using ir::Var;

struct Operation;

/// One output of an operation; identified by its buffer, from which the elements are loaded.
class Tensor {
public:
    Tensor() = default;
    Tensor(std::shared_ptr<const Operation> operation, int output)
        : m_operation(std::move(operation))
        , m_output(output)
    {
    }

    explicit operator bool() const { return m_operation != nullptr; }
    const Operation &operation() const { return *m_operation; }
    const std::shared_ptr<const Operation> &operationPointer() const { return m_operation; }
    int outputIndex() const { return m_output; }
    const ir::Buffer &buffer() const;
    const std::string &name() const { return buffer().name(); }
    const std::vector<Expr> &shape() const { return buffer().shape(); }
    DataType dtype() const { return buffer().dtype(); }

    /// The element at `indices`. Throws support::UserError "te.index-count" unless there is one integer
    /// index per dimension ("te.index-type").
    Expr at(std::vector<Expr> indices) const;
    template <class... Index> Expr operator()(const Index &...index) const { return at({Expr(index)...}); }

    bool operator==(const Tensor &other) const
    {
        return m_operation == other.m_operation && m_output == other.m_output;
    }

private:
    std::shared_ptr<const Operation> m_operation;
    int m_output = 0;
};

/// How two tuples of values become one: `result` in terms of `lhs` and `rhs`, and the values that change
/// nothing.
struct Combiner {
    std::string name; ///< "sum", "max", "min", "prod", or the name given to a reducer of one's own
    std::vector<Var> lhs, rhs;
    std::vector<Expr> result;
    std::vector<Expr> identity;
};

/// A commutative reduction over axes; only a whole compute body may be one.
struct Reduction {
    std::shared_ptr<const Combiner> combiner;
    std::vector<Expr> sources; ///< one per output
    std::vector<IterVar> axes; ///< of kind Reduce
    Expr condition;            ///< elements where it is false do not take part; null: all do
    std::vector<Expr> init;    ///< in place of the combiner's identity; may be empty
};

/// The result of a compute function: one value, one value per output, or a reduction.
struct Body {
    std::vector<Expr> values;
    std::optional<Reduction> reduction;

    Body(Expr value) : values{std::move(value)} {}
    Body(std::vector<Expr> outputs) : values(std::move(outputs)) {}
    Body(Reduction whole) : reduction(std::move(whole)) {}
};

/// A placeholder (no axes, no body) or a compute.
struct Operation {
    std::string name;
    bool isPlaceholder = false;
    std::vector<IterVar> axes; ///< one spatial axis per dimension, over [0, extent)
    std::vector<Expr> values;  ///< one per output; empty when `reduction` is set
    std::optional<Reduction> reduction;
    std::vector<ir::Buffer> outputs;
    std::vector<Tensor> inputs; ///< tensors read, in order of first use
    ir::Attrs attrs;            ///< become annotations of the block
};

/// An axis to reduce over: [min, min + extent).
IterVar reduceAxis(const Expr &extent, std::string name = "rv");
IterVar reduceAxis(const Expr &min, const Expr &extent, std::string name);

/// Reductions of one value. Throw support::UserError "te.not-reduce-axis" when an axis is none of
/// reduceAxis.
Reduction sum(const Expr &value, std::vector<IterVar> axes);
Reduction max(const Expr &value, std::vector<IterVar> axes);
Reduction min(const Expr &value, std::vector<IterVar> axes);
Reduction prod(const Expr &value, std::vector<IterVar> axes);

using CombineFunction =
    std::function<std::vector<Expr>(const std::vector<Expr> &lhs, const std::vector<Expr> &rhs)>;
using IdentityFunction = std::function<std::vector<Expr>(const std::vector<DataType> &)>;
/// A reduction of several values at once (an arg-max, say). `combine` and `identity` give one value per
/// source.
Reduction reduce(std::string name, const CombineFunction &combine, const IdentityFunction &identity,
                 std::vector<Expr> sources, std::vector<IterVar> axes);

/// `condition ? then : else` where only the arm taken is evaluated. Arms of different types are matched as
/// operands are.
Expr ifThenElse(const Expr &condition, const Expr &thenValue, const Expr &elseValue);
/// Conjunction and disjunction of one or more conditions.
Expr all(std::span<const Expr> conditions);
Expr any(std::span<const Expr> conditions);
inline Expr all(std::initializer_list<Expr> conditions)
{
    return all(std::span(conditions.begin(), conditions.size()));
}
inline Expr any(std::initializer_list<Expr> conditions)
{
    return any(std::span(conditions.begin(), conditions.size()));
}
/// A unary math intrinsic (exp, sigmoid, tanh, erf, sqrt, log, …). Throws support::UserError
/// "te.float-needed" on an argument that is no floating-point number.
Expr math(const ir::Intrinsic &intrinsic, const Expr &argument);
/// The function of mathematics with that name in TVMScript.
Expr math(std::string_view name, const Expr &argument);
/// a / b of floats; of integers, the truncated quotient.
Expr divide(const Expr &a, const Expr &b);

/// Makes tensors and knows which operation each buffer comes from.
///
/// Errors are thrown as support::UserError: "te.out-of-bounds" (an index that provably leaves its tensor
/// where nothing guards it), "te.unknown-tensor" (a buffer of another builder), "te.output-count",
/// "te.body-type".
class Builder {
public:
    /// `foldsEmpty`: a reduction over nothing becomes its identity, and what would be read from an empty
    /// tensor 0; else their loops stay as they are written.
    explicit Builder(bool foldsEmpty = false) : m_foldsEmpty(foldsEmpty) {}

    /// An input of the kernel; `shape` in elements.
    Tensor placeholder(std::vector<Expr> shape, DataType dtype = DataType::float32(),
                       std::string name = "placeholder");

    using Function = std::function<Body(const std::vector<Expr> &axes)>;
    /// `outputs` tensors of one shape (names "NAME", or "NAME_v0", "NAME_v1", … for several).
    /// `axisNames` may be shorter than the shape: the rest are i0, i1, ….
    std::vector<Tensor> computeAll(const std::vector<Expr> &shape, const std::vector<std::string> &axisNames,
                                   const Function &function, std::string name = "compute",
                                   ir::Attrs attrs = {});
    /// Like `computeAll`, for one output.
    Tensor compute(const std::vector<Expr> &shape, const std::vector<std::string> &axisNames,
                   const Function &function, std::string name = "compute", ir::Attrs attrs = {});

    /// The tensor that is stored in `buffer`; null when this builder made none.
    Tensor tensorOf(const ir::Buffer &buffer) const;

private:
    std::vector<Tensor> inputsOf(const Operation &operation) const;

    bool m_foldsEmpty;
    ir::BufferMap<Tensor> m_tensors;
};

} // namespace nestwright::te
