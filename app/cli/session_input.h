// SPDX-License-Identifier: Apache-2.0
/// Sessions where commands take modules.
#pragma once

#include "core/session/session.h"

namespace nestwright::cli {

/// Whether the module is a session (.nest), or names a kernel of a session on a model: "P.nest#KERNEL".
bool isSession(const std::string &module);
/// Session of a file; of a model that of the named kernel or, with a note, of the one that is open there.
/// Errors: those of session::loadProject and session::loadKernelSession.
support::Result<session::Session> openSession(const std::string &file);

} // namespace nestwright::cli
