// SPDX-License-Identifier: GPL-3.0-or-later
/// The line above a difference: from where it leads, the change that is looked at, and how it is shown.
#pragma once

#include <QWidget>

class QLabel;

namespace nestwright::look {
class Button;
}

namespace nestwright::code {

class DifferenceBar : public QWidget {
    Q_OBJECT
public:
    explicit DifferenceBar(QWidget *parent = nullptr);

    /// "from tile(i, j, 32, 32)"; elided where there is no room.
    void setTitle(const QString &title);
    QString title() const { return m_titleText; }
    /// "2 of 5", or "5 changes" where `current` is -1.
    void setPlace(int current, int count);
    void setSideBySide(bool on);

Q_SIGNALS:
    void nextWanted();
    void previousWanted();
    void sideBySideChosen(bool on);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    look::Button *addButton(const QString &icon, const QString &name, const QString &key);
    void elide();

    QString m_titleText;
    QLabel *m_title;
    QLabel *m_place;
    look::Button *m_previous;
    look::Button *m_next;
    look::Button *m_sideBySide;
};

} // namespace nestwright::code
