// SPDX-License-Identifier: Apache-2.0
/// Readers and writers shared by the session files of kernels and of models.
#pragma once

#include "core/session/session.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <string_view>

namespace nestwright::session {

support::Json sessionToJson(const Session &session);
/// The project's text in a file; bytes that are no UTF-8 become U+FFFD.
std::string projectText(const support::Json &project);
/// May throw support::Json::exception where something is missing; parseProject turns it into an error.
/// Errors: those of readProject.
support::Result<Session> sessionFromJson(const support::Json &project, const std::string &fileName);

/// The object of that format and of no later version. Errors: "session.syntax", "session.format",
/// "session.version".
support::Result<support::Json> parseProject(std::string_view text, const std::string &fileName,
                                            const char *format, int version);
/// The error of a file in which something is missing; `what` may be the text of an exception of the JSON
/// library.
support::Diagnostic incompleteProject(const std::string &fileName, std::string_view what);

} // namespace nestwright::session
