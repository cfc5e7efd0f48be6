// SPDX-License-Identifier: GPL-3.0-or-later
/// The target source while it is edited: the editor, what is edited, and the buttons that end it.
#pragma once

#include "core/session/history/code_edit.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;

namespace nestwright::code {
class CodeEditor;
class Languages;
} // namespace nestwright::code
namespace nestwright::look {
class Button;
class FindingBox;
} // namespace nestwright::look

namespace nestwright::app {

class CodeEditPane : public QWidget {
    Q_OBJECT
public:
    explicit CodeEditPane(std::shared_ptr<const code::Languages> languages, QWidget *parent = nullptr);

    /// Shows the text; `title`: what is edited. The cursor goes to the first conflict.
    void start(const session::CodeEdit &edit, const QString &title);
    /// The edit as it stands.
    session::CodeEdit edit() const;
    bool isChanged() const;
    /// Says what is wrong with the text, and marks the line.
    void showProblem(const support::Diagnostic &problem);

    code::CodeEditor *editor() const { return m_editor; }
    look::Button *applyButton() const { return m_apply; }
    look::Button *leaveButton() const { return m_leave; }
    look::FindingBox *problem() const { return m_problem; }

Q_SIGNALS:
    void applyRequested();
    void leaveRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void showConflicts();

    session::CodeEdit m_edit; ///< as it was when it was shown
    QLabel *m_title;
    look::Button *m_apply;
    look::Button *m_leave;
    code::CodeEditor *m_editor;
    look::FindingBox *m_problem;
};

} // namespace nestwright::app
