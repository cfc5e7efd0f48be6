// SPDX-License-Identifier: Apache-2.0
/// Inputs and outputs of a model that serve to generate token by token.
#pragma once

#include "core/frontend/onnx/file/model.h"
#include "core/graph/run/decoder.h"

namespace nestwright::graph::onnx {

struct DecodingInputs {
    DecodingRoles roles;
    std::map<std::string, std::int64_t> sizes; ///< of symbolic dimensions, for one token at a time
};

/// Found by names and shapes, as exporters give them: "input_ids", "position_ids", "attention_mask",
/// "past_key_values.0.key" and "present.0.key". `places`: for former tokens, unless the model fixes their
/// number. Error: "decoding.inputs": what is missing, or not known.
support::Result<DecodingInputs> decodingInputs(const OnnxModel &model, std::int64_t places);

} // namespace nestwright::graph::onnx
