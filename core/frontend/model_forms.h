// SPDX-License-Identifier: Apache-2.0
/// The formats that models come in: one table of their front ends.
#pragma once

#include "core/frontend/model_graph.h"
#include "core/ir/ndarray.h"
#include "core/support/errors/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::frontend {

/// An operator of models.
struct ModelOperator {
    std::string domain; ///< "ai.onnx", "com.microsoft", …
    std::string name;
    std::string versions; ///< of the domain's operator sets that are read: "1 to 28"
    std::string refusal;  ///< why it is refused; empty where it is read
};

/// One front end. Its functions take paths of files with its extensions.
struct ModelForm {
    std::string_view extension;       ///< of models: ".onnx"
    std::string_view tensorExtension; ///< of files of one tensor: ".pb"
    /// Reads, imports and optimises; as openGraph.
    support::Result<ModelGraph> (*open)(const std::string &path, const ModelSettings &settings,
                                        const GraphRequest &request) = nullptr;
    Sizes (*suggestedSizes)(const std::string &path) = nullptr;
    std::vector<ModelOperator> (*operators)() = nullptr;
    support::Result<ir::NdArray> (*readTensor)(const std::string &path) = nullptr;
    support::Result<void> (*writeTensor)(const std::string &path, const ir::NdArray &array,
                                         const std::string &name, ir::DataType type) = nullptr;
};

/// Those that this program was built with; written by CMake (core/CMakeLists.txt).
std::span<const ModelForm *const> modelForms();

/// Sorted by domain, ONNX's own first, and name; those that are refused on purpose too. Empty where this
/// program has no front end for models.
std::vector<ModelOperator> modelOperators();

/// A file of one tensor (.pb). Errors: those of the front end; "model.not-built".
support::Result<ir::NdArray> readTensorFile(const std::string &path);

/// `type`: of the elements in the file, where that is narrow (ops::heldType). Errors: those of the front end;
/// "model.not-built".
support::Result<void> writeTensorFile(const std::string &path, const ir::NdArray &array,
                                      const std::string &name, ir::DataType type);

} // namespace nestwright::frontend
