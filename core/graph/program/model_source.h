// SPDX-License-Identifier: Apache-2.0
/// The C source around a model's kernels: its creation, run and destruction.
#pragma once

#include "core/backend/processor_needs.h"
#include "core/graph/program/program.h"

#include <string>

namespace nestwright::graph {

/// The C name of a kernel of an exported model.
std::string kernelSymbol(const std::string &stem, int kernel);

/// `weightsInside`: they are linked in under the name STEM_weights; otherwise they are read from a file when
/// a model is created.
/// A model asks when it is created whether the processor has what `needs` names.
std::string modelHeader(const Program &program, const std::string &stem, bool weightsInside,
                        const backend::ProcessorNeeds &needs);
std::string modelSource(const Program &program, const std::string &stem, bool weightsInside,
                        const backend::ProcessorNeeds &needs);

} // namespace nestwright::graph
