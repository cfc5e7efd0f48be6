// SPDX-License-Identifier: Apache-2.0
/// The question whether a processor has what code was made for, before the code runs.
#pragma once

#include "core/backend/processor_needs.h"

namespace llvm {
class Module;
} // namespace llvm

namespace nestwright::backend {

/// Puts the question before every function that others can call: it returns KernelCode::ProcessorLacks where
/// an extension of `needs` is missing. It is asked once; what asks it runs on every x86-64 processor.
void guardProcessor(llvm::Module &module, const std::vector<const Extension *> &needs);

} // namespace nestwright::backend
