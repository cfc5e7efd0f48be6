// SPDX-License-Identifier: Apache-2.0
/// Tensors of ONNX files as arrays. Includes the messages of ONNX: for the readers of this folder only.
#pragma once

#include "core/frontend/onnx/file/model.h"
#include "core/frontend/onnx/file/serialized_model.h"
#include "core/support/files/mapped_file.h"

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <memory>

namespace nestwright::graph::onnx {

/// The number for an element type; 0 where there is none.
int onnxType(ir::DataType type);
/// The type for a number where it is narrow; else void.
ir::DataType narrowTypeOf(std::int64_t onnxType);
/// For messages: "STRING", "COMPLEX64", ….
std::string typeName(int onnxType);

/// Files that hold tensor data outside the model's message.
struct TensorFiles {
    std::filesystem::path folder;                    ///< where files of external data are looked for
    std::shared_ptr<support::MappedFile> model = {}; ///< that raw data lie in; null where it is not mapped
};

/// The tensor's elements; narrow types are held in wider ones. `raw`: raw data that were left out of `proto`;
/// large ones are read on first use (support::DeferredMemory) if the model's file is mapped. Raw data in
/// `proto` are moved out of it, so that they are not held twice. Throws support::UserError "onnx.tensor",
/// "onnx.external".
ir::NdArray arrayOf(::onnx::TensorProto &proto, const TensorFiles &files, RawData raw = {});
/// A tensor of type STRING. Throws support::UserError "onnx.tensor".
OnnxTensor textOf(const ::onnx::TensorProto &proto);

} // namespace nestwright::graph::onnx
