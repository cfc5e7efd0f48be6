// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/difference_bar.h"

#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace nestwright::code {

namespace {
constexpr int barHeight = 30;
} // namespace

DifferenceBar::DifferenceBar(QWidget *parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_place(new QLabel(this))
{
    setFixedHeight(barHeight);
    setAccessibleName(tr("Difference"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(14, 0, 8, 1);
    row->setSpacing(4);
    for (QLabel *label : {m_title, m_place}) {
        label->setFont(look::interfaceFont(11.5));
        label->setProperty("role", "secondary");
    }
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_place->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_place->setMinimumWidth(m_place->fontMetrics().horizontalAdvance(tr("%1 changes").arg(999)));
    row->addWidget(m_title, 1);
    row->addWidget(m_place);
    m_previous = addButton(QStringLiteral("chevron-up"), tr("Previous change"), QStringLiteral("Shift+F7"));
    m_next = addButton(QStringLiteral("chevron-down"), tr("Next change"), QStringLiteral("F7"));
    m_sideBySide =
        addButton(QStringLiteral("side-by-side"), tr("Side by side"), QStringLiteral("Ctrl+Shift+D"));
    m_sideBySide->setCheckable(true);
    connect(m_previous, &QPushButton::clicked, this, &DifferenceBar::previousWanted);
    connect(m_next, &QPushButton::clicked, this, &DifferenceBar::nextWanted);
    connect(m_sideBySide, &QPushButton::clicked, this, &DifferenceBar::sideBySideChosen);
}

look::Button *DifferenceBar::addButton(const QString &icon, const QString &name, const QString &key)
{
    auto *button = new look::Button(QString(), this, look::Button::Kind::Quiet);
    button->setSmall();
    button->setIcon(look::icon(icon));
    button->setIconSize(QSize(14, 14));
    button->setAccessibleName(name);
    button->setToolTip(QStringLiteral("%1 (%2)").arg(name, key));
    layout()->addWidget(button);
    return button;
}

void DifferenceBar::setTitle(const QString &title)
{
    m_titleText = title;
    elide();
}

void DifferenceBar::setPlace(int current, int count)
{
    m_place->setText(count == 0     ? tr("no change")
                     : current >= 0 ? tr("%1 of %2").arg(current + 1).arg(count)
                     : count == 1   ? tr("1 change")
                                    : tr("%1 changes").arg(count));
    const QString reason = count > 0 ? QString() : tr("No line differs.");
    m_previous->setUnavailable(reason);
    m_next->setUnavailable(reason);
}

void DifferenceBar::setSideBySide(bool on) { m_sideBySide->setChecked(on); }

void DifferenceBar::elide()
{
    const QString shown = m_title->fontMetrics().elidedText(m_titleText, Qt::ElideMiddle, m_title->width());
    m_title->setText(shown);
    m_title->setToolTip(shown == m_titleText ? QString() : m_titleText);
}

void DifferenceBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layout()->activate();
    elide();
}

void DifferenceBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRectF(0, height() - 1, width(), 1), look::tokens(this).hairline);
}

} // namespace nestwright::code
