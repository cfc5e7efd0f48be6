// SPDX-License-Identifier: Apache-2.0
/// Sessions where commands take modules.
#pragma once

#include "core/session/session.h"

#include <string_view>
#include <utility>

namespace nestwright::cli {

/// Whether the module is a session (.nest), or names a kernel of a session on a model, "P.nest#KERNEL", or a
/// variant of either: "K.nest#best", "P.nest#KERNEL#best".
bool isSession(const std::string &module);

/// The session and the name of a variant, which is empty where none is given.
std::pair<std::string, std::string> sessionAndVariant(const std::string &module);

/// Session of a file; of a model that of the named kernel or, with a note, of the one that is open there. Its
/// current variant is the one that is named. Errors: those of session::loadProject and
/// session::loadKernelSession; "open.no-variant".
support::Result<session::Session> openSession(const std::string &module);

/// The same of any module: of one that is no session, a new one.
support::Result<session::Session> openProgram(const std::string &module);

/// The variant of that name, "unscheduled", or #N. Errors: "open.no-variant", which says that `file` has none
/// of that name; of a variant that was refused, why.
support::Result<session::VariantId> findVariant(const session::VariantTree &tree, std::string_view name,
                                                const std::string &file);

} // namespace nestwright::cli
