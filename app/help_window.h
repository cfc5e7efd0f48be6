// SPDX-License-Identifier: GPL-3.0-or-later
/// The help: one page for each primitive, found by name.
#pragma once

#include <QDialog>

#include <string_view>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace nestwright::app {

/// Stays open beside the window. Typing filters; the arrow keys go through the pages.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget *parent = nullptr);

    /// Shows the page of `primitive`, the first one where there is none of that name.
    void open(std::string_view primitive);
    QLineEdit *field() const { return m_field; }
    QListWidget *list() const { return m_list; }
    QTextBrowser *page() const { return m_page; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fill();
    void showPage();

    QLineEdit *m_field;
    QListWidget *m_list;
    QTextBrowser *m_page;
};

} // namespace nestwright::app
