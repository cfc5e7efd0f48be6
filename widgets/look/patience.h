// SPDX-License-Identifier: GPL-3.0-or-later
/// How long things stay as they are before a wait is shown.
#pragma once

namespace nestwright::look {

/// What is another document's may stand so long until that of the open one is there: a pane that is empty for
/// a moment flickers.
constexpr int otherDocumentMs = 120;

} // namespace nestwright::look
