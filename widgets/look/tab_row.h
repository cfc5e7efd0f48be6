// SPDX-License-Identifier: GPL-3.0-or-later
/// A row of short texts, one of them chosen, for the header of a pane.
#pragma once

#include "widgets/look/accessible_items.h"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace nestwright::look {

/// Click or left/right keys choose. Every text has the width of its bold form, so that nothing shifts when it
/// is chosen.
class TabRow : public QWidget, public AccessibleItems {
    Q_OBJECT
public:
    explicit TabRow(QWidget *parent = nullptr);

    void setTabs(const QStringList &tabs, int current);
    void setCurrent(int index); ///< without a signal
    int current() const { return m_current; }
    int count() const { return static_cast<int>(m_tabs.size()); }
    void setUnavailable(int index, const QString &reason);
    /// Rectangle of a tab, for tests and tool tips.
    QRect tabRect(int index) const;

    QSize sizeHint() const override;
    /// Size with all but the current tab cut short.
    QSize minimumSizeHint() const override;

    int accessibleCount() const override { return count(); }
    QString accessibleText(int index) const override { return m_tabs[static_cast<std::size_t>(index)].text; }
    QRect accessibleRect(int index) const override { return tabRect(index); }
    int accessibleCurrent() const override { return m_current; }
    bool isAccessibleEnabled(int index) const override;
    void chooseAccessible(int index) override { choose(index); }
    QString accessibleSummary() const override;

Q_SIGNALS:
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Tab {
        QString text;
        QString reason{}; ///< why it cannot be chosen; empty where it can
        int width = 0;
    };

    void measure();
    int at(const QPoint &point) const;
    void choose(int index);
    int leastWidth(int index) const;
    bool isCut(int index) const;

    std::vector<Tab> m_tabs;
    int m_current = 0;
    int m_hovered = -1;
};

} // namespace nestwright::look
