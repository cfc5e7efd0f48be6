// SPDX-License-Identifier: Apache-2.0
/// Files of one tensor as ONNX writes them (.pb).
#pragma once

#include "core/ir/ndarray.h"
#include "core/support/errors/result.h"

#include <string>

namespace nestwright::session {

/// Errors: those of graph::onnx::readTensor; "model.not-built" where this program has no reader for ONNX.
support::Result<ir::NdArray> readTensorFile(const std::string &path);

/// `type`: of the elements in the file, where that is narrow (ops::heldType). Errors: those of
/// graph::onnx::writeTensor; "model.not-built".
support::Result<void> writeTensorFile(const std::string &path, const ir::NdArray &array,
                                      const std::string &name, ir::DataType type);

} // namespace nestwright::session
