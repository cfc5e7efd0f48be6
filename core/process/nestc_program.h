// SPDX-License-Identifier: Apache-2.0
/// The program that works in processes of its own for this one.
#pragma once

#include <string>

namespace nestwright::process {

/// Path of nestc: NESTWRIGHT_NESTC, else beside this program, else on the PATH.
std::string findNestc();

} // namespace nestwright::process
