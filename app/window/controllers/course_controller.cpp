// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/course_controller.h"

#include "app/window/frame/window_settings.h"
#include "app/window/panes/course_pane.h"
#include "core/course/plain.h"
#include "core/ir/node/equality.h"
#include "core/measure/machine/this_machine.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace nestwright::app {

using course::GoalStatus;
using course::Lesson;
using document::Document;
using session::VariantId;

namespace {
const QString doneKey = QStringLiteral("course/done"), courseJob = QStringLiteral("course"),
              programsKey = QStringLiteral("course.programs");

QString lessonId(const Lesson &lesson) { return QString::fromStdString(lesson.id); }

bool isTimed(const Lesson &lesson)
{
    return std::ranges::contains(lesson.goals, course::GoalKind::Speed, &course::Goal::kind);
}
} // namespace

CourseController::CourseController(Document &document, document::Measuring &measuring,
                                   document::CommandRegistry &commands, WindowSettings &settings,
                                   CoursePane &pane)
    : m_document(document)
    , m_measuring(measuring)
    , m_commands(commands)
    , m_settings(settings)
    , m_pane(pane)
{
    const QStringList done = settings.value(doneKey).toStringList();
    m_done = QSet<QString>(done.begin(), done.end());
    connect(&document, &Document::opened, this, &CourseController::documentOpened);
    connect(&document, &Document::currentChanged, this, &CourseController::check);
    connect(&document, &Document::targetChanged, this, &CourseController::check);
    connect(&document, &Document::measurementChanged, this, [this](int id) { measured({id}); });
    connect(&measuring, &document::Measuring::compared, this,
            [this](const document::ComparedRun &run) { compared(run.variant, course::speedOf(run.result)); });
    connect(&measuring, &document::Measuring::changed, this, [this] {
        if (!m_measuring.isRunning())
            m_comparing.reset();
    });
    connect(&pane, &CoursePane::lessonChosen, this, &CourseController::openLesson);
    connect(&pane, &CoursePane::listWanted, &pane, &CoursePane::showList);
    connect(&pane, &CoursePane::hintWanted, this, &CourseController::showNextHint);
    connect(&pane, &CoursePane::solutionWanted, this, &CourseController::showSolution);
    connect(&pane, &CoursePane::nextWanted, this, &CourseController::openNext);
    connect(&pane, &CoursePane::kernelWanted, this, [this] { openLesson(m_current); });
}

const Lesson *CourseController::lesson() const
{
    return m_current < 0 ? nullptr : &m_lessons[static_cast<std::size_t>(m_current)];
}

QString CourseController::whyNoLesson() const { return lesson() ? QString() : tr("Begin a lesson first."); }

void CourseController::addCommands()
{
    m_commands.add({.id = QStringLiteral("help.course"),
                    .title = tr("Course: ten lessons"),
                    .group = tr("Help"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+L"))},
                    .run =
                        [this] {
                            if (m_pane.isVisible())
                                Q_EMIT paneWanted(false);
                            else
                                begin();
                        },
                    .checked = [this] { return m_pane.isVisible(); }});
    m_commands.add({.id = QStringLiteral("help.course.list"),
                    .title = tr("Course: all lessons"),
                    .group = tr("Help"),
                    .run = [this] {
                        read();
                        Q_EMIT paneWanted(true);
                        m_pane.showList();
                    }});
    m_commands.add({.id = QStringLiteral("help.course.hint"),
                    .title = tr("Course: next hint"),
                    .group = tr("Help"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+H"))},
                    .run = [this] { showNextHint(); },
                    .unavailable = [this] { return whyNoLesson(); }});
    m_commands.add({.id = QStringLiteral("help.course.solution"),
                    .title = tr("Course: show me the solution"),
                    .group = tr("Help"),
                    .run = [this] { showSolution(); },
                    .unavailable =
                        [this] {
                            const QString why = whyNoLesson();
                            return why.isEmpty() && !isKernelOpen()
                                       ? tr("Open the kernel of the lesson first.")
                                       : why;
                        }});
    m_commands.add({.id = QStringLiteral("help.course.next"),
                    .title = tr("Course: next lesson"),
                    .group = tr("Help"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+N"))},
                    .run = [this] { openNext(); },
                    .unavailable = [this] { return whyNoLesson(); }});
}

/// A few small files, once.
void CourseController::read()
{
    if (std::exchange(m_isRead, true))
        return;
    auto lessons = course::lessons();
    if (!lessons) {
        Q_EMIT failed(lessons.error());
        return;
    }
    if (lessons->empty())
        Q_EMIT failed(support::diagnostic("course.none", "the lessons were not found beside the program")
                          .withHint("name the folder of examples in NESTWRIGHT_EXAMPLES"));
    m_lessons = std::move(*lessons);
    m_pane.setLessons(m_lessons, m_done);
}

void CourseController::begin()
{
    read();
    Q_EMIT paneWanted(true);
    if (lesson())
        return showLesson();
    const auto next = std::ranges::find_if(
        m_lessons, [this](const Lesson &each) { return !m_done.contains(lessonId(each)); });
    if (!m_lessons.empty())
        openLesson(next == m_lessons.end() ? 0 : static_cast<int>(next - m_lessons.begin()));
    else
        m_pane.showList();
}

void CourseController::openLesson(int index)
{
    if (index < 0 || index >= lessonCount())
        return;
    m_current = index;
    showLesson();
    m_commands.update();
    if (!isKernelOpen())
        Q_EMIT openWanted(QString::fromStdString(lesson()->kernel));
}

void CourseController::openNext()
{
    if (m_current + 1 < lessonCount())
        openLesson(m_current + 1);
    else
        m_pane.showList();
}

void CourseController::showLesson()
{
    m_pane.showLesson(*lesson(), m_hints.value(lessonId(*lesson())));
    m_pane.setLearned({}, {});
    loadPrograms();
    check();
}

void CourseController::showNextHint()
{
    if (!lesson())
        return;
    int &shown = m_hints[lessonId(*lesson())];
    shown = std::min(shown + 1, static_cast<int>(lesson()->hints.size()));
    m_pane.showLesson(*lesson(), shown);
}

/// Applies the solution to the variant that is the start, as one branch, so that it can be gone through step
/// by step.
void CourseController::showSolution()
{
    if (!lesson() || !isKernelOpen() || !m_programs)
        return;
    const auto &variants = m_document.tree().all();
    const auto start = std::ranges::find_if(variants, [this](const session::Variant &each) {
        return each.ok() && ir::structurallyEqual(each.state->module, m_programs->start.module);
    });
    if (start == variants.end())
        return;
    const auto run = course::solve(*lesson(), *start->state, m_document.session().target());
    if (!run) {
        Q_EMIT failed(run.error());
        return;
    }
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run->steps)
        steps.push_back(each.step);
    m_document.branch(start->id, tr("solution").toStdString(), std::move(steps));
}

bool CourseController::isKernelOpen() const
{
    if (!lesson() || !m_document.isOpen())
        return false;
    return QFileInfo(document::toQt(m_document.session().source().path)).canonicalFilePath()
           == QFileInfo(QString::fromStdString(lesson()->kernel)).canonicalFilePath();
}

/// The kernel of another lesson brings that lesson; the target is set where nothing was done yet.
void CourseController::documentOpened()
{
    m_comparing.reset();
    m_wanted.reset();
    const QString path = QFileInfo(document::toQt(m_document.session().source().path)).canonicalFilePath();
    const auto other = std::ranges::find_if(m_lessons, [&](const Lesson &each) {
        return QFileInfo(QString::fromStdString(each.kernel)).canonicalFilePath() == path;
    });
    if (other != m_lessons.end()) {
        m_current = static_cast<int>(other - m_lessons.begin());
        const bool isNew = m_document.tree().current().isRoot() && m_document.tree().size() == 1;
        const auto target = target::parseTarget(other->target);
        if (isNew && !other->target.empty() && target)
            m_document.setTarget(*target);
    }
    if (lesson())
        showLesson();
}

void CourseController::loadPrograms()
{
    if (m_programsOf == lessonId(*lesson()))
        return;
    m_programs.reset();
    m_programsOf = lessonId(*lesson());
    m_document.jobs().run(
        programsKey, this, [lesson = *lesson()](const jobs::Job &) { return course::programsOf(lesson); },
        [this](const std::shared_ptr<const support::Result<course::LessonPrograms>> &made) {
            if (!*made) {
                Q_EMIT failed(made->error());
                return;
            }
            m_programs = std::make_shared<const course::LessonPrograms>(**made);
            check();
        });
}

void CourseController::check()
{
    const bool isOpen = isKernelOpen();
    m_pane.setKernelOpen(isOpen || !lesson());
    if (!isOpen || !m_document.nest()) {
        m_pane.setStates({});
        return;
    }
    const VariantId variant = m_document.currentId();
    std::optional<course::Speed> speed;
    const auto &speeds = m_speeds[lesson()->id];
    if (const auto known = speeds.find(variant); known != speeds.end())
        speed = known->second;
    m_document.jobs().run(
        courseJob, this,
        [goals = lesson()->goals, nest = m_document.nest(), speed,
         threads = measure::threadsOf(m_document.session().target())](const jobs::Job &) {
            std::vector<GoalStatus> states;
            for (const course::Goal &goal : goals)
                states.push_back(course::check(goal, nest->loops, speed, threads));
            return states;
        },
        [this, variant,
         of = lessonId(*lesson())](const std::shared_ptr<const std::vector<GoalStatus>> &states) {
            if (lesson() && lessonId(*lesson()) == of && m_document.isOpen()
                && m_document.currentId() == variant)
                take(variant, *states);
        });
}

void CourseController::take(VariantId variant, std::vector<GoalStatus> states)
{
    const std::vector<course::Goal> &goals = lesson()->goals;
    bool isBuilt = true;
    for (std::size_t i = 0; i < states.size(); ++i)
        isBuilt = isBuilt && (goals[i].isMeasured() || states[i].isReached);
    const auto &measurement = m_document.tree().at(variant).measurement;
    if (m_wanted == variant && isBuilt && isTimed(*lesson()) && m_programs && measurement
        && measurement->ok()) {
        m_wanted.reset();
        m_comparing = variant;
        m_measuring.compare(variant, m_programs->start.module);
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (m_comparing == variant && goals[i].kind == course::GoalKind::Speed && !states[i].isReached)
            states[i].missing = tr("Being timed in turns with the start…").toStdString();
    }
    m_pane.setStates(states);
    if (std::ranges::all_of(states, &GoalStatus::isReached))
        finishLesson();
    else
        m_pane.setLearned({}, {});
}

/// Goals that the measurement decides by itself; the speed over the start takes a run of its own, which is
/// made once the loops are as they should be.
void CourseController::measured(VariantId variant)
{
    if (!isKernelOpen())
        return;
    const auto &measurement = m_document.tree().at(variant).measurement;
    if (!measurement || measurement->stored || !(measurement->final || measurement->failure))
        return;
    course::Speed &speed = m_speeds[lesson()->id][variant];
    speed.isVerified = measurement->isVerified();
    speed.failure = measurement->failure ? document::sentence(measurement->failure->message).toStdString()
                                         : std::string();
    if (variant != m_document.currentId())
        return;
    m_wanted = variant;
    check();
}

void CourseController::compared(VariantId variant, const course::Speed &speed)
{
    if (!isKernelOpen() || m_comparing != variant)
        return;
    m_comparing.reset();
    m_speeds[lesson()->id][variant] = speed;
    check();
}

void CourseController::finishLesson()
{
    const Lesson &done = *lesson();
    const bool isLast = m_current + 1 == lessonCount();
    m_pane.setLearned(
        QString::fromStdString(course::plain(done.learned, 0)),
        isLast ? tr("All lessons")
               : tr("Next lesson: %1")
                     .arg(document::toQt(m_lessons[static_cast<std::size_t>(m_current) + 1].title)));
    if (m_done.contains(lessonId(done)))
        return;
    m_done << lessonId(done);
    m_settings.setValue(doneKey, QStringList(m_done.begin(), m_done.end()));
    m_pane.setLessons(m_lessons, m_done);
}

} // namespace nestwright::app
