// SPDX-License-Identifier: GPL-3.0-or-later
/// How long things stay as they are before a wait is shown.
#pragma once

namespace nestwright::look {

/// Time that another document's contents may stand until those of the open one are there: a pane empty for
/// a moment flickers.
constexpr int otherDocumentMs = 120;

} // namespace nestwright::look
