// SPDX-License-Identifier: GPL-3.0-or-later
/// One goal of a lesson: a tick or an empty circle, the goal, and below it what is missing.
#pragma once

#include "core/course/goal.h"

#include <QWidget>

class QLabel;

namespace nestwright::app {

class GoalRow : public QWidget {
    Q_OBJECT
public:
    explicit GoalRow(const QString &text, QWidget *parent = nullptr);

    void setStatus(const course::GoalStatus &status);
    bool isReached() const { return m_isReached; }
    QString found() const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_name;
    QLabel *m_text, *m_found;
    bool m_isReached = false;
};

} // namespace nestwright::app
