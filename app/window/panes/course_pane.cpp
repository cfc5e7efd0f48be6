// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/course_pane.h"

#include "app/window/help/page_view.h"
#include "app/window/panes/goal_row.h"
#include "widgets/document/text.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/label.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QCursor>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollBar>
#include <QUrl>
#include <QVBoxLayout>

namespace nestwright::app {

namespace {

constexpr int leastLessonWidth = 300, lessonMargin = 14;
constexpr int doneRole = Qt::UserRole;
constexpr QChar figureSpace(0x2007); ///< as wide as a figure

/// A hairline between the parts of a lesson.
class CourseLine : public QWidget {
public:
    explicit CourseLine(QWidget *parent) : QWidget(parent) { setFixedHeight(1); }

protected:
    void paintEvent(QPaintEvent *) override { QPainter(this).fillRect(rect(), look::tokens(this).hairline); }
};

QString lessonMarkdown(const course::Lesson &lesson, int hints)
{
    QString text = QString::fromStdString(lesson.text);
    for (int i = 0; i < hints; ++i) {
        const course::Hint &hint = lesson.hints[static_cast<std::size_t>(i)];
        text += QStringLiteral("\n\n#### ") + CoursePane::tr("Hint %1").arg(i + 1) + QStringLiteral("\n\n")
                + QString::fromStdString(hint.text);
        if (!hint.steps.empty())
            text +=
                QStringLiteral("\n\n```\n") + QString::fromStdString(hint.steps) + QStringLiteral("\n```\n");
    }
    return text;
}

} // namespace

CoursePane::CoursePane(QWidget *parent) : QStackedWidget(parent)
{
    setAccessibleName(tr("Course"));
    setMinimumWidth(leastLessonWidth);
    addWidget(makeList());
    addWidget(makeLesson());
}

QWidget *CoursePane::makeList()
{
    auto *page = new QWidget(this);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(lessonMargin, 10, lessonMargin, 10);
    layout->setSpacing(10);
    auto *intro =
        look::plainLabel(tr("Each lesson opens a kernel and sets a goal, which is checked while you "
                            "schedule."),
                         look::interfaceFont(12), "secondary", page);
    intro->setWordWrap(true);
    m_list = new QListWidget(page);
    m_list->setAccessibleName(tr("Lessons"));
    m_list->setFont(look::interfaceFont(13));
    m_list->setIconSize({16, 16});
    m_list->setStyleSheet(QStringLiteral("QListView::item { border: none; padding: 4px 2px; }"));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(intro);
    layout->addWidget(m_list, 1);
    connect(m_list, &QListWidget::itemActivated, this,
            [this](QListWidgetItem *item) { Q_EMIT lessonChosen(m_list->row(item)); });
    connect(m_list, &QListWidget::itemClicked, this,
            [this](QListWidgetItem *item) { Q_EMIT lessonChosen(m_list->row(item)); });
    return page;
}

QWidget *CoursePane::makeLesson()
{
    auto *page = new QWidget(this);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(lessonMargin, 8, lessonMargin, 12);
    layout->setSpacing(8);
    auto *top = new QHBoxLayout;
    auto *all = new look::LinkButton(tr("‹ All lessons"), page);
    all->setObjectName(QStringLiteral("course.all"));
    m_caption = look::plainLabel({}, look::interfaceFont(11.5), "secondary", page);
    top->addWidget(all);
    top->addStretch(1);
    top->addWidget(m_caption);
    m_title = look::plainLabel({}, look::interfaceFont(16, QFont::DemiBold), "title", page);
    m_page = new PageView(page);
    m_page->makePlain();
    m_page->setAccessibleName(tr("Lesson"));
    m_goalRows = new QVBoxLayout;
    m_goalRows->setSpacing(6);
    m_note = new look::FindingBox(look::FindingBox::Kind::Good, page);
    m_open = new look::Button(tr("Open the kernel of this lesson"), page, look::Button::Kind::Primary);
    m_open->setObjectName(QStringLiteral("course.open"));
    m_hint = new look::Button({}, page);
    m_solution = new look::Button(tr("Show me"), page);
    m_solution->setToolTip(tr("Makes the steps of a solution, as a branch of the history"));
    for (QWidget *button : {static_cast<QWidget *>(all), static_cast<QWidget *>(m_open),
                            static_cast<QWidget *>(m_hint), static_cast<QWidget *>(m_solution)})
        button->setFocusPolicy(Qt::TabFocus); // a click leaves the keys to the tree
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_hint);
    buttons->addWidget(m_solution);
    buttons->addStretch(1);
    layout->addLayout(top);
    layout->addWidget(m_title);
    layout->addWidget(m_page, 1);
    layout->addWidget(new CourseLine(page));
    layout->addWidget(
        look::plainLabel(tr("Goal"), look::interfaceFont(12, QFont::DemiBold), "secondary", page));
    layout->addLayout(m_goalRows);
    layout->addWidget(m_note);
    layout->addWidget(m_open, 0, Qt::AlignLeft);
    layout->addLayout(buttons);
    connect(all, &QAbstractButton::clicked, this, &CoursePane::listWanted);
    connect(m_hint, &QPushButton::clicked, this, &CoursePane::hintWanted);
    connect(m_solution, &QPushButton::clicked, this, &CoursePane::solutionWanted);
    connect(m_open, &QPushButton::clicked, this, &CoursePane::kernelWanted);
    connect(m_note, &look::FindingBox::actionTriggered, this, &CoursePane::nextWanted);
    connect(m_page, &QTextBrowser::anchorClicked, this,
            [this](const QUrl &url) { Q_EMIT termWanted(url.toString(), QCursor::pos()); });
    return page;
}

void CoursePane::setLessons(const std::vector<course::Lesson> &lessons, const QSet<QString> &done)
{
    m_count = static_cast<int>(lessons.size());
    const int current = m_list->currentRow();
    m_list->clear();
    for (const course::Lesson &lesson : lessons) {
        const bool isDone = done.contains(QString::fromStdString(lesson.id));
        auto *item = new QListWidgetItem(
            QStringLiteral("%1  %2").arg(lesson.number, 2, 10, figureSpace).arg(document::toQt(lesson.title)),
            m_list);
        item->setData(doneRole, isDone);
        item->setData(Qt::AccessibleTextRole, isDone ? tr("%1, done").arg(item->text()) : item->text());
        item->setSizeHint({0, 34});
    }
    m_list->setCurrentRow(std::max(0, current));
    showTicks();
    m_caption->setText(m_lesson.number > 0 ? tr("Lesson %1 of %2").arg(m_lesson.number).arg(m_count)
                                           : QString());
}

void CoursePane::showTicks()
{
    const look::Tokens &t = look::tokens(this);
    for (int row = 0; row < m_list->count(); ++row) {
        QListWidgetItem *item = m_list->item(row);
        item->setIcon(item->data(doneRole).toBool() ? look::icon(QStringLiteral("check"), t.good)
                                                    : look::icon(QStringLiteral("play"), t.secondary));
    }
}

void CoursePane::showList()
{
    setCurrentIndex(0);
    m_list->setCurrentRow(std::max(0, m_lesson.number - 1));
    m_list->setFocus();
}

void CoursePane::showLesson(const course::Lesson &lesson, int hints)
{
    const bool isOther = lesson.id != m_lesson.id, isMore = hints > m_hints;
    const int scrolled = m_page->verticalScrollBar()->value();
    m_lesson = lesson;
    m_hints = hints;
    m_title->setText(document::toQt(lesson.title));
    m_caption->setText(tr("Lesson %1 of %2").arg(lesson.number).arg(m_count));
    if (isOther) {
        for (GoalRow *row : std::exchange(m_goals, {}))
            delete row;
        for (const course::Goal &goal : lesson.goals) {
            m_goals.push_back(new GoalRow(QString::fromStdString(goal.text), this));
            m_goalRows->addWidget(m_goals.back());
        }
        setLearned({}, {});
    }
    const int all = static_cast<int>(lesson.hints.size());
    m_hint->setText(hints < all ? tr("Hint %1 of %2").arg(hints + 1).arg(all) : tr("Hint"));
    m_hint->setUnavailable(hints < all ? QString() : tr("All hints are shown."));
    fillPage();
    QScrollBar *bar = m_page->verticalScrollBar();
    bar->setValue(isOther ? 0 : isMore ? bar->maximum() : scrolled);
    setCurrentIndex(1);
}

void CoursePane::fillPage()
{
    m_page->setMarkdown(lessonMarkdown(m_lesson, m_hints));
    m_page->dress(11.5);
}

void CoursePane::setStates(const std::vector<course::GoalStatus> &states)
{
    for (std::size_t i = 0; i < m_goals.size(); ++i)
        m_goals[i]->setStatus(i < states.size() ? states[i] : course::GoalStatus{});
}

void CoursePane::setLearned(const QString &text, const QString &next)
{
    m_note->setContent(text.isEmpty() ? QString() : tr("Goal reached"), text, next);
    m_note->setVisible(!text.isEmpty());
}

void CoursePane::setKernelOpen(bool isOpen)
{
    m_open->setVisible(!isOpen);
    m_solution->setUnavailable(isOpen ? QString() : tr("Open the kernel of this lesson first."));
}

void CoursePane::changeEvent(QEvent *event)
{
    QStackedWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_list)
        showTicks();
    if (event->type() == QEvent::PaletteChange && m_page && !m_lesson.id.empty()) {
        const int scrolled = m_page->verticalScrollBar()->value();
        fillPage(); // code has its ground from the theme
        m_page->verticalScrollBar()->setValue(scrolled);
    }
}

} // namespace nestwright::app
