// SPDX-License-Identifier: Apache-2.0
/// The kernel of a session as its file is now, with what was done on it.
#pragma once

#include "core/session/session.h"

namespace nestwright::session {

/// Opens the file of `session` anew and applies every branch of its steps again, the current one last, each
/// as far as it is legal on what the file says now; a note says why one ends earlier. Target and given inputs
/// stay; what was measured does not, since it was another program. Errors: those of Session::open,
/// "session.no-file" where it has none.
support::Result<Session> reopen(const Session &session);

} // namespace nestwright::session
