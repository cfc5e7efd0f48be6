// SPDX-License-Identifier: Apache-2.0
#include "core/session/files/tensor_file.h"

#include "core/graph/onnx/file/model.h"

namespace nestwright::session {

using support::Result;

Result<ir::NdArray> readTensorFile(const std::string &path) { return graph::onnx::readTensor(path); }

Result<void> writeTensorFile(const std::string &path, const ir::NdArray &array, const std::string &name,
                             ir::DataType type)
{
    return graph::onnx::writeTensor(path, array, name, type);
}

} // namespace nestwright::session
