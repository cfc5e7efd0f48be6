// SPDX-License-Identifier: Apache-2.0
/// Operators that are no tensor expressions, written as TVMScript.
#pragma once

#include "core/ops/table/tensor_op.h"

namespace nestwright::ops {

/// The function whose statements are `body`, each line indented by four or more. Its parameters are the
/// inputs p0, p1, …, then the results r0, r1, …; all sizes must be known.
ir::Function scriptFunction(const CallSite &site, std::span<const TensorType> results,
                            const std::string &body);

/// An iteration variable of a block: `kind` is 's' (spatial) or 'o' (opaque: in the order of the loops).
struct ScriptAxis {
    std::string name;
    std::int64_t extent = 1;
    char kind = 's';
};

/// Loops around a block that runs `statements` (lines without indentation) once for each value of `axes`.
/// `reads` and `writes` are regions: "p0[i, 0:4], r0[i]".
std::string scriptBlock(const std::string &name, const std::vector<ScriptAxis> &axes,
                        const std::string &reads, const std::string &writes, const std::string &statements);

/// "a[i, j]"; a tensor without dimensions is "a[()]".
std::string scriptElement(std::string_view buffer, const std::vector<std::string> &indices);

/// "prefix0", "prefix1", ….
inline std::vector<ScriptAxis> scriptAxes(std::span<const std::int64_t> extents, std::string_view prefix)
{
    std::vector<ScriptAxis> axes;
    for (std::size_t i = 0; i < extents.size(); ++i)
        axes.push_back({std::string(prefix) + std::to_string(i), extents[i]});
    return axes;
}

} // namespace nestwright::ops
