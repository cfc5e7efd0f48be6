// SPDX-License-Identifier: Apache-2.0
/// Tensors of ONNX files as arrays. Includes the messages of ONNX: for the readers of this folder only.
#pragma once

#include "core/graph/onnx/model.h"
#include "core/graph/onnx/serialized_model.h"

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace nestwright::graph::onnx {

/// The number for an element type; 0 where there is none.
int onnxType(ir::DataType type);
/// The type for a number where it is narrow; else void.
ir::DataType narrowTypeOf(std::int64_t onnxType);
/// For messages: "STRING", "COMPLEX64", ….
std::string typeName(int onnxType);

/// Elements of narrow types come in those that they are held in. `folder` is where files of external data are
/// looked for. `raw`: its raw data, where they were left out of `proto`; others are taken out of it, so that
/// they are not held twice. Throws support::UserError "onnx.tensor", "onnx.external".
ir::NdArray arrayOf(::onnx::TensorProto &proto, const std::filesystem::path &folder, RawData raw = {});

} // namespace nestwright::graph::onnx
