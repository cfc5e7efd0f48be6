// SPDX-License-Identifier: Apache-2.0
/// Operators allowed on elements of a narrow type, which are held in a wider one.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright::graph::onnx {

enum class NarrowUse : std::uint8_t {
    None,  ///< to compute with them would give numbers that the narrow type does not have
    Read,  ///< its results are of another type, or its importer gives their type
    Moved, ///< its results have the type of its first input
};

/// The use of ONNX's own operator of that name.
NarrowUse narrowUse(std::string_view op);

} // namespace nestwright::graph::onnx
