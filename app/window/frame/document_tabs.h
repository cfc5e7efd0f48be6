// SPDX-License-Identifier: GPL-3.0-or-later
/// The open documents as tabs of the bar at the top.
#pragma once

#include <QTabBar>

namespace nestwright::document {
class OpenDocuments;
}

namespace nestwright::app {

/// A click works on that document; a middle click, its cross or Delete closes it.
class DocumentTabs : public QTabBar {
    Q_OBJECT
public:
    explicit DocumentTabs(document::OpenDocuments &documents, QWidget *parent = nullptr);

Q_SIGNALS:
    void closeWanted(int tab);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    QSize tabSizeHint(int tab) const override;
    QSize minimumTabSizeHint(int tab) const override;
    void paintEvent(QPaintEvent *event) override;

private:
    void rebuild();

    document::OpenDocuments &m_documents;
    bool m_rebuilding = false;
};

} // namespace nestwright::app
