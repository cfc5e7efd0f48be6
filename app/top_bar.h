// SPDX-License-Identifier: GPL-3.0-or-later
/// The bar at the top: the open file, menus, undo, state of long work, search, Measure, Export.
#pragma once

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QMenu;
class QTimer;

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
class OpenDocuments;
} // namespace nestwright::document
namespace nestwright::look {
class Button;
class LinkButton;
} // namespace nestwright::look

namespace nestwright::app {

class DocumentTabs;

class TopBar : public QWidget {
    Q_OBJECT
public:
    TopBar(document::Document &document, document::OpenDocuments &documents, document::Measuring &measuring,
           document::CommandRegistry &commands, QWidget *parent = nullptr);

    DocumentTabs *tabs() const { return m_tabs; }

    /// The menus are the caller's; they are filled when they open.
    void setMenus(QMenu *open, QMenu *examples, QMenu *target, QMenu *exports, QMenu *all);
    /// What stands on the target button: "llvm · 2 threads".
    void setTarget(const QString &text);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void showTitle();
    int controlsWidth() const;
    int workRoom() const;
    void fitToWidth();
    void showCommands();
    void showWork();
    void showOpening();
    QString openingText() const;
    void showWorkText(const QString &text);
    look::Button *addButton(const QString &text, const QString &command, const QString &tip);

    document::Document &m_document;
    document::Measuring &m_measuring;
    document::CommandRegistry &m_commands;
    DocumentTabs *m_tabs;
    QLabel *m_name; ///< of the program, while nothing is open
    QLabel *m_subtitle;
    QLabel *m_work;
    QTimer *m_openingClock; ///< ticks while something is being opened
    QElapsedTimer m_openingSince;
    look::LinkButton *m_cancel;
    look::Button *m_open, *m_examples, *m_target, *m_undo, *m_redo, *m_search, *m_measure, *m_export, *m_more;
};

} // namespace nestwright::app
