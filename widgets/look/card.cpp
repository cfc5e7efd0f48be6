// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/card.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tab_row.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace nestwright::look {

namespace {

constexpr int headerHeight = 34;
constexpr double cardRadius = 8;
// A square content this far from the edge leaves the round corners alone.
constexpr QMargins contentMargins(1, 0, 1, 6);

void paintCard(QWidget *widget)
{
    QPainter painter(widget);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens &t = tokens(widget);
    painter.setPen(QPen(t.hairline, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(widget->rect()).adjusted(0.5, 0.5, -0.5, -0.5), cardRadius, cardRadius);
}

} // namespace

CardHeader::CardHeader(const QString &title, QWidget *parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
    , m_title(new QLabel(title, this))
    , m_secondary(new QLabel(this))
    , m_tabs(new TabRow(this))
{
    setFixedHeight(headerHeight);
    m_layout->setContentsMargins(14, 0, 12, 1);
    m_layout->setSpacing(10);
    m_title->setFont(interfaceFont(12, QFont::DemiBold));
    m_title->setProperty("role", "secondary");
    m_secondary->setFont(interfaceFont(12));
    m_secondary->setProperty("role", "secondary");
    m_secondary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_secondary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_layout->addWidget(m_title);
    m_layout->addWidget(m_secondary, 1);
    m_layout->addWidget(m_tabs);
    m_tabs->setAccessibleName(tr("Views of %1").arg(title));
    m_tabs->hide();
    connect(m_tabs, &TabRow::chosen, this, &CardHeader::tabChosen);
}

void CardHeader::setTitle(const QString &title) { m_title->setText(title); }

QString CardHeader::title() const { return m_title->text(); }

void CardHeader::setSecondary(const QString &text)
{
    m_secondaryText = text;
    elide();
}

void CardHeader::elide()
{
    const QString shown = m_secondary->fontMetrics().elidedText(m_secondaryText, Qt::ElideRight,
                                                                std::max(0, m_secondary->width()));
    if (shown != m_secondary->text())
        m_secondary->setText(shown);
    m_secondary->setToolTip(shown == m_secondaryText ? QString() : m_secondaryText);
}

void CardHeader::setTabs(const QStringList &tabs, int current)
{
    m_tabs->setTabs(tabs, current);
    m_tabs->setVisible(!tabs.isEmpty());
}

void CardHeader::setCurrentTab(int index) { m_tabs->setCurrent(index); }

int CardHeader::currentTab() const { return m_tabs->current(); }

void CardHeader::setTabUnavailable(int index, const QString &reason)
{
    m_tabs->setUnavailable(index, reason);
}

void CardHeader::addWidget(QWidget *widget) { m_layout->addWidget(widget); }

// A dock gives its title these sizes, whatever height is fixed.
QSize CardHeader::sizeHint() const { return {QWidget::sizeHint().width(), headerHeight}; }

QSize CardHeader::minimumSizeHint() const
{
    const int width = QWidget::minimumSizeHint().width();
    return {m_title->isHidden() || m_tabs->isHidden() ? width : width - titleWidth(), headerHeight};
}

int CardHeader::titleWidth() const { return m_title->sizeHint().width() + m_layout->spacing(); }

/// Taken, so that a dock does not begin to float.
void CardHeader::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept();
    if (event->button() == Qt::LeftButton)
        Q_EMIT doubleClicked();
}

void CardHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_title->setVisible(m_tabs->isHidden() || width() >= minimumSizeHint().width() + titleWidth());
    m_layout->activate();
    elide();
}

void CardHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRectF(1, height() - 1, width() - 2, 1), tokens(this).hairline);
}

Card::Card(const QString &title, QWidget *parent)
    : QFrame(parent)
    , m_header(new CardHeader(title, this))
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(contentMargins);
    m_layout->setSpacing(0);
    m_layout->addWidget(m_header);
    setAccessibleName(title);
}

void Card::setContent(QWidget *content)
{
    delete m_content;
    m_content = content;
    if (content)
        m_layout->addWidget(content, 1);
}

void Card::paintEvent(QPaintEvent *) { paintCard(this); }

CardDock::CardDock(const QString &title, const QString &objectName, QWidget *parent)
    : QDockWidget(title, parent)
    , m_header(new CardHeader(title, this))
{
    setObjectName(objectName);
    setTitleBarWidget(m_header);
    setAccessibleName(title);
}

void CardDock::setContent(QWidget *content)
{
    auto *frame = new QWidget(this);
    auto *layout = new QVBoxLayout(frame);
    layout->setContentsMargins(contentMargins);
    layout->addWidget(content);
    delete widget();
    setWidget(frame);
}

void CardDock::paintEvent(QPaintEvent *) { paintCard(this); }

} // namespace nestwright::look
