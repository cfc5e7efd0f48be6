// SPDX-License-Identifier: Apache-2.0
/// A serialized model apart from the data of its weights: the library that reads its message would copy them
/// all into strings.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::graph::onnx {

/// The raw data of a tensor, where it has any.
using RawData = std::optional<std::span<const std::byte>>;

struct SerializedModel {
    std::string message;          ///< the model without the raw data of the graph's initializers
    std::vector<RawData> rawData; ///< of each initializer, within the bytes that were given
};

/// Nothing where `bytes`, of at most 2 GB, are no message, or are cut off, or hold groups, which ONNX does
/// not use.
std::optional<SerializedModel> withoutRawData(std::string_view bytes);

} // namespace nestwright::graph::onnx
