// SPDX-License-Identifier: Apache-2.0
/// Symbolic dimensions that are written as expressions of others: "past_sequence_length + 1".
#pragma once

#include "core/frontend/onnx/file/model.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace nestwright::graph::onnx {

/// Distinguishes dimensions that are expressions from names that only look like one ("batch-size"): in an
/// expression, at least one name is a dimension by itself of some input.
class SizeExpressions {
public:
    explicit SizeExpressions(std::span<const OnnxValue> inputs);

    /// The names that a dimension depends on, each once: itself, where it is no expression.
    std::vector<std::string> namesOf(const std::string &dimension) const;
    /// The size, where the dimension is an expression; `named` gives that of a name. Nothing where it is a
    /// plain name. Throws support::UserError "onnx.shape" where it divides by zero.
    std::optional<ir::Expr> valueOf(const std::string &dimension,
                                    const std::function<ir::Expr(const std::string &)> &named) const;

private:
    std::set<std::string> m_names; ///< of dimensions by themselves
};

} // namespace nestwright::graph::onnx
