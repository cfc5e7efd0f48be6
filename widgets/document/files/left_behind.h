// SPDX-License-Identifier: GPL-3.0-or-later
/// The files that describe leftovers of runs of the program.
#pragma once

#include "widgets/document/files/autosave.h"

namespace nestwright::document {

/// The description beside a session's file "session-….nest"; of a description its own name.
QString aboutOf(const QString &session);
QString lockOf(const QString &file);

QByteArray describe(const LeftBehind &left);

/// Newest first, without those that a running program holds.
std::vector<LeftBehind> leftBehindIn(const QString &folder);

} // namespace nestwright::document
