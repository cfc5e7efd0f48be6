// SPDX-License-Identifier: GPL-3.0-or-later
/// The frame of a pane: rounded, a hairline around it, a header row with its title and, at the right, its
/// controls.
#pragma once

#include <QDockWidget>
#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace nestwright::look {

class TabRow;

/// Title (600, secondary) at the left; at the right tabs, widgets and a secondary text. 34 px high. Where it
/// is narrow, tabs are cut short and stand without the title.
class CardHeader : public QWidget {
    Q_OBJECT
public:
    explicit CardHeader(const QString &title, QWidget *parent = nullptr);

    void setTitle(const QString &title);
    QString title() const;
    /// Text at the right end, elided when there is no room: "3 nodes · 1 kernel".
    void setSecondary(const QString &text);
    QString secondary() const { return m_secondaryText; }

    /// Texts to choose between, in place of the secondary text's room. The chosen one is accented.
    void setTabs(const QStringList &tabs, int current = 0);
    void setCurrentTab(int index);
    int currentTab() const;
    /// Greys a tab out, with the reason as its tool tip; an empty reason makes it available.
    void setTabUnavailable(int index, const QString &reason);

    /// Puts a small widget (a tool button) at the right end.
    void addWidget(QWidget *widget);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void tabChosen(int index);
    void doubleClicked();

protected:
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void elide();
    int titleWidth() const;

    QHBoxLayout *m_layout;
    QLabel *m_title;
    QLabel *m_secondary;
    QString m_secondaryText;
    TabRow *m_tabs;
};

/// A card that stays where it is.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString &title, QWidget *parent = nullptr);

    CardHeader *header() const { return m_header; }
    /// The widget below the header; the card owns it.
    void setContent(QWidget *content);
    QWidget *content() const { return m_content; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    CardHeader *m_header;
    QVBoxLayout *m_layout;
    QWidget *m_content = nullptr;
};

/// A card that can be moved, hidden and floated: dragged by its header.
class CardDock : public QDockWidget {
    Q_OBJECT
public:
    /// `objectName` is its name in the window's saved state.
    CardDock(const QString &title, const QString &objectName, QWidget *parent = nullptr);

    CardHeader *header() const { return m_header; }
    void setContent(QWidget *content);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    CardHeader *m_header;
};

} // namespace nestwright::look
