// SPDX-License-Identifier: Apache-2.0
/// Calls of oneDNN for kernels that are more than a product of matrices.
#pragma once

#include "core/analysis/kernel/library_kernel.h"
#include "core/support/errors/result.h"

#include <functional>

namespace nestwright::measure {

/// A call on random numbers in the layouts that `library` (a handle of libdnnl.so of version 3) likes best:
/// arrays are laid out beforehand. Error "peer.none": the library has no such function, or not for these
/// sizes.
support::Result<std::function<void()>> oneDnnCall(void *library, const analysis::Convolution &convolution);
support::Result<std::function<void()>> oneDnnCall(void *library, const analysis::Softmax &softmax);

} // namespace nestwright::measure
