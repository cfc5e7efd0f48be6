// SPDX-License-Identifier: Apache-2.0
/// Memory layout of a buffer before and after a step that changes it.
#pragma once

#include "core/explore/step_path.h"
#include "core/target/target.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright::explore {

/// The places of some elements, row by row of the buffer before the step.
struct LayoutGrid {
    std::string shape{};                 ///< of all the buffer, with strides where it is not compact
    std::vector<std::int64_t> offsets{}; ///< elements from the begin of the buffer
};

/// The last two dimensions, of others the first index.
struct LayoutChange {
    std::size_t place = 0; ///< of the step
    std::string step{};    ///< "transform_layout(…)"
    std::string buffer;
    std::int64_t rows = 1, columns = 1; ///< that are shown, `mostLayoutCells` each at most
    bool isPart = false;                ///< the buffer has more elements
    std::int64_t elementBytes = 1;
    LayoutGrid before{}, after{};
};

inline constexpr std::int64_t mostLayoutCells = 64;

/// Changes by the steps of the path that lay a buffer out anew: those of transform_layout by its index map;
/// others by the strides that lowering gives, as storage_align does.
std::vector<LayoutChange> layoutChanges(const StepPath &path, const target::Target &target);

} // namespace nestwright::explore
