// SPDX-License-Identifier: GPL-3.0-or-later
/// A page of the help in a small window beside the word that it explains.
#pragma once

#include <QFrame>

namespace nestwright::app {

class PageView;

/// Closes by Esc or a click elsewhere. Links lead to further pages within it.
class TermPopup : public QFrame {
    Q_OBJECT
public:
    explicit TermPopup(QWidget *parent);

    /// Shows the page of the address (help_pages.h) below `at`, in coordinates of the screen.
    void open(const QString &address, const QPoint &at);
    QString address() const { return m_address; }
    PageView *page() const { return m_page; }

Q_SIGNALS:
    void helpWanted(const QString &address);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void showPage(const QString &address);

    PageView *m_page;
    QString m_address;
};

} // namespace nestwright::app
