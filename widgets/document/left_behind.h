// SPDX-License-Identifier: GPL-3.0-or-later
/// The files that describe what runs of the program left behind.
#pragma once

#include "widgets/document/autosave.h"

namespace nestwright::document {

/// Of a session's file "session-….nest", or of what describes it.
QString aboutOf(const QString &session);
QString lockOf(const QString &file);

QByteArray describe(const LeftBehind &left);

/// Newest first, without those that a running program holds.
std::vector<LeftBehind> leftBehindIn(const QString &folder);

} // namespace nestwright::document
