// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/goal_row.h"

#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/label.h"
#include "widgets/look/tokens.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace nestwright::app {

namespace {
constexpr int markSize = 16, goalTextLeft = 26;
} // namespace

GoalRow::GoalRow(const QString &text, QWidget *parent)
    : QWidget(parent)
    , m_name(text)
    , m_text(look::plainLabel(text, look::interfaceFont(12.5), "", this))
    , m_found(look::plainLabel({}, look::interfaceFont(11.5), "secondary", this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(goalTextLeft, 0, 0, 0);
    layout->setSpacing(1);
    for (QLabel *label : {m_text, m_found}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(label);
    }
    setStatus({});
}

QString GoalRow::found() const { return m_found->text(); }

void GoalRow::setStatus(const course::GoalStatus &status)
{
    m_isReached = status.isReached;
    m_found->setText(QString::fromStdString(status.missing));
    m_found->setVisible(!status.missing.empty());
    setAccessibleName((m_isReached ? tr("Reached: %1") : tr("Open: %1")).arg(m_name));
    setAccessibleDescription(m_found->text());
    update();
}

void GoalRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const look::Tokens &t = look::tokens(this);
    const double top = m_text->y() + (m_text->fontMetrics().height() - markSize) / 2.0;
    const QRectF circle = QRectF(0, top, markSize, markSize).adjusted(0.75, 0.75, -0.75, -0.75);
    painter.setPen(QPen(m_isReached ? t.good : t.nodeBorder, 1.5));
    painter.setBrush(m_isReached ? t.good : Qt::transparent);
    painter.drawEllipse(circle);
    if (!m_isReached)
        return;
    painter.setPen(QPen(t.pane, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const QPointF left = circle.topLeft() + QPointF(3.6, 7.6);
    painter.drawPolyline(QPolygonF({left, left + QPointF(2.7, 2.7), left + QPointF(7.2, -2.9)}));
}

} // namespace nestwright::app
