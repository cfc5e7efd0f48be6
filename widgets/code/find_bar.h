// SPDX-License-Identifier: GPL-3.0-or-later
/// The small bar in a corner of a code pane: find a text, or go to a line with ":418".
#pragma once

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QToolButton;

namespace nestwright::code {

class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(QWidget *parent);

    /// Opens it with this text selected.
    void open(const QString &text);

    /// Looks for the text again, after the code changed.
    void setText(const QString &code);

    const std::vector<qsizetype> &matches() const { return m_matches; }
    int matchLength() const { return m_length; }
    int current() const { return m_current; }

public Q_SLOTS:
    void next() { step(1); }
    void previous() { step(-1); }
    void close();

Q_SIGNALS:
    /// Matches changed: paint again.
    void changed();
    void found(qsizetype offset, int length);
    void lineWanted(int line);
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void search();
    void step(int by);
    void say();

    QString m_code;
    std::vector<qsizetype> m_matches;
    int m_length = 0;
    int m_current = -1;
    QLineEdit *m_edit;
    QLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
};

} // namespace nestwright::code
