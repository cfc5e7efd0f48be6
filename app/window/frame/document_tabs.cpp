// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/document_tabs.h"

#include "widgets/document/files/open_documents.h"
#include "widgets/document/plain_tip.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QContextMenuEvent>
#include <QFileInfo>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace nestwright::app {

namespace {

constexpr int tabHeight = 32, leastTabWidth = 84, readableWidth = 150, mostWidth = 220;
constexpr int textLeft = 12, crossRoom = 26, dotRoom = 12;

/// One alone is the window's title.
QFont fontOf(bool isCurrent, bool isAlone)
{
    return isAlone ? look::interfaceFont(14, QFont::DemiBold)
                   : look::interfaceFont(12.5, isCurrent ? QFont::DemiBold : QFont::Normal);
}

} // namespace

DocumentTabs::DocumentTabs(document::OpenDocuments &documents, QWidget *parent)
    : QTabBar(parent)
    , m_documents(documents)
{
    setAccessibleName(tr("Open documents"));
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(true);
    setElideMode(Qt::ElideMiddle);
    setFocusPolicy(Qt::TabFocus);
    connect(this, &QTabBar::currentChanged, this, [this](int tab) {
        if (!m_rebuilding)
            m_documents.activate(tab);
    });
    connect(&documents, &document::OpenDocuments::changed, this, &DocumentTabs::rebuild);
    rebuild();
}

void DocumentTabs::rebuild()
{
    m_rebuilding = true;
    while (count() > m_documents.count())
        removeTab(count() - 1);
    while (count() < m_documents.count())
        addTab({});
    for (int i = 0; i < count(); ++i) {
        const document::OpenDocuments::Entry &entry = m_documents.at(i);
        setTabText(i, document::shownText(entry.title));
        QStringList tip{QFileInfo(entry.origin).isAbsolute() ? entry.origin : entry.title};
        if (entry.modified)
            tip << tr("has changes that are in no file; they are kept automatically");
        setTabToolTip(i, document::plainTip(tip.join(u'\n')));
        setAccessibleTabName(i, entry.modified ? tr("%1, changed").arg(entry.title) : entry.title);
        auto *cross = qobject_cast<QToolButton *>(tabButton(i, RightSide));
        if (count() > 1 && !cross) {
            cross = new QToolButton(this);
            cross->setIcon(look::icon(QStringLiteral("close")));
            cross->setIconSize({12, 12});
            cross->setAutoRaise(true);
            cross->setFixedSize(20, 20);
            cross->setFocusPolicy(Qt::NoFocus);
            cross->setCursor(Qt::ArrowCursor);
            connect(cross, &QToolButton::clicked, this, [this, cross] {
                for (int tab = 0; tab < count(); ++tab) {
                    if (tabButton(tab, RightSide) == cross)
                        return Q_EMIT closeWanted(tab);
                }
            });
            setTabButton(i, RightSide, cross);
        } else if (count() == 1 && cross) {
            setTabButton(i, RightSide, nullptr);
            cross->deleteLater();
        }
        if (cross)
            cross->setToolTip(document::plainTip(tr("Close %1 (Ctrl+W)").arg(entry.title)));
    }
    setCurrentIndex(m_documents.current());
    m_rebuilding = false;
    updateGeometry();
    update();
}

QSize DocumentTabs::tabSizeHint(int tab) const
{
    const int text = QFontMetrics(fontOf(true, count() == 1)).horizontalAdvance(tabText(tab));
    const int wanted = 2 * textLeft + text + (count() > 1 ? crossRoom : 0) + dotRoom;
    return {std::clamp(wanted, leastTabWidth, mostWidth), tabHeight};
}

QSize DocumentTabs::minimumTabSizeHint(int tab) const
{
    const int least = count() == 1 ? leastTabWidth : readableWidth; // a title gets shorter with the bar
    return {std::min(least, tabSizeHint(tab).width()), tabHeight};
}

void DocumentTabs::paintEvent(QPaintEvent *)
{
    const look::Tokens &t = look::tokens(window()); // the bar itself is transparent
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < count(); ++i) {
        const bool isCurrent = i == currentIndex();
        const QRectF frame = QRectF(tabRect(i)).adjusted(1.5, 1.5, -1.5, -1.5);
        const bool isUnder = tabRect(i).contains(mapFromGlobal(QCursor::pos())) && underMouse();
        if (count() > 1 || hasFocus()) { // a single one is a title
            painter.setPen(
                QPen(isCurrent && hasFocus() ? t.accent : t.hairline, isCurrent && hasFocus() ? 2 : 1));
            painter.setBrush(isCurrent ? t.pane : isUnder ? t.hover : t.ground);
            painter.drawRoundedRect(frame, 6, 6);
        }
        painter.setFont(fontOf(isCurrent, count() == 1));
        painter.setPen(isCurrent ? t.text : t.secondary);
        QRectF box = frame.adjusted(count() > 1 ? textLeft - 2 : 2, 0, count() > 1 ? -crossRoom : 0, 0);
        const QFontMetricsF metrics(painter.font());
        const bool modified = m_documents.at(i).modified;
        const double room = box.width() - (modified ? dotRoom : 0);
        const QString text = metrics.elidedText(tabText(i), Qt::ElideMiddle, room);
        painter.drawText(box, static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft), text);
        if (modified) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(t.secondary);
            painter.drawEllipse(QPointF(box.left() + metrics.horizontalAdvance(text) + 8, frame.center().y()),
                                2.5, 2.5);
        }
    }
}

void DocumentTabs::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Delete && count() > 1)
        Q_EMIT closeWanted(currentIndex());
    else
        QTabBar::keyPressEvent(event);
}

void DocumentTabs::mouseReleaseEvent(QMouseEvent *event)
{
    const int tab = tabAt(event->position().toPoint());
    if (event->button() == Qt::MiddleButton && tab >= 0 && count() > 1)
        Q_EMIT closeWanted(tab);
    else
        QTabBar::mouseReleaseEvent(event);
}

void DocumentTabs::contextMenuEvent(QContextMenuEvent *event)
{
    const int tab = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : tabAt(event->pos());
    if (tab < 0)
        return;
    QMenu menu;
    menu.addAction(tr("Close"), this, [this, tab] { Q_EMIT closeWanted(tab); })->setEnabled(count() > 1);
    menu.addAction(tr("Close others"), this,
                   [this, tab] {
                       for (int other = count() - 1; other >= 0; --other) {
                           if (other != tab)
                               Q_EMIT closeWanted(other);
                       }
                   })
        ->setEnabled(count() > 1);
    menu.exec(event->globalPos());
}

} // namespace nestwright::app
