// SPDX-License-Identifier: Apache-2.0
/// Objects of C that are linked elsewhere.
#pragma once

#include "core/backend/link/exported_code.h"

namespace nestwright::backend {

/// An object that the system's C compiler makes of the text `fileName`. Where functions ask, those that ask
/// for the processor (processor_needs.h) are a part of its own. Errors: those of cSource, "target.option",
/// "backend.no-compiler", "backend.compiler", "cancelled".
support::Result<Artifact> cExportedObject(const Unit &unit, const target::Target &target, Asks asks,
                                          const std::string &fileName, std::stop_token stop);

} // namespace nestwright::backend
