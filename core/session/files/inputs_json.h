// SPDX-License-Identifier: Apache-2.0
/// Arguments that a person gave, in session files: {"A": {"path": "/data/a.npy", "content": 123}}.
#pragma once

#include "core/ir/node/function.h"
#include "core/measure/measurement.h"
#include "core/support/errors/diagnostic.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <vector>

namespace nestwright::session {

support::Json toJson(const measure::GivenInputs &inputs);

/// Inputs of the main function of `module`. Entries without an argument or a file are left out, each with a
/// note ("session.input"). A file that is no longer at its path, but beside the session `fileName`, is taken
/// from there.
measure::GivenInputs inputsFromJson(const support::Json &value, const ir::Module &module,
                                    const std::string &fileName, std::vector<support::Diagnostic> &notes);

} // namespace nestwright::session
