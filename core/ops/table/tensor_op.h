// SPDX-License-Identifier: Apache-2.0
/// Operators on tensors of any shape: the operations of nodes in a model's graph.
///
/// An operator is described once: its attributes, the types of its results, how it is computed, and how it
/// may be fused. To add one, write its row in a file of this folder and list that file's function in
/// `tensor_op.cpp`.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/target/machine.h"
#include "core/te/tensor.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nestwright::ops {

/// Elements per dimension; a constant integer or a symbolic size.
using Shape = std::vector<ir::Expr>;

/// The type of a tensor on an edge of a graph.
struct TensorType {
    Shape shape;
    ir::DataType dtype;

    std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
    /// The dimensions, when none is symbolic.
    std::optional<std::vector<std::int64_t>> constantShape() const;
    /// "Tensor[(1, 3, n), float32]".
    std::string str() const;
    /// Dimensions are compared after simplification.
    bool operator==(const TensorType &other) const;
};

/// The value of an attribute.
using AttributeValue =
    std::variant<bool, std::int64_t, double, std::string, ir::DataType, std::vector<std::int64_t>>;

/// Attributes by name, as an operator's row declares them.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

/// "[1, 1]", "\"constant\"", "True": as the graph's text writes a value.
std::string str(const AttributeValue &value);

/// One declared attribute. The type of the default is that of the value.
struct AttributeField {
    std::string_view name;
    AttributeValue defaultValue;
    std::string_view help;
    bool unlimited = false; ///< integers of any size; others lie within ±2^31, so that products of two fit
};

/// How an operator may be joined with its neighbours in one kernel; ordered by how much it asks for.
enum class FusionKind : std::uint8_t {
    Elementwise, ///< element i of the result needs element i of the inputs
    Broadcast,   ///< the same with inputs that are repeated
    Injective,   ///< each element needs one element of each input, elsewhere
    Reduction,   ///< an element needs many; the result is smaller
    OutFusable,  ///< a contraction or normalisation that elementwise operators may follow
    Opaque,      ///< alone
};
std::string_view nameOf(FusionKind kind);

struct TensorOp;

/// An operator with the attributes and the input types of one node.
struct CallSite {
    const TensorOp &op;
    const Attributes &attributes; ///< complete
    std::span<const TensorType> inputs;
    const target::Machine &machine = target::tunedMachine(); ///< of the kernel

    bool flag(std::string_view name) const { return std::get<bool>(value(name)); }
    std::int64_t integer(std::string_view name) const { return std::get<std::int64_t>(value(name)); }
    double real(std::string_view name) const { return std::get<double>(value(name)); }
    const std::string &text(std::string_view name) const { return std::get<std::string>(value(name)); }
    ir::DataType dtype(std::string_view name = "dtype") const { return std::get<ir::DataType>(value(name)); }
    const std::vector<std::int64_t> &integers(std::string_view name) const
    {
        return std::get<std::vector<std::int64_t>>(value(name));
    }
    const AttributeValue &value(std::string_view name) const;
    const TensorType &input(std::size_t i = 0) const { return inputs[i]; }
};

using Tensors = std::vector<te::Tensor>;

/// One row of the table.
struct TensorOp {
    std::string_view name; ///< as in the graph's text: "nn.conv"
    std::string_view summary;
    FusionKind fusion = FusionKind::Opaque;
    /// An operator on elements tells dimensions apart, so that rearranged ones need another call.
    bool layoutSensitive = false;
    int minInputs = 1;
    int maxInputs = 1; ///< -1: any number
    std::vector<AttributeField> attributes = {};
    /// The types of the results. Throws support::UserError "ops.type" where the inputs do not fit.
    std::function<std::vector<TensorType>(const CallSite &)> infer = {};
    /// The results as tensor expressions of `inputs`; empty for an operator with a `function`.
    std::function<Tensors(te::Builder &, const CallSite &, const Tensors &inputs)> compute = {};
    /// A function of blocks over the inputs and then the results, for operators that are no tensor
    /// expressions.
    std::function<ir::Function(const CallSite &, std::span<const TensorType> results)> function = {};
};

/// Every operator, by name.
std::span<const TensorOp> tensorOps();
/// Null when there is none of that name.
const TensorOp *findTensorOp(std::string_view name);

/// `given` with the defaults of `op`. Errors: "ops.unknown-attribute", "ops.bad-attribute" (another kind of
/// value).
support::Result<Attributes> completeAttributes(const TensorOp &op, Attributes given);

/// The types that a call gives. Errors: "ops.input-count"; "ops.type", which names the operator;
/// "ops.too-large": a result of 2^31 elements or more.
support::Result<std::vector<TensorType>> inferTypes(const CallSite &site);

/// A module whose function "main" computes one call alone: its parameters are the inputs, then the results.
/// Errors: as te::createPrimFunc.
support::Result<ir::Module> moduleOf(const CallSite &site, std::span<const TensorType> results);

} // namespace nestwright::ops
