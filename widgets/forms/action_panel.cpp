// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/action_panel.h"

#include "widgets/document/text.h"
#include "widgets/look/fonts.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::forms {

namespace {
constexpr int panelColumns = 3;
constexpr int panelWidth = 400, mostPanelHeight = 480;
} // namespace

ActionPanel::ActionPanel(QWidget *parent)
    : FloatingCard(parent)
    , m_inside(new QWidget)
    , m_grid(new QGridLayout(m_inside))
    , m_column(panelColumns)
{
    setWindowFlags(Qt::Popup | Qt::FramelessWindowHint | Qt::NoDropShadowWindowHint);
    auto *area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    m_grid->setContentsMargins(2, 0, 8, 0);
    m_grid->setSpacing(6);
    for (int each = 0; each < panelColumns; ++each)
        m_grid->setColumnStretch(each, 1);
    area->setWidget(m_inside);
    area->viewport()->setAutoFillBackground(false);
    m_inside->setAutoFillBackground(false); // setWidget() switches it on
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 4, 10);
    layout->addWidget(area);
}

void ActionPanel::add(QWidget *button, schedule::Group group)
{
    if (m_group != group) {
        m_group = group;
        auto *heading = new QLabel(document::toQt(schedule::title(group)), m_inside);
        heading->setProperty("role", "faint");
        heading->setFont(look::interfaceFont(11, QFont::Medium));
        heading->setContentsMargins(2, m_row < 0 ? 0 : 4, 0, 0);
        m_grid->addWidget(heading, ++m_row, 0, 1, panelColumns);
        m_headings.push_back(heading);
        m_column = panelColumns;
    }
    if (m_column == panelColumns) {
        ++m_row;
        m_column = 0;
    }
    m_grid->addWidget(button, m_row, m_column++);
}

void ActionPanel::clear()
{
    while (const QLayoutItem *item = m_grid->takeAt(0))
        delete item;
    qDeleteAll(m_headings);
    m_headings.clear();
    m_grid->setRowStretch(m_row + 1, 0);
    m_group.reset();
    m_row = -1;
    m_column = panelColumns;
}

void ActionPanel::fitHeight()
{
    m_grid->setRowStretch(m_row + 1, 1);
    setFixedSize(panelWidth, std::min(mostPanelHeight, m_inside->sizeHint().height() + 22));
}

void ActionPanel::openBelow(const QWidget *opener)
{
    QPoint at = opener->mapToGlobal(QPoint(opener->width() - panelWidth, opener->height() + 4));
    at.setX(std::max(at.x(), opener->window()->mapToGlobal(QPoint(4, 0)).x()));
    move(at);
    show();
}

} // namespace nestwright::forms
