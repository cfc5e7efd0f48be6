// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds any command by a few letters of its name.
#pragma once

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace nestwright::document {
class CommandRegistry;
struct Command;
} // namespace nestwright::document

namespace nestwright::app {

/// Floats at the top of its window. Enter runs, Esc closes, arrows choose; commands that cannot run are
/// greyed, with the reason.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    CommandPalette(document::CommandRegistry &commands, QWidget *window);

    void open();
    QLineEdit *field() const { return m_field; }
    QListWidget *list() const { return m_list; }

    /// How well `text` is found by `typed`: the lower the better, -1 not at all. All letters in order;
    /// beginnings of words count more.
    static int match(const QString &text, const QString &typed);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void fill();
    void run();
    void tellChosen();

    document::CommandRegistry &m_commands;
    QLineEdit *m_field;
    QListWidget *m_list;
};

} // namespace nestwright::app
