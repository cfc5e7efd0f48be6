// SPDX-License-Identifier: GPL-3.0-or-later
/// The edit of a schedule script in its pane: what is legal of it becomes variants, and its text follows the
/// history.
#pragma once

#include "core/session/history/script_edit.h"
#include "widgets/document/nest.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

class QKeyEvent;

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document

namespace nestwright::app {

class NestPane;

class ScriptEditController : public QObject {
    Q_OBJECT
public:
    /// `dock` holds the pane.
    ScriptEditController(document::Document &document, NestPane &pane, QWidget &dock,
                         document::CommandRegistry &commands);

    void addCommands();
    /// Whether something typed is still to become variants.
    bool isPending() const { return m_isDue || m_reading.isActive() || m_pausing.isActive(); }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    /// A text, as far as it is legal.
    struct Read {
        QString text;
        session::ScriptReading reading;
        session::StepBranch branch; ///< with the variants there were
        document::NestPtr nest;     ///< of its end
    };
    /// The text of an edit that was left at a variant.
    struct Draft {
        session::VariantId variant;
        QString text;
        bool isFaulty = false;
    };

    void begin();
    void start();
    void leave();
    void finishLeaving();
    void abandon();
    bool typeInView(QKeyEvent *event);
    void textEdited();
    void cursorMoved();
    /// Reads the text and shows how far it is legal.
    void read();
    /// Makes variants of the text as soon as it is read.
    void settle();
    void takeIn();
    void follow();
    void finishFollowing(session::VariantId target, const std::optional<session::ScriptChange> &change);
    void currentChanged();
    void showReading();
    void showIdle();
    bool isRead() const { return m_read && m_read->text == m_text; }

    document::Document &m_document;
    NestPane &m_pane;
    QWidget &m_dock;
    document::CommandRegistry &m_commands;
    QTimer m_reading; ///< until the text is read
    QTimer m_pausing; ///< until a pause in typing is one
    QString m_text;   ///< of the editor, as it was seen last
    int m_line = 0;   ///< of the cursor
    std::shared_ptr<const Read> m_read;
    std::optional<Draft> m_draft;
    bool m_isTaken = true; ///< the history has what is legal of the text
    bool m_isDue = false;  ///< it gets it once the text is read
    bool m_isOwn = false;  ///< text and history change each other
    bool m_starts = false; ///< once the script is shown
    bool m_leaves = false; ///< once the text is taken in
};

} // namespace nestwright::app
