// SPDX-License-Identifier: GPL-3.0-or-later
/// The bar at the top: the open files, menus, undo, the line of work, search, Measure, Export.
#pragma once

#include <QWidget>

class QLabel;
class QMenu;

namespace nestwright::document {
class CommandRegistry;
class Document;
class OpenDocuments;
} // namespace nestwright::document
namespace nestwright::look {
class Button;
}

namespace nestwright::app {

class DocumentTabs;
class WorkLine;

class TopBar : public QWidget {
    Q_OBJECT
public:
    /// Takes the line of work.
    TopBar(document::Document &document, document::OpenDocuments &documents,
           document::CommandRegistry &commands, WorkLine *workLine, QWidget *parent = nullptr);

    DocumentTabs *tabs() const { return m_tabs; }
    WorkLine *workLine() const { return m_workLine; }

    /// The menus are the caller's; they are filled when they open.
    void setMenus(QMenu *open, QMenu *examples, QMenu *target, QMenu *exports, QMenu *all);
    /// Sets the text of the target button: "llvm · 2 threads".
    void setTarget(const QString &text);

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void showTitle();
    int controlsWidth() const;
    int workRoom() const;
    void fitToWidth();
    void showCommands();
    look::Button *addButton(const QString &text, const QString &command, const QString &tip);

    document::Document &m_document;
    document::CommandRegistry &m_commands;
    DocumentTabs *m_tabs;
    QLabel *m_name; ///< of the program, while nothing is open
    QLabel *m_subtitle;
    WorkLine *m_workLine;
    look::Button *m_open, *m_examples, *m_target, *m_undo, *m_redo, *m_search, *m_measure, *m_export, *m_more;
};

} // namespace nestwright::app
