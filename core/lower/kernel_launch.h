// SPDX-License-Identifier: Apache-2.0
/// Launches of kernels by the host, as a lowered module of a GPU target has them.
#pragma once

#include "core/ir/node/function.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::lower {

/// Attribute of the functions that a device runs.
inline constexpr std::string_view kernelKey = "nestwright.kernel";
bool isKernel(const ir::PrimFunc &function);

/// `T.call_packed("main_kernel", A.data, …, n, …, blocks x, y, z, threads x, y, z)`.
struct KernelLaunch {
    std::string kernel;              ///< a function of the module
    std::vector<ir::Expr> arguments; ///< memories and scalars, one for each of its parameters
    std::array<ir::Expr, 3> blocks{1, 1, 1}, threads{1, 1, 1};

    ir::Stmt stmt() const;
    /// Nothing where `s` is another statement.
    static std::optional<KernelLaunch> of(const ir::Stmt &s);
};

} // namespace nestwright::lower
