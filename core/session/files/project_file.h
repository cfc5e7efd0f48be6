// SPDX-License-Identifier: Apache-2.0
/// Sessions on disk: a versioned JSON file that every later release opens.
#pragma once

#include "core/session/session.h"
#include "core/support/files/atomic_file.h"

#include <optional>
#include <string>
#include <string_view>

namespace nestwright::session {

inline constexpr std::string_view projectExtension = ".nest";

/// The session as text: source, initial module, every variant with its step and measurement, current variant,
/// target.
std::string writeProject(const Session &session);

/// Replays every step. A step that this release refuses becomes a red variant; variants below it are left out
/// with a note. Errors: "session.syntax" (with line and column), "session.format", "session.version".
support::Result<Session> readProject(std::string_view text, const std::string &fileName);

/// A session's file as it is now.
struct ProjectText {
    std::string text;
    std::optional<support::FileStamp> stamp;
};
/// Error: "open.no-file".
support::Result<ProjectText> readProjectText(const std::string &path);

/// Errors: "open.no-file" and those of readProject.
support::Result<Session> loadProject(const std::string &path);

} // namespace nestwright::session
