// SPDX-License-Identifier: GPL-3.0-or-later
/// Widgets that are one stop for Tab, with the arrow keys among them.
#pragma once

#include <QObject>

#include <vector>

class QWidget;

namespace nestwright::look {

/// The one of `widgets` that lies next to `from` in the direction of an arrow key; null where none does.
QWidget *neighbourOf(const QWidget *from, const std::vector<QWidget *> &widgets, int key);

/// Tab comes back to the widget that had the focus last, at first to the first.
class FocusGroup : public QObject {
public:
    using QObject::QObject;
    void add(QWidget *widget);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    std::vector<QWidget *> m_widgets;
};

} // namespace nestwright::look
