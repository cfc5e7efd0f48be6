// SPDX-License-Identifier: GPL-3.0-or-later
/// The help: a page for each primitive and each term of the glossary, found by name, with links between them.
#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QUrl;

namespace nestwright::app {

class PageView;

/// Stays open beside the window. Typing filters; the arrow keys go through the pages, Alt+Left and Alt+Right
/// to those seen before.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget *parent = nullptr);

    /// Shows the page of this address (help_pages.h), the first one where there is none.
    void open(const QString &address);
    QLineEdit *field() const { return m_field; }
    QListWidget *list() const { return m_list; }
    QTextBrowser *page() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fill();
    void showPage(const QString &address);
    /// Dresses the page that is shown now, and marks it in the list.
    void follow(const QUrl &url);

    QLineEdit *m_field;
    QListWidget *m_list;
    PageView *m_page;
};

} // namespace nestwright::app
