// SPDX-License-Identifier: Apache-2.0
// Stands for the files that read models in a program that was built without ONNX (core/CMakeLists.txt).
#include "core/session/files/tensor_file.h"
#include "core/session/model/model_graph.h"
#include "core/session/model/model_operators.h"

#include <format>

namespace nestwright::session {

using support::Result;

namespace {

constexpr std::string_view notBuilt = "model.not-built";

support::Diagnostic isFileOfOnnx(const std::string &path)
{
    return support::diagnostic(notBuilt,
                               std::format("this program was built without ONNX: '{}' is a file of it", path))
        .withHint("give the array as .npy");
}

} // namespace

Sizes suggestedSizes(const std::string &) { return {}; }

Result<ModelGraph> openGraph(const std::string &path, const ModelSettings &, const GraphRequest &)
{
    return support::fail(
        notBuilt,
        std::format("\"{}\" cannot be opened: this program was built without the reader for ONNX", path));
}

std::vector<ModelOperator> modelOperators() { return {}; }

Result<ir::NdArray> readTensorFile(const std::string &path) { return support::fail(isFileOfOnnx(path)); }

Result<void> writeTensorFile(const std::string &path, const ir::NdArray &, const std::string &, ir::DataType)
{
    return support::fail(isFileOfOnnx(path));
}

} // namespace nestwright::session
