// SPDX-License-Identifier: GPL-3.0-or-later
/// The line below a schedule script: how far it is legal, and why no further; the button that begins or ends
/// its edit.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <QWidget>

class QLabel;

namespace nestwright::look {
class Button;
}

namespace nestwright::app {

class ScriptLine : public QWidget {
    Q_OBJECT
public:
    explicit ScriptLine(QWidget *parent = nullptr);

    void setEditing(bool on);
    /// The script is legal as a whole.
    void showLegal(int steps);
    /// Steps of an edited script that are legal, and the fault behind them; `line` 0 where it is of no line.
    void showFault(int steps, int line, const support::Diagnostic &fault);
    /// Why text and history are apart.
    void showNote(const QString &title, const QString &text);

    QString title() const;
    QString text() const;
    look::Button *button() const { return m_button; }

Q_SIGNALS:
    /// The button was pressed: edit, or leave.
    void toggled();

private:
    void show(const QString &title, const QString &text, bool isBad);

    QLabel *m_title;
    QLabel *m_text;
    look::Button *m_button;
};

} // namespace nestwright::app
