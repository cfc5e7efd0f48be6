// SPDX-License-Identifier: Apache-2.0
/// The kernel of a session as its file is now, with the session's steps.
#pragma once

#include "core/session/session.h"

namespace nestwright::session {

/// Opens the file of `session` anew and applies every branch of its steps again, the current one last, each
/// as far as it is legal on the file's program now; a note says why one ends earlier. Target and given inputs
/// stay; measurements do not, since it was another program. Errors: those of Session::open, "session.no-file"
/// where it has none.
support::Result<Session> reopen(const Session &session);

} // namespace nestwright::session
