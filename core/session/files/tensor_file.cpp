// SPDX-License-Identifier: Apache-2.0
#include "core/session/files/tensor_file.h"

#if NESTWRIGHT_HAS_ONNX
#include "core/graph/onnx/file/model.h"
#endif

namespace nestwright::session {

using support::Result;

#if NESTWRIGHT_HAS_ONNX

Result<ir::NdArray> readTensorFile(const std::string &path) { return graph::onnx::readTensor(path); }

Result<void> writeTensorFile(const std::string &path, const ir::NdArray &array, const std::string &name,
                             ir::DataType type)
{
    return graph::onnx::writeTensor(path, array, name, type);
}

#else

namespace {

support::Diagnostic notBuilt(const std::string &path)
{
    return support::diagnostic("model.not-built",
                               "this program was built without ONNX: '" + path + "' is a file of it")
        .withHint("give the array as .npy");
}

} // namespace

Result<ir::NdArray> readTensorFile(const std::string &path) { return support::fail(notBuilt(path)); }

Result<void> writeTensorFile(const std::string &path, const ir::NdArray &, const std::string &, ir::DataType)
{
    return support::fail(notBuilt(path));
}

#endif

} // namespace nestwright::session
