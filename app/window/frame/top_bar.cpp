// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/top_bar.h"

#include "app/window/frame/document_tabs.h"
#include "app/window/frame/work_line.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace nestwright::app {

namespace {
constexpr int topBarHeight = 52;
constexpr int controlHeight = 30;
constexpr int leastTitle = 100;
constexpr int leastBarWidth = 880;
} // namespace

TopBar::TopBar(document::Document &document, document::OpenDocuments &documents,
               document::CommandRegistry &commands, WorkLine *workLine, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_commands(commands)
    , m_tabs(new DocumentTabs(documents, this))
    , m_name(new QLabel(tr("Nestwright"), this))
    , m_subtitle(new QLabel(this))
    , m_workLine(workLine)
{
    setFixedHeight(topBarHeight);
    setAccessibleName(tr("Toolbar"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(20, 0, 16, 1);
    row->setSpacing(6);
    m_name->setFont(look::interfaceFont(14, QFont::DemiBold));
    m_subtitle->setFont(look::interfaceFont(12.5));
    m_subtitle->setProperty("role", "secondary");
    row->addWidget(m_name);
    row->addWidget(m_tabs);
    row->addSpacing(4);
    row->addWidget(m_subtitle);
    row->addSpacing(24);
    m_open = addButton(tr("Open"), QString(), tr("Open a kernel, a schedule script or a session"));
    m_examples = addButton(tr("Examples"), QString(), tr("Kernels to start from"));
    row->addWidget(m_open);
    row->addWidget(m_examples);
    row->addSpacing(8);
    m_target = addButton(QString(), QString(), tr("Target of the code and of measuring"));
    row->addWidget(m_target);
    row->addSpacing(8);
    m_undo = addButton(QString(), QStringLiteral("edit.undo"), tr("Undo: to the variant before (Ctrl+Z)"));
    m_redo =
        addButton(QString(), QStringLiteral("edit.redo"), tr("Redo: to the variant after (Ctrl+Shift+Z)"));
    m_undo->setIcon(look::icon(QStringLiteral("undo")));
    m_redo->setIcon(look::icon(QStringLiteral("redo")));
    m_undo->setAccessibleName(tr("Undo"));
    m_redo->setAccessibleName(tr("Redo"));
    row->addWidget(m_undo);
    row->addWidget(m_redo);
    row->addStretch(1);
    m_workLine->setFixedHeight(controlHeight);
    row->addWidget(m_workLine);
    row->addSpacing(8);
    m_search = addButton({}, QStringLiteral("view.palette"), tr("Find any command by its name (Ctrl+K)"));
    row->addWidget(m_search);
    row->addSpacing(8);
    m_measure = addButton(tr("Measure"), QStringLiteral("measure.current"),
                          tr("Time the current variant on this machine (M)"));
    m_measure->setKind(look::Button::Kind::Primary);
    m_export =
        addButton(tr("Export"), QString(), tr("The schedule, the program, its code, or a chart as a file"));
    m_more = addButton(QString(), QString(), tr("All menus"));
    m_more->setIcon(look::icon(QStringLiteral("more")));
    m_more->setKind(look::Button::Kind::Quiet);
    m_more->setAccessibleName(tr("All menus"));
    row->addWidget(m_measure);
    row->addWidget(m_export);
    row->addWidget(m_more);

    connect(&document, &document::Document::opened, this, &TopBar::showTitle);
    connect(&documents, &document::OpenDocuments::changed, this, &TopBar::showTitle);
    connect(&commands, &document::CommandRegistry::updated, this, &TopBar::showCommands);
    showTitle();
}

look::Button *TopBar::addButton(const QString &text, const QString &command, const QString &tip)
{
    auto *button = new look::Button(text, this);
    button->setFixedHeight(controlHeight);
    button->setToolTip(tip);
    if (!command.isEmpty()) {
        button->setObjectName(QStringLiteral("toolbar.") + command);
        connect(button, &QPushButton::clicked, this, [this, command] { m_commands.trigger(command); });
    }
    return button;
}

void TopBar::setMenus(QMenu *open, QMenu *examples, QMenu *target, QMenu *exports, QMenu *all)
{
    m_open->setMenu(open);
    m_examples->setMenu(examples);
    m_target->setMenu(target);
    m_export->setMenu(exports);
    connect(m_more, &QPushButton::clicked, this,
            [this, all] { all->exec(m_more->mapToGlobal(QPoint(0, m_more->height() + 4))); });
}

void TopBar::setTarget(const QString &text)
{
    m_target->setText(text);
    fitToWidth();
}

void TopBar::showTitle()
{
    const bool open = m_document.isOpen();
    m_name->setVisible(!open);
    m_tabs->setVisible(open);
    m_subtitle->setText(open ? m_document.subtitle() : QString());
    m_target->setVisible(true);
    fitToWidth();
}

void TopBar::showCommands()
{
    m_undo->setUnavailable(m_commands.reason(QStringLiteral("edit.undo")));
    m_redo->setUnavailable(m_commands.reason(QStringLiteral("edit.redo")));
    m_measure->setUnavailable(m_commands.reason(QStringLiteral("measure.current")));
    m_export->setEnabled(m_document.isOpen());
    m_target->setEnabled(m_document.isOpen());
}

void TopBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitToWidth();
}

/// The width of the controls, without the two texts at the left.
int TopBar::controlsWidth() const
{
    const QMargins margins = layout()->contentsMargins();
    int width = margins.left() + margins.right();
    for (int i = 0; i < layout()->count(); ++i) {
        const QLayoutItem *item = layout()->itemAt(i);
        const QWidget *widget = item->widget();
        if (widget == m_name || widget == m_tabs || widget == m_subtitle || widget == m_workLine
            || (widget && widget->isHidden()))
            continue;
        width += item->sizeHint().width() + (widget ? layout()->spacing() : 0); // none beside spacers
    }
    return width;
}

/// The width reserved for the line of work, whether it speaks or not, so that nothing moves when it begins
/// to.
int TopBar::workRoom() const { return std::clamp(width() / 6, 110, 320); }

QSize TopBar::minimumSizeHint() const { return {leastBarWidth, QWidget::minimumSizeHint().height()}; }

void TopBar::fitToWidth()
{
    m_search->setMinimumWidth(width() >= 1500 ? 240 : 0);
    m_examples->setVisible(width() >= 1450); // the menu of Open has them too
    const bool isNarrow = width() < 1200;
    m_target->setCaption(isNarrow ? QString() : tr("Target"));
    m_target->setAccessibleName(tr("Target %1").arg(m_target->text()));
    m_measure->setKey(isNarrow ? QString() : QStringLiteral("M"));
    m_search->setText(isNarrow ? tr("Search…") : tr("Search commands…"));
    m_search->setKey(isNarrow ? QString() : QStringLiteral("Ctrl K"));
    m_search->setVisible(width() >= 1000); // the menu of all has it too
    m_workLine->setFixedWidth(workRoom());
    // Controls keep their room; a narrow window drops facts shown elsewhere too, and then cuts the titles.
    const int room = std::max(leastTitle, width() - controlsWidth() - workRoom() - 3 * layout()->spacing());
    m_tabs->setFixedWidth(std::min(room, m_tabs->sizeHint().width()));
    const int left = room - (m_tabs->isHidden() ? m_name->sizeHint().width() : m_tabs->width());
    m_subtitle->setVisible(!m_subtitle->text().isEmpty()
                           && m_subtitle->fontMetrics().horizontalAdvance(m_subtitle->text()) <= left);
}

void TopBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    painter.fillRect(rect(), t.pane);
    painter.fillRect(QRect(0, height() - 1, width(), 1), t.hairline);
}

} // namespace nestwright::app
