// SPDX-License-Identifier: GPL-3.0-or-later
/// Tells assistive technology what a widget paints by itself: its role, its items, the chosen one.
#pragma once

#include <QAccessible>
#include <QRect>
#include <QString>

class QWidget;

namespace nestwright::look {

/// A second base of such a widget. Items are numbered from 0, their rectangles are in the widget. One that
/// only shows something has no items, but a role and a description.
class AccessibleItems {
public:
    virtual ~AccessibleItems() = default;

    QAccessible::Role accessibleRole() const { return m_role; }
    QAccessible::Role accessibleItemRole() const { return m_itemRole; }

    virtual int accessibleCount() const { return 0; }
    virtual QString accessibleText(int /*index*/) const { return {}; }
    virtual QRect accessibleRect(int /*index*/) const { return {}; }
    /// -1: none.
    virtual int accessibleCurrent() const { return -1; }
    virtual bool isAccessibleEnabled(int /*index*/) const { return true; }
    /// Chooses the item as a click on it does.
    virtual void chooseAccessible(int /*index*/) {}
    /// Sentence about the picture, asked for when it is to be read; empty: the widget's own description.
    virtual QString accessibleSummary() const { return {}; }

protected:
    explicit AccessibleItems(QAccessible::Role role, QAccessible::Role itemRole = QAccessible::ListItem);

private:
    QAccessible::Role m_role, m_itemRole;
};

/// Tells that the widget's chosen item is another one.
void tellChosenItem(QWidget &widget, int index);

/// Text of a tool tip as one line: tags are left out, lines are separated by commas.
QString plainLine(const QString &tip);

} // namespace nestwright::look
