// SPDX-License-Identifier: GPL-3.0-or-later
/// The layouts of buffers before and after the steps of a variant that change them.
#pragma once

#include "core/explore/trace/buffer_layouts.h"

#include <QDialog>

#include <memory>

class QComboBox;

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::look {
class FindingBox;
}
namespace nestwright::player {
class LayoutGrid;
}

namespace nestwright::app {

class LayoutWindow : public QDialog {
    Q_OBJECT
public:
    LayoutWindow(document::Document &document, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for, with the current variant.
    static LayoutWindow *open(document::Document &document, QWidget *parent);

    /// For tests.
    QComboBox *steps() const { return m_steps; }
    player::LayoutGrid *before() const { return m_before; }
    player::LayoutGrid *after() const { return m_after; }
    look::FindingBox *note() const { return m_note; }
    bool isSettled() const;

private:
    using Changes = std::vector<explore::LayoutChange>;

    void find();
    void take(const std::shared_ptr<const Changes> &changes);
    void showChange();

    document::Document &m_document;
    std::shared_ptr<const Changes> m_changes;
    QComboBox *m_steps;
    look::FindingBox *m_note;
    player::LayoutGrid *m_before, *m_after;
};

/// The command that opens the window.
void addLayoutCommand(document::CommandRegistry &commands, document::Document &document, QWidget *window);

} // namespace nestwright::app
