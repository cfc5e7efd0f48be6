// SPDX-License-Identifier: GPL-3.0-or-later
/// The course in the window: the lesson at hand, its kernel, and its goals, checked at every change.
#pragma once

#include "core/course/lesson.h"
#include "core/session/history/variant_tree.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
} // namespace nestwright::document

namespace nestwright::app {

class CoursePane;
class WindowSettings;

class CourseController : public QObject {
    Q_OBJECT
public:
    CourseController(document::Document &document, document::Measuring &measuring,
                     document::CommandRegistry &commands, WindowSettings &settings, CoursePane &pane);

    void addCommands();
    /// Shows the pane; where no lesson is at hand, begins with the first that is not done.
    void begin();

Q_SIGNALS:
    void openWanted(const QString &path);
    /// The pane is to be shown, or closed.
    void paneWanted(bool shown);
    void failed(const nestwright::support::Diagnostic &diagnostic);

private:
    int lessonCount() const { return static_cast<int>(m_lessons.size()); }
    /// The lesson at hand; null where there is none.
    const course::Lesson *lesson() const;
    void read();
    void openLesson(int index);
    void showLesson();
    void showNextHint();
    void showSolution();
    void openNext();
    /// Whether the open document is the kernel of the lesson.
    bool isKernelOpen() const;
    void documentOpened();
    void loadPrograms();
    void check();
    void take(session::VariantId variant, std::vector<course::GoalStatus> states);
    void measured(session::VariantId variant);
    void compared(session::VariantId variant, const course::Speed &speed);
    void finishLesson();
    QString whyNoLesson() const;

    document::Document &m_document;
    document::Measuring &m_measuring;
    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    CoursePane &m_pane;
    std::vector<course::Lesson> m_lessons;
    bool m_isRead = false;
    int m_current = -1; ///< of m_lessons; -1: none
    QSet<QString> m_done;
    QHash<QString, int> m_hints; ///< shown, by lesson
    std::shared_ptr<const course::LessonPrograms>
        m_programs; ///< of the lesson at hand; null until they are made
    QString m_programsOf;
    /// Speeds of the variants of each lesson's document.
    std::map<std::string, std::map<session::VariantId, course::Speed>> m_speeds;
    std::optional<session::VariantId> m_wanted; ///< measured last, and not timed beside the start yet
    std::optional<session::VariantId> m_comparing;
};

} // namespace nestwright::app
