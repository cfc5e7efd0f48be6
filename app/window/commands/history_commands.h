// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands on the variants of the history: names and marks, steps left out and moved, an edit gone on with.
#pragma once

#include <functional>

class QMenu;

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
} // namespace nestwright::document
namespace nestwright::history {
class HistoryView;
}
namespace nestwright::session {
struct VariantId;
}

namespace nestwright::app {

void addHistoryCommands(document::CommandRegistry &commands, document::Document &document,
                        document::Measuring &measuring, history::HistoryView &view);

/// The command that has `compare` show two variants: the one looked at, or else the one before the current,
/// and the current one.
void addCompareCommand(
    document::CommandRegistry &commands, document::Document &document, history::HistoryView &view,
    const std::function<void(session::VariantId first, session::VariantId second)> &compare);

/// The edits that bring steps of `variant` to `onto`; their number.
int addEditsOnto(QMenu &menu, document::Document &document, session::VariantId variant,
                 session::VariantId onto);
/// The edits of the way that `variant` stands on, and its marks.
void addEditsOf(QMenu &menu, document::Document &document, document::Measuring &measuring,
                session::VariantId variant);

} // namespace nestwright::app
