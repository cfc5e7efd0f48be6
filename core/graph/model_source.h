// SPDX-License-Identifier: Apache-2.0
/// The C source around a model's kernels: its creation, run and destruction.
#pragma once

#include "core/graph/program.h"

#include <string>

namespace nestwright::graph {

/// The C name of a kernel of an exported model.
std::string kernelSymbol(const std::string &stem, int kernel);

/// `weightsInside`: they are linked in under the name STEM_weights; otherwise they are read from a file when
/// a model is created.
std::string modelHeader(const Program &program, const std::string &stem, bool weightsInside);
std::string modelSource(const Program &program, const std::string &stem, bool weightsInside);

} // namespace nestwright::graph
