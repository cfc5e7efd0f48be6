// SPDX-License-Identifier: GPL-3.0-or-later
/// What a pane shows while it has nothing to show: what to do next, and the buttons to do it.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace nestwright::look {

class Button;

class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(const QString &title = {}, const QString &hint = {}, QWidget *parent = nullptr);
    void setText(const QString &title, const QString &hint = {});
    /// Adds a button below the text; the first one is the primary one if `primary`.
    Button *addButton(const QString &text, bool primary = false);

private:
    QLabel *m_title;
    QLabel *m_hint;
    QHBoxLayout *m_buttons;
};

} // namespace nestwright::look
