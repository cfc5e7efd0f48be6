// SPDX-License-Identifier: Apache-2.0
/// Making a graph node by node; types are found on the way.
#pragma once

#include "core/graph/graph.h"

#include <set>
#include <string>
#include <unordered_map>

namespace nestwright::graph {

/// Throws support::UserError where a call does not fit its operator (the errors of ops::inferTypes).
class Builder {
public:
    explicit Builder(std::string name = "main") { m_function.name = std::move(name); }
    /// Goes on with the nodes of `function`; its outputs are set anew by `finish`.
    explicit Builder(Function function) : m_function(std::move(function)) {}

    Value input(std::string name, TensorType type);
    Value constant(ir::NdArray data, std::string name = {});
    Value constant(Data data, std::string name = {});
    /// A tensor without dimensions.
    Value scalar(double value, ir::DataType dtype);
    /// The first result of calling the operator, which must exist.
    Value call(std::string_view op, std::vector<Value> inputs, ops::Attributes attributes = {},
               std::string name = {});
    /// A copy of `node` that reads `inputs`; keeps its id and name. Gives its place.
    int copy(const Node &node, std::vector<Value> inputs);
    /// A node as it is, with a new id.
    int add(Node node);

    const Function &function() const { return m_function; }
    const TensorType &typeOf(Value value) const { return m_function.typeOf(value); }
    std::int64_t rankOf(Value value) const { return typeOf(value).rank(); }

    /// Notes the model's name for a result of an operator or a call, or for a constant; the first name stays.
    void nameTensor(Value value, const std::string &name);

    /// Lets go of a constant's data: nothing will read it.
    void release(Value constant) { m_function.nodes[static_cast<std::size_t>(constant.node)].data.reset(); }

    /// The data that an input will have: `dataOf` may use them, and then `fixedInputs` names the input.
    void assume(Value input, Data data);
    /// Whether a value depends only on constants.
    bool isKnown(Value value) const;
    /// Whether it depends only on constants and on inputs with assumed data.
    bool isAssumed(Value value) const;
    /// The data of a value that depends only on constants and on inputs with assumed data; found with the
    /// interpreter where it must. Null when it depends on another input, or takes more than `steps` of the
    /// interpreter. Throws the interpreter's errors.
    Data dataOf(Value value, std::int64_t steps = 50'000'000);

    /// The data of a constant, or those that an input is assumed to have; they do not count as used.
    Data peek(Value value) const;

    /// Names of inputs whose assumed data were used.
    std::vector<std::string> fixedInputs() const;

    /// The function with these outputs; nodes that they do not need are left out.
    Function finish(std::vector<Value> outputs, std::vector<std::string> names);

private:
    Data evaluated(int place, std::int64_t steps);
    /// Calls `visit` with the place of each node that the value depends on, constants apart, until it gives
    /// false; gives whether it never did.
    template <class Visit> bool visitDependences(Value value, Visit visit) const;

    Function m_function;
    mutable std::vector<bool> m_restsOnInputs; ///< by places, as far as it was asked for
    std::unordered_map<int, std::vector<Data>>
        m_known; ///< results of nodes that were computed, and assumed inputs
    std::set<int> m_fixed;
};

} // namespace nestwright::graph
