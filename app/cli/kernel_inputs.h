// SPDX-License-Identifier: Apache-2.0
/// `--in A=a.npy`: arguments of a kernel that a person gives.
#pragma once

#include "core/ir/ndarray.h"
#include "core/measure/measurement.h"
#include "core/support/errors/result.h"

#include <map>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace nestwright::cli {

void addKernelInputs(CLI::App &app, std::vector<std::string> &options);

/// By name, in place of those of that name that are `given` already, and the others of these. Errors:
/// "usage.file", those of readNpy.
support::Result<std::map<std::string, ir::NdArray>> readInputs(const std::vector<std::string> &options,
                                                               measure::GivenInputs given = {});

} // namespace nestwright::cli
