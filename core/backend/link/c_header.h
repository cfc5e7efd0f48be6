// SPDX-License-Identifier: Apache-2.0
/// The functions of an artifact as C declares them.
#pragma once

#include "core/backend/link/artifact.h"
#include "core/backend/processor_needs.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwright::backend {

/// The parameters of an entry, and their names as a call passes them.
std::pair<std::string, std::string> cParametersOf(const Entry &entry);

/// The C declarations of an artifact's functions, and what the processor must have that runs them.
std::string cHeader(const std::vector<Entry> &entries, const std::string &stem, const ProcessorNeeds &needs);

} // namespace nestwright::backend
