// SPDX-License-Identifier: GPL-3.0-or-later
/// The placeholder of an empty pane: how to proceed, and the buttons to do it.
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
