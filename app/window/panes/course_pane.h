// SPDX-License-Identifier: GPL-3.0-or-later
/// The course: the list of lessons, and a lesson with its text, goals, hints and note.
#pragma once

#include "core/course/lesson.h"

#include <QSet>
#include <QStackedWidget>

#include <vector>

class QLabel;
class QListWidget;
class QVBoxLayout;

namespace nestwright::look {
class Button;
class FindingBox;
class LinkButton;
} // namespace nestwright::look

namespace nestwright::app {

class GoalRow;
class PageView;

class CoursePane : public QStackedWidget {
    Q_OBJECT
public:
    explicit CoursePane(QWidget *parent = nullptr);

    /// Titles of the lessons; those of `done` (by id) are ticked.
    void setLessons(const std::vector<course::Lesson> &lessons, const QSet<QString> &done);
    void showList();
    /// Shows a lesson with so many of its hints.
    void showLesson(const course::Lesson &lesson, int hints);
    /// Shows the goals as reached or open; no states: nothing is known.
    void setStates(const std::vector<course::GoalStatus> &states);
    /// Shows the note of what was learned, with the way to `next`; none where it is empty.
    void setLearned(const QString &text, const QString &next);
    /// Whether the kernel of the lesson is worked on; else a button offers to open it.
    void setKernelOpen(bool isOpen);

    QListWidget *list() const { return m_list; }
    PageView *page() const { return m_page; }
    look::Button *hintButton() const { return m_hint; }
    look::Button *solutionButton() const { return m_solution; }
    look::FindingBox *note() const { return m_note; }
    const std::vector<GoalRow *> &goals() const { return m_goals; }

Q_SIGNALS:
    void lessonChosen(int index);
    void listWanted();
    void hintWanted();
    void solutionWanted();
    void nextWanted();
    void kernelWanted();
    /// A word of the text was clicked: an address of the help, and the place of the screen below it.
    void termWanted(const QString &address, const QPoint &at);

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeList();
    QWidget *makeLesson();
    void fillPage();
    void showTicks();

    QListWidget *m_list = nullptr;
    QLabel *m_caption = nullptr, *m_title = nullptr;
    PageView *m_page = nullptr;
    QVBoxLayout *m_goalRows = nullptr;
    std::vector<GoalRow *> m_goals;
    look::FindingBox *m_note = nullptr;
    look::Button *m_hint = nullptr, *m_solution = nullptr, *m_open = nullptr;
    course::Lesson m_lesson;
    int m_hints = 0, m_count = 0;
};

} // namespace nestwright::app
